package dev.holdfast.faults;

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

/**
 * A network between two nodes that a test can cut, at any byte, or in one direction. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

  private final ServerSocket server;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();

  /** Connections up to this one have lost bytes, and wait for them. */
  private volatile int stranded;

  private final Direction toTarget = new Direction();
  private final Direction toCaller = new Direction();

  private static final class Direction {

    /** How many more bytes pass; negative for any number. */
    private final AtomicLong budget = new AtomicLong(-1);

    /**
     * Whether bytes and ends of connections disappear without a sign, as in a network that is cut.
     */
    private volatile boolean isCut;

    private void heal() {
      budget.set(-1);
      isCut = false;
    }

    private int allowed(int count) {
      long before = budget.getAndUpdate(left -> left < 0 ? left : Math.max(0, left - count));
      return before < 0 ? count : (int) Math.min(count, before);
    }
  }

  /**
   * Listens on a free port of the loopback address.
   *
   * @param target where the bytes go
   * @throws IOException if it cannot listen
   */
  public TcpProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::acceptAll);
  }

  /** {@return where it listens} */
  public InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  /** {@return how many connections there have been} */
  public int connections() {
    return connections.get();
  }

  /**
   * Cuts all connections when more bytes have passed to the node that is called.
   *
   * @param count how many bytes more
   */
  public void cutAfterBytesToTarget(long count) {
    toTarget.budget.set(count);
  }

  /**
   * Cuts all connections when more bytes have passed to the node that calls.
   *
   * @param count how many bytes more
   */
  public void cutAfterBytesToCaller(long count) {
    toCaller.budget.set(count);
  }

  /** From now on everything passes. */
  public void heal() {
    toTarget.heal();
    toCaller.heal();
  }

  /** Lets all bytes and ends of connections disappear, in both directions. */
  public void swallow() {
    toTarget.isCut = true;
    toCaller.isCut = true;
  }

  /** Lets all bytes and ends of connections disappear on their way to the node that calls. */
  public void swallowToCaller() {
    toCaller.isCut = true;
  }

  /**
   * Lets the bytes of all connections that there are disappear for ever, and the bytes of later
   * ones pass: as after a cut of the network, when TCP waits for the time to send again what was
   * lost.
   */
  public void strand() {
    stranded = connections.get();
  }

  private void acceptAll() {
    while (true) {
      try {
        Socket caller = server.accept();
        Socket called = new Socket();
        sockets.add(caller);
        sockets.add(called);
        called.connect(target);
        int number = connections.incrementAndGet();
        Thread.ofVirtual().start(() -> copy(number, caller, called, toTarget));
        Thread.ofVirtual().start(() -> copy(number, called, caller, toCaller));
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
        cutNow();
      }
    }
  }

  private void copy(int number, Socket from, Socket to, Direction direction) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int count = in.read(buffer);
      while (count >= 0) {
        int passed = direction.allowed(count);
        if (!direction.isCut && number > stranded) {
          out.write(buffer, 0, passed);
          out.flush();
        }
        if (passed < count) {
          cutNow();
          return;
        }
        count = in.read(buffer);
      }
      if (!direction.isCut && number > stranded) {
        to.shutdownOutput();
      }
    } catch (IOException e) {
      close(from);
      if (!direction.isCut && number > stranded) {
        close(to);
      }
    }
  }

  /** Breaks all connections; new ones are taken. */
  public void cutNow() {
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
