package dev.holdfast.crash.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way from one node to a port of another one, as a proxy. Bytes of each direction are held back
 * as long as it is blocked, as TCP repeats them after a network was cut, or for a while; or
 * connections are broken, at once and new ones too, or each after some bytes, in the middle of a
 * frame. Thread-safe.
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

  /** How many reads are on their way; the sender of more waits. */
  private static final int CHUNKS_MAX = 64;

  private final ServerSocket server;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private final Set<Way> blocked = EnumSet.noneOf(Way.class);
  private final Map<Way, Duration> delays = new EnumMap<>(Way.class);
  private int chunksToCut;
  private int chunks;
  private boolean isBroken;
  private boolean isClosed;

  /** What was read at once, and from when on it may arrive. */
  private static final class Chunk {

    private final byte[] bytes;
    private final long dueNanos;

    Chunk(byte[] bytes, long dueNanos) {
      this.bytes = bytes;
      this.dueNanos = dueNanos;
    }

    /** {@return whether nothing more comes} */
    boolean isEnd() {
      return bytes.length == 0;
    }
  }

  Link(InetSocketAddress from, InetSocketAddress target) throws IOException {
    this.target = target;
    this.server = new ServerSocket();
    server.setReuseAddress(true);
    server.bind(from);
    Thread.ofVirtual().start(this::acceptAll);
  }

  /** {@return where it is reached} */
  InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  /** Holds back the bytes of a direction. */
  void block(Way way) {
    change(() -> blocked.add(way));
  }

  /** Holds back the bytes of a direction, each for this long. */
  void delay(Way way, Duration time) {
    change(() -> delays.put(way, time));
  }

  /** Breaks all connections, and those that are tried. */
  void breakOff() {
    change(() -> isBroken = true);
    sockets.forEach(Link::close);
  }

  /**
   * Breaks connections again and again. What was read last arrives by half: as a frame is read at
   * once or goes over several reads, that is in the middle of one.
   *
   * @param every the connection breaks with each read of this number
   */
  void cutEvery(int every) {
    change(() -> chunksToCut = every);
  }

  /** Lets everything pass. */
  void heal() {
    change(
        () -> {
          blocked.clear();
          delays.clear();
          chunksToCut = 0;
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

  /** Waits until a time, and while the direction is blocked. */
  private void awaitPassage(Way way, long dueNanos) throws InterruptedException {
    lock.lock();
    try {
      long left = dueNanos - System.nanoTime();
      while (!isClosed && (left > 0 || blocked.contains(way))) {
        if (left > 0) {
          changed.awaitNanos(left);
        } else {
          changed.await();
        }
        left = dueNanos - System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }

  private Chunk chunk(byte[] bytes, Way way) {
    lock.lock();
    try {
      return new Chunk(
          bytes, System.nanoTime() + delays.getOrDefault(way, Duration.ZERO).toNanos());
    } finally {
      lock.unlock();
    }
  }

  private boolean isCut() {
    lock.lock();
    try {
      chunks++;
      return chunksToCut > 0 && chunks % chunksToCut == 0;
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
          Thread.ofVirtual().start(() -> uninterrupted(() -> connect(caller)));
        }
      } catch (IOException e) {
        // Closed, or a connection that ended before it was accepted.
        Thread.onSpinWait();
      }
    }
  }

  private void connect(Socket caller) throws InterruptedException {
    Socket called = new Socket();
    sockets.add(called);
    try {
      awaitPassage(Way.THERE, System.nanoTime());
      called.connect(target);
      if (isBroken()) {
        throw new IOException("the link is broken");
      }
    } catch (IOException e) {
      end(caller, called);
      return;
    }
    copy(caller, called, Way.THERE);
    copy(called, caller, Way.BACK);
  }

  private void copy(Socket from, Socket to, Way way) {
    BlockingQueue<Chunk> line = new ArrayBlockingQueue<>(CHUNKS_MAX);
    Thread.ofVirtual().start(() -> uninterrupted(() -> read(from, line, way)));
    Thread.ofVirtual().start(() -> uninterrupted(() -> write(line, from, to, way)));
  }

  /** Work of a thread that nobody interrupts. */
  private interface Work {

    void run() throws InterruptedException;
  }

  private static void uninterrupted(Work work) {
    try {
      work.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Nobody interrupts the threads of a link.", e);
    }
  }

  private void read(Socket from, BlockingQueue<Chunk> line, Way way) throws InterruptedException {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        line.put(chunk(Arrays.copyOf(buffer, count), way));
      }
    } catch (IOException e) {
      // Either side is gone; so is the other one when it has what came before.
      Thread.onSpinWait();
    }
    line.put(chunk(new byte[0], way));
  }

  private void write(BlockingQueue<Chunk> line, Socket from, Socket to, Way way)
      throws InterruptedException {
    Chunk chunk = line.take();
    try {
      OutputStream out = to.getOutputStream();
      while (!chunk.isEnd()) {
        awaitPassage(way, chunk.dueNanos);
        if (isCut()) {
          out.write(chunk.bytes, 0, chunk.bytes.length / 2);
          break;
        }
        out.write(chunk.bytes);
        chunk = line.take();
      }
    } catch (IOException e) {
      // Either side is gone; so is the other one, below.
      Thread.onSpinWait();
    }
    awaitPassage(way, System.nanoTime());
    end(from, to);
    while (!chunk.isEnd()) {
      chunk = line.take(); // so that the reader does not wait for room
    }
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
