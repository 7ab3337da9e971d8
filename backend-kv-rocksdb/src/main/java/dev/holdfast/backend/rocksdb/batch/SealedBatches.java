package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the records of the journal that are not yet durable in the database. The order of
 * application, the low-water mark and back-pressure depend on it.
 *
 * <p>A batch passes through four states, and the low-water mark is the lowest position in any of
 * them:
 *
 * <ol>
 *   <li><em>appending</em>: its position is not known yet, but it cannot be lower than the one
 *       recorded before the append;
 *   <li><em>sealed</em>: in the journal, not in the database;
 *   <li><em>applied</em>: in the database's write buffers;
 *   <li><em>flushing</em>: in write buffers that a flush in progress makes durable. When that flush
 *       succeeds, the record is no longer needed.
 * </ol>
 *
 * <p>Appends of different objects end in any order: the append with position 9 may still be in
 * progress when the one with position 10 has ended and is durable. If 10 were applied then, {@code
 * applied=10} would be wrong for 9. So no batch at or above the lowest position that an append in
 * progress may get is returned.
 *
 * <p>Thread-safe.
 */
public final class SealedBatches {

  private static final long NONE = Long.MAX_VALUE;

  /** An append in progress. Guarded by the lock of its owner. */
  public static final class Append {
    private final ObjectKey key;
    private final long lowestPosition;
    private boolean ended;

    /** The append that came into doubt before this one. */
    private @Nullable Append doubtedBefore;

    private Append(ObjectKey key, long lowestPosition) {
      this.key = key;
      this.lowestPosition = lowestPosition;
    }
  }

  /**
   * Batches for the database.
   *
   * @param batches in the order of the journal; may be empty
   * @param position the position up to which, inclusive, the database has every batch once it has
   *     these; may be lower than the last of them
   */
  public record Durable(List<SealedBatch> batches, long position) {}

  private final Journal journal;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private final ArrayDeque<Append> appending = new ArrayDeque<>();
  private final PriorityQueue<SealedBatch> sealed =
      new PriorityQueue<>(Comparator.comparingLong(SealedBatch::position));

  /** Changed under the lock, as is the count: statistics read both without it. */
  private final AtomicLong sealedBytes = new AtomicLong();

  private volatile int sealedCount;
  private long lastSealedPosition = Journal.START;
  private long appliedFrom = NONE;
  private long flushingFrom = NONE;
  private int waitingThreads;
  private long doubtedFrom = NONE;
  private final PriorityQueue<Long> held = new PriorityQueue<>();

  /**
   * The appends that ended in doubt: a linked list that allocates no memory. Written under the
   * lock.
   */
  private volatile @Nullable Append lastDoubted;

  public SealedBatches(Journal journal) {
    this.journal = journal;
  }

