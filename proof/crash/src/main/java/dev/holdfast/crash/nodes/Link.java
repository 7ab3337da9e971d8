package dev.holdfast.crash.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way from one node to a port of another one, as a proxy. Bytes of each direction are held back
 * as long as it is blocked, as TCP repeats them after a network was cut; or connections are broken,
 * and new ones too. Thread-safe.
 */
final class Link implements AutoCloseable {

  /** Which bytes pass. */
  enum Way {
    /** From the node that connects. */
    THERE,
    /** To the node that connects. */
    BACK
  }

  private static final int BUFFER_BYTES = 16 << 10;

  private final ServerSocket server;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private boolean thereIsBlocked;
  private boolean backIsBlocked;
  private boolean isBroken;
  private boolean isClosed;

  Link(InetSocketAddress from, InetSocketAddress target) throws IOException {
    this.target = target;
    this.server = new ServerSocket();
    server.setReuseAddress(true);
    server.bind(from);
    Thread.ofVirtual().start(this::acceptAll);
  }

  /** Holds back the bytes of a direction. */
  void block(Way way) {
    change(
        () -> {
          thereIsBlocked |= way == Way.THERE;
          backIsBlocked |= way == Way.BACK;
        });
  }

  /** Breaks all connections, and those that are tried. */
  void breakOff() {
    change(() -> isBroken = true);
    sockets.forEach(Link::close);
  }

  /** Lets everything pass. */
  void heal() {
    change(
        () -> {
          thereIsBlocked = false;
          backIsBlocked = false;
          isBroken = false;
        });
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean isBroken() {
    lock.lock();
    try {
      return isBroken || isClosed;
    } finally {
      lock.unlock();
    }
  }

  private void awaitPassage(Way way) {
    lock.lock();
    try {
      while (!isClosed && (way == Way.THERE ? thereIsBlocked : backIsBlocked)) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void acceptAll() {
    while (!server.isClosed()) {
      try {
        Socket caller = server.accept();
        if (isBroken()) {
          close(caller);
        } else {
          sockets.add(caller);
          Thread.ofVirtual().start(() -> connect(caller));
        }
      } catch (IOException e) {
        // Closed, or a connection that ended before it was accepted.
        Thread.onSpinWait();
      }
    }
  }

  private void connect(Socket caller) {
    Socket called = new Socket();
    sockets.add(called);
    try {
      awaitPassage(Way.THERE);
      called.connect(target);
      if (isBroken()) {
        throw new IOException("the link is broken");
      }
    } catch (IOException e) {
      end(caller, called);
      return;
    }
    Thread.ofVirtual().start(() -> copy(caller, called, Way.THERE));
    copy(called, caller, Way.BACK);
  }

  private void copy(Socket from, Socket to, Way way) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        awaitPassage(way);
        out.write(buffer, 0, count);
      }
      awaitPassage(way);
    } catch (IOException e) {
      // Either side is gone; so is the other one, below.
      awaitPassage(way);
    }
    end(from, to);
  }

  private void end(Socket one, Socket other) {
    close(one);
    close(other);
    sockets.remove(one);
    sockets.remove(other);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    change(() -> isClosed = true);
    sockets.forEach(Link::close);
  }
}
