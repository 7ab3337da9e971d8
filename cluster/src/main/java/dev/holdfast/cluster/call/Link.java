package dev.holdfast.cluster.call;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Ping;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameException;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection in use: one thread reads, one writes, a timer sends PING. Frames that wait are
 * written together, with one flush.
 *
 * <p>It ends once, for one reason. Thread-safe.
 */
abstract class Link {

  /** A node that has nothing to send sends PING this often within the silence time. */
  static final int PINGS_IN_SILENCE = 3;

  private static final byte[] PING;

  static {
    try {
      PING = FrameCodec.encode(new Ping());
    } catch (FrameException e) {
      throw new IllegalStateException("A PING has 16 bytes.", e);
    }
  }

  final NodeId peer;
  final ReentrantLock lock = new ReentrantLock();

  private final EndpointOptions options;
  private final TimeSource time;

  /** Signalled when there is something to write, and at the end. */
  private final Condition work = lock.newCondition();

  // Guarded by lock.
  private final ArrayDeque<byte[]> control = new ArrayDeque<>();
  private @Nullable Wire wire;
  private TimeSource.@Nullable Timer pings;
  private boolean isIdle;
  private @Nullable ClusterException ended;

  Link(NodeId peer, EndpointOptions options, TimeSource time) {
    this.peer = peer;
    this.options = options;
    this.time = time;
  }

  /** Returns the next frame that may be written; null for none. Called with the lock. */
  abstract byte @Nullable [] nextFrame();

  /**
   * Takes a frame.
   *
   * @param lengthBytes of the frame
   * @throws FrameException if the other side must not send it
   */
  abstract void received(Frame frame, int lengthBytes) throws FrameException;

  /** Ends what depends on this connection. Called once, without the lock. */
  abstract void afterEnd(ClusterException why);

  /**
   * Runs the connection until it ends. The current thread reads.
   *
   * @param connected the connection, after HELLO
   */
  void run(Wire connected) {
    if (begin(connected)) {
      readAll(connected);
    }
  }

  /**
   * Begins the connection: it counts as connected. A thread must read it with {@link #readAll}.
   *
   * @param connected the connection, after HELLO; closed if this has ended
   * @return whether it has begun
   */
  final boolean begin(Wire connected) {
    try {
      connected.setSilenceMillis(Math.toIntExact(options.silence().toMillis()));
    } catch (IOException e) {
      connected.close();
      end(ConnectionErrors.lost("node " + peer, e));
      return false;
    }
    lock.lock();
    try {
      if (ended != null) {
        connected.close();
        return false;
      }
      wire = connected;
      schedulePing();
    } finally {
      lock.unlock();
    }
    Thread.ofVirtual().name("holdfast-call-writer-" + peer).start(() -> writeAll(connected));
    return true;
  }

  /** Reads the connection, which has begun, until it ends. */
  final void readAll(Wire connected) {
    try {
      while (true) {
        byte[] frame = connected.read(Frame.LENGTH_MAX);
        received(FrameCodec.decode(frame), frame.length);
      }
    } catch (IOException e) {
      end(ConnectionErrors.explained(e, "node " + peer));
    } catch (RuntimeException | Error e) {
      // Memory, most likely; a connection without a reader would look alive to nobody else.
      end(ConnectionErrors.lost("node " + peer, e));
      throw e;
    }
  }

  private void writeAll(Wire connected) {
    try {
      boolean unflushed = false;
      while (true) {
        byte[] frame = next(/* wait= */ !unflushed);
        if (frame != null) {
          connected.write(frame);
          unflushed = true;
        } else if (unflushed) {
          connected.flush();
          unflushed = false;
        } else {
          return;
        }
      }
    } catch (IOException e) {
      end(ConnectionErrors.explained(e, "node " + peer));
    }
  }

  /** Returns the next frame; null if there is none now, or, after a wait, at the end. */
  private byte @Nullable [] next(boolean wait) {
    lock.lock();
    try {
      while (true) {
        if (ended != null) {
          return null;
        }
        byte[] frame = control.poll();
        if (frame != null) {
          // No sign of life but PING and CANCEL: the next PING is due all the same.
          return frame;
        }
        frame = nextFrame();
        if (frame != null) {
          isIdle = false;
          return frame;
        }
        if (!wait) {
          return null;
        }
        work.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Has the writer look again. Called with the lock. */
  final void wakeWriter() {
    work.signal();
  }

  /** Sends a short frame before those that wait. Called with the lock. */
  final void sendSoon(byte[] frame) {
    control.add(frame);
    wakeWriter();
  }

  /** Called with the lock. All connections of a node are looked at together. */
  private void schedulePing() {
    isIdle = true;
    long period = options.silence().toNanos() / PINGS_IN_SILENCE;
    long sinceLook = Math.floorMod(time.monotonicNanos(), period);
    pings = time.schedule(period - sinceLook, this::pingIfIdle);
  }

  private void pingIfIdle() {
    lock.lock();
    try {
      if (ended == null) {
        if (isIdle) {
          sendSoon(PING);
        }
        schedulePing();
      }
    } finally {
      lock.unlock();
    }
  }

  /** {@return why it has ended; null as long as it has not. Called with the lock} */
  final @Nullable ClusterException ended() {
    return ended;
  }

  /** {@return whether it has ended} */
  final boolean hasEnded() {
    lock.lock();
    try {
      return ended != null;
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether it is connected, and has not ended} */
  final boolean isConnected() {
    lock.lock();
    try {
      return ended == null && wire != null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the connection, if it has not ended.
   *
   * @param why the reason
   */
  final void end(ClusterException why) {
    endIf(() -> true, why);
  }

  /**
   * Ends the connection, if it has not ended.
   *
   * @param isDue called with the lock: false to do nothing
   * @param why the reason
   * @return whether this has ended it
   */
  final boolean endIf(BooleanSupplier isDue, ClusterException why) {
    Wire open;
    lock.lock();
    try {
      if (ended != null || !isDue.getAsBoolean()) {
        return false;
      }
      ended = why;
      open = wire;
      if (pings != null) {
        pings.cancel();
      }
      work.signalAll();
    } finally {
      lock.unlock();
    }
    if (open != null) {
      open.close();
    }
    afterEnd(why);
    return true;
  }
}
