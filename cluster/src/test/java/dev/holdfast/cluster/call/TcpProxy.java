package dev.holdfast.cluster.call;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A network between two nodes that a test can cut, at any byte, or in one direction. */
final class TcpProxy implements AutoCloseable {

  private final ServerSocket server;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();

  /** How many more bytes pass; negative for any number. */
  private final AtomicLong toTarget = new AtomicLong(-1);

  private final AtomicLong toCaller = new AtomicLong(-1);

  /**
   * Whether bytes and ends of connections disappear without a sign, as in a network that is cut.
   */
  private volatile boolean isDeaf;

  TcpProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::acceptAll);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  int connections() {
    return connections.get();
  }

  /** Cuts all connections when this number of bytes more has passed to the node that is called. */
  void cutAfterBytesToTarget(long count) {
    toTarget.set(count);
  }

  /** Cuts all connections when this number of bytes more has passed to the node that calls. */
  void cutAfterBytesToCaller(long count) {
    toCaller.set(count);
  }

  void heal() {
    toTarget.set(-1);
    toCaller.set(-1);
    isDeaf = false;
  }

  /** Lets all bytes and ends of connections disappear, in both directions. */
  void swallow() {
    isDeaf = true;
  }

  private void acceptAll() {
    while (true) {
      try {
        Socket caller = server.accept();
        Socket called = new Socket();
        sockets.add(caller);
        sockets.add(called);
        called.connect(target);
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> copy(caller, called, toTarget));
        Thread.ofVirtual().start(() -> copy(called, caller, toCaller));
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
        cutNow();
      }
    }
  }

  private void copy(Socket from, Socket to, AtomicLong budget) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int count = in.read(buffer);
      while (count >= 0) {
        int passed = allowed(count, budget);
        if (!isDeaf) {
          out.write(buffer, 0, passed);
          out.flush();
        }
        if (passed < count) {
          cutNow();
          return;
        }
        count = in.read(buffer);
      }
      if (!isDeaf) {
        to.shutdownOutput();
      }
    } catch (IOException e) {
      close(from);
      if (!isDeaf) {
        close(to);
      }
    }
  }

  private static int allowed(int count, AtomicLong budget) {
    long before = budget.getAndUpdate(left -> left < 0 ? left : Math.max(0, left - count));
    return before < 0 ? count : (int) Math.min(count, before);
  }

  void cutNow() {
    sockets.forEach(TcpProxy::close);
    sockets.clear();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cutNow();
  }
}
