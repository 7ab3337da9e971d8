package dev.holdfast.journal.replica;

import dev.holdfast.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the segments that another node is copying: from the oldest one on that was asked for, until
 * nothing was asked for a minute. Thread-safe.
 */
public final class CopyHold {

  /** After this time without a question, a copy has ended. */
  public static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private long from = Long.MAX_VALUE;
  private long askedNanos;

  public CopyHold(TimeSource time) {
    this.time = time;
  }

  /** Another node asks for what is from a position on. */
  public void asked(long position) {
    lock.lock();
    try {
      from = Math.min(floor(), position);
      askedNanos = time.monotonicNanos();
    } finally {
      lock.unlock();
    }
  }

  /** {@return the first position that another node may still ask for; the largest long if none} */
  public long floor() {
    lock.lock();
    try {
      boolean isOver =
          from != Long.MAX_VALUE && time.monotonicNanos() - askedNanos >= SILENCE_NANOS;
      from = isOver ? Long.MAX_VALUE : from;
      return from;
    } finally {
      lock.unlock();
    }
  }
}
