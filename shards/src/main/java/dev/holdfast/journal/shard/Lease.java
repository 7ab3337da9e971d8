package dev.holdfast.journal.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.Journal.DurabilityListener;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * For how long the owner of a shard may answer without a proof, and how long it waits for the
 * owners before it, which may still do so.
 *
 * <p>A lease runs for a time from the moment on at which the owner has <em>proposed</em> its last
 * accepted group. Another owner's open entry comes after that group in the log, and so is applied
 * after that moment. From there on the other owner waits for 1.1 times the lease, and hears of none
 * of its groups before: for it the log is slow, so it acknowledges nothing. When its log is no
 * longer slow, the lease is over, if both clocks run evenly to a tenth. Whether they show the same
 * time does not matter.
 *
 * <p>A lease is asked to go on while somebody uses it: in its second half, by a proof that nobody
 * waits for. An owner that is not asked proposes nothing.
 *
 * <p>Thread-safe.
 */
final class Lease {

  private final TimeSource time;
  private final long nanos;
  private final long waitUntilNanos;
  private final CompletableFuture<Void> waited = new CompletableFuture<>();
  private final AtomicBoolean isAskedFor = new AtomicBoolean();

  /** Held while groups are passed on, so that they are passed on in log order. */
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Queue<Runnable> untold = new ArrayDeque<>();
  private boolean isWaiting;

  private volatile long untilNanos;
  private volatile boolean hasEnded;

  private Lease(TimeSource time, long millis, long waitNanos) {
    long nowNanos = time.monotonicNanos();
    this.time = time;
    this.nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    this.isWaiting = waitNanos > 0;
    this.waitUntilNanos = nowNanos + waitNanos;
    this.untilNanos = nowNanos;
  }

  /**
   * Begins an ownership, whose open entry was applied just now.
   *
   * @param millis how long the lease is; 0 for none
   * @param earlierMillis the longest lease that may run of owners before; 0 for none
   */
  static Lease begin(TimeSource time, long millis, long earlierMillis) {
    long earlierNanos = TimeUnit.MILLISECONDS.toNanos(earlierMillis);
    long waitNanos = earlierNanos + earlierNanos / 10;
    Lease begun = new Lease(time, millis, waitNanos);
    if (waitNanos == 0) {
      begun.waited.complete(null);
    } else {
      time.schedule(waitNanos, begun::waitEnds);
    }
    return begun;
  }

  // ---------------------------------------------------------------- the leases of owners before

  /** Runs a task once the leases of the owners before are over; tasks run in their order. */
  void whenWaited(Runnable task) {
    lock.lock();
    try {
      if (isWaiting) {
        untold.add(task);
      } else {
        task.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Blocks until the leases of the owners before are over, or this one has ended. */
  void awaitWaited() {
    waited.join();
  }

  /** On the timer. */
  private void waitEnds() {
    long leftNanos = waitUntilNanos - time.monotonicNanos();
    if (leftNanos > 0) {
      time.schedule(leftNanos, this::waitEnds); // the timer was early
      return;
    }
    lock.lock();
    try {
      isWaiting = false;
      waited.complete(null);
      for (Runnable task = untold.poll(); task != null; task = untold.poll()) {
        task.run();
      }
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- the lease of this owner

  /** A group is accepted. Called in log order, once the owners before are waited for. */
  void extend(long proposedNanos) {
    untilNanos = proposedNanos + nanos;
  }

  /**
   * {@return whether the owner may answer what it has read before this was called}
   *
   * @param proofs takes listeners of proofs; asked when the lease is to go on
   */
  boolean isRunning(Consumer<DurabilityListener> proofs) {
    if (hasEnded) { // read first: an owner that releases the shard has ended its lease before
      return false;
    }
    long leftNanos = untilNanos - time.monotonicNanos();
    if (leftNanos > 0 && leftNanos < nanos / 2 && isAskedFor.compareAndSet(false, true)) {
      proofs.accept(_ -> isAskedFor.set(false));
    }
    return leftNanos > 0;
  }

  /** The owner answers nothing without a proof any more. */
  void end() {
    hasEnded = true;
    waited.complete(null);
  }
}