  /**
   * Records that an append is about to begin. Must be followed by {@link #sealed}, {@link
   * #withdraw} or {@link #doubt}.
   */
  public Append beginAppend(ObjectKey key) {
    lock.lock();
    try {
      // Under the lock the recorded positions ascend, so the first is the lowest.
      Append append = new Append(key, journal.lastPosition() + 1);
      assert appending.isEmpty() || appending.getLast().lowestPosition <= append.lowestPosition;
      appending.addLast(append);
      return append;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Keeps the records that are appended from now on, as parts of a batch that will follow, until
   * that batch is flushed or {@link #release} is called.
   *
   * @return the lowest position that is kept
   */
  public long hold() {
    lock.lock();
    try {
      long position = journal.lastPosition() + 1;
      held.add(position);
      return position;
    } finally {
      lock.unlock();
    }
  }

  /** Stops keeping the records from a position on: no batch will follow. */
  public void release(long position) {
    lock.lock();
    try {
      held.remove(position);
    } finally {
      lock.unlock();
    }
  }

  /** Ends an append that wrote a batch. */
  public void sealed(Append append, SealedBatch batch) {
    lock.lock();
    try {
      sealed.add(batch);
      sealedBytes.addAndGet(batch.bytes());
      sealedCount = sealed.size();
      lastSealedPosition = Math.max(lastSealedPosition, batch.position());
      end(append);
    } finally {
      lock.unlock();
    }
  }

  /** Ends an append that failed, or whose record is not needed for a redo. */
  public void withdraw(Append append) {
    lock.lock();
    try {
      end(append);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends an append that failed with an error when the journal may already have the record, or when
   * this class or the readers of the batch have only part of it. The outcome is unknown until the
   * journal is read again: so the object is in doubt from now on, and the applied position of the
   * database and the low-water mark stay before the record. Later batches of other objects
   * continue; redoing them once more does no harm.
   *
   * <p>Allocates no memory: none may be available.
   */
  public void doubt(Append append) {
    lock.lock();
    try {
      append.doubtedBefore = lastDoubted;
      lastDoubted = append;
      if (!append.ended) {
        doubtedFrom = Math.min(doubtedFrom, append.lowestPosition);
        end(append);
      } // else the batch is recorded, may be applied, and needs no second redo
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether it is unknown what the journal has for an object} */
  public boolean isInDoubt(ObjectKey key) {
    Append doubted = lastDoubted;
    while (doubted != null && !doubted.key.equals(key)) {
      doubted = doubted.doubtedBefore;
    }
    return doubted != null;
  }

  private void end(Append append) {
    assert lock.isHeldByCurrentThread();
    if (append.ended) {
      return;
    }
    append.ended = true;
    for (Append first = appending.peekFirst();
        first != null && first.ended;
        first = appending.peekFirst()) {
      appending.removeFirst();
      changed.signalAll();
    }
  }

  /**
   * Returns batches that may be written to the database now, and does not remove them.
   *
   * @param durablePosition the durable position that the journal reported before this call
   * @param bytesMax the number of bytes after which to stop
   */
  public Durable durable(long durablePosition, long bytesMax) {
    lock.lock();
    try {
      Append first = appending.peekFirst();
      long limit =
          first == null ? durablePosition : Math.min(durablePosition, first.lowestPosition - 1);
      List<SealedBatch> batches = new ArrayList<>();
      long bytes = 0;
      try {
        while (bytes < bytesMax && hasSealedUpTo(limit)) {
          SealedBatch batch = sealed.element();
          bytes += batch.bytes();
          batches.add(batch); // before it is removed: memory may run out here
          sealed.remove();
        }
      } finally {
        // In every case: a batch that is not put back would never be applied, without any error.
        for (int i = 0; i < batches.size(); i++) {
          sealed.add(batches.get(i));
        }
      }
      boolean all = batches.isEmpty() || bytes < bytesMax;
      long position = all ? limit : batches.getLast().position();
      return new Durable(batches, Math.min(position, doubtedFrom - 1));
    } finally {
      lock.unlock();
    }
  }

  private boolean hasSealedUpTo(long position) {
    assert lock.isHeldByCurrentThread();
    SealedBatch first = sealed.peek();
    return first != null && first.position() <= position;
  }

  /** Records that batches are in the database, but not durable. */
  public void applied(Durable durable) {
    lock.lock();
    try {
      for (SealedBatch batch : durable.batches()) {
        // First the steps that may fail for lack of memory, and the mark before the batch is
        // released.
        long bytes = batch.bytes();
        appliedFrom = Math.min(appliedFrom, batch.neededFrom());
        if (batch.heldFrom() != 0) {
          held.remove(batch.heldFrom());
        }
        SealedBatch removed = sealed.remove();
        if (removed.position() != batch.position()) {
          throw new IllegalStateException(
              "Batch "
                  + batch.position()
                  + " was applied, but "
                  + removed.position()
                  + " is first");
        }
        long left = sealedBytes.addAndGet(-bytes);
        sealedCount = sealed.size();
        assert left >= 0 && (left == 0 || !sealed.isEmpty());
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Records that recovery has redone a batch. */
  public void redone(long position) {
    lock.lock();
    try {
      appliedFrom = Math.min(appliedFrom, position);
    } finally {
      lock.unlock();
    }
  }

  /** Records that everything applied so far is about to be flushed. One flush at a time. */
  public void beginFlush() {
    lock.lock();
    try {
      assert flushingFrom == NONE;
      flushingFrom = appliedFrom;
      appliedFrom = NONE;
    } finally {
      lock.unlock();
    }
  }

  /** Records the result of the flush. */
  public void endFlush(boolean durable) {
    lock.lock();
    try {
      if (!durable) {
        appliedFrom = Math.min(appliedFrom, flushingFrom);
      }
      flushingFrom = NONE;
    } finally {
      lock.unlock();
    }
  }

  /** {@return see {@link dev.holdfast.spi.JournalView#lowWaterMark}} */
  public long lowWaterMark() {
    lock.lock();
    try {
      Append append = appending.peekFirst();
      SealedBatch batch = sealed.peek();
      long pending =
          Math.min(
              append == null ? NONE : append.lowestPosition,
              batch == null ? NONE : batch.position());
      long mark = Math.min(Math.min(pending, doubtedFrom), Math.min(appliedFrom, flushingFrom));
      Long part = held.peek();
      return part == null ? mark : Math.min(mark, part);
    } finally {
      lock.unlock();
    }
  }

  /** {@return the position of the last batch sealed; {@link Journal#START} if there is none} */
  public long lastSealedPosition() {
    lock.lock();
    try {
      return lastSealedPosition;
    } finally {
      lock.unlock();
    }
  }

  /** {@return about how much memory the sealed batches take} */
  public long sealedBytes() {
    return sealedBytes.get();
  }

  /** {@return how many batches are sealed and not applied} */
  public int sealedCount() {
    return sealedCount;
  }

  /** {@return whether there is a sealed batch at or before a position} */
  public boolean hasDurable(long durablePosition) {
    lock.lock();
    try {
      return hasSealedUpTo(durablePosition);
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether threads wait in {@link #awaitRoom}} */
  public boolean hasWaiters() {
    lock.lock();
    try {
      return waitingThreads > 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the sealed batches take less memory than a bound. Interrupts do not end the wait.
   *
   * @param giveUp checked before each wait, and after each {@link #wakeWaiters}
   * @return whether there is room; false if the wait was given up
   */
  public boolean awaitRoom(long bytesMax, BooleanSupplier giveUp) {
    lock.lock();
    try {
      waitingThreads++;
      while (sealedBytes.get() >= bytesMax) {
        if (giveUp.getAsBoolean()) {
          return false;
        }
        changed.awaitUninterruptibly();
      }
      return true;
    } finally {
      waitingThreads--;
      lock.unlock();
    }
  }

  /**
   * Waits until no append in progress can get a position at or before another one. Ends, because
   * appends that begin meanwhile get later positions. Interrupts do not end the wait.
   *
   * @param position a position that the journal assigned before this call
   */
  public void awaitAppends(long position) {
    lock.lock();
    try {
      for (Append first = appending.peekFirst();
          first != null && first.lowestPosition <= position;
          first = appending.peekFirst()) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Makes the threads in {@link #awaitRoom} check whether to give up. */
  public void wakeWaiters() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
