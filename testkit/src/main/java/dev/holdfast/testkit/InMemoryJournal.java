package dev.holdfast.testkit;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.testkit.DurabilityListeners.Pending;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A journal in memory, controlled by a test instead of a disk: the test decides when records become
 * durable, when the journal fails, and which records survive a crash.
 *
 * <p>A crash never harms the process: {@link #crash} ends this journal, as a power cut would, and
 * returns a new one that holds what was durable. Open the runtime again on that one.
 *
 * <p>Thread-safe. Listeners are called without a lock held, on the thread that settled their
 * position.
 */
public final class InMemoryJournal implements Journal, RecoveryLog {

  /** When a record becomes durable. */
  public enum Durability {
    /** As soon as it is appended: no caller ever waits. */
    ON_APPEND,
    /**
     * As soon as a caller or listener waits for it: one sync makes everything appended so far
     * durable, like the group commit of a real journal with an infinitely fast disk.
     */
    ON_WAIT,
    /**
     * Some time after a caller or listener waits for it, as with a real disk; see {@link
     * InMemoryJournal#withSyncTime}.
     */
    AFTER_SYNC,
    /** When the test calls {@link InMemoryJournal#makeDurable} or closes the journal. */
    MANUAL
  }

  private final Durability durability;
  private final TimeSource time;
  private final long syncNanos;
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when a record became durable, or the journal failed. */
  private final Condition settled = lock.newCondition();

  /** For tests: signalled when a record was appended, a caller waits, or the journal failed. */
  private final Condition activity = lock.newCondition();

  // Guarded by lock.
  private final JournalRecords records;
  private final DurabilityListeners listeners = new DurabilityListeners();
  private final List<FailureListener> failureListeners = new ArrayList<>();
  private long durablePosition;
  private long syncCount;
  private int waitingThreads;
  private @Nullable JournalFailedException failure;
  private boolean closed;
  private @Nullable RuntimeException refusal;
  private @Nullable Error breakage;

  /** Creates an empty journal with {@link Durability#ON_WAIT} and a clock that stands still. */
  public InMemoryJournal() {
    this(Durability.ON_WAIT);
  }

  /**
   * Creates an empty journal with a clock that stands still.
   *
   * @param durability when a record becomes durable; not {@link Durability#AFTER_SYNC}, which needs
   *     a clock that advances
   * @throws IllegalArgumentException if it is {@link Durability#AFTER_SYNC}
   */
  public InMemoryJournal(Durability durability) {
    this(durability, new VirtualClock());
  }

  /**
   * Creates an empty journal.
   *
   * @param durability when a record becomes durable; not {@link Durability#AFTER_SYNC}
   * @param time the clock of the records
   * @throws IllegalArgumentException if it is {@link Durability#AFTER_SYNC}
   */
  public InMemoryJournal(Durability durability, TimeSource time) {
    this(durability, time, 0, new JournalRecords());
    if (durability == Durability.AFTER_SYNC) {
      throw new IllegalArgumentException("Use withSyncTime to say how long a sync takes.");
    }
  }

  private InMemoryJournal(
      Durability durability, TimeSource time, long syncNanos, JournalRecords records) {
    this.durability = durability;
    this.time = time;
    this.syncNanos = syncNanos;
    this.records = records;
    this.durablePosition = records.last();
  }

  /**
   * Creates an empty journal whose syncs take time: a sync begins when a caller waits, and makes
   * the records durable that were appended before it began.
   *
   * @param time the clock of the syncs
   * @param syncTime the duration of each; zero or more
   * @return the journal
   * @throws ArithmeticException if a sync takes more than 292 years
   */
  public static InMemoryJournal withSyncTime(TimeSource time, Duration syncTime) {
    return new InMemoryJournal(
        Durability.AFTER_SYNC, time, syncTime.toNanos(), new JournalRecords());
  }

  @Override
  public long append(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events) {
    if (kind.isChained() != (link != null)) {
      throw new IllegalArgumentException(
          "A record of kind " + kind + " has " + (link == null ? "a" : "no") + " link.");
    }
    byte[] bytes = bytesOf(payload);
    byte[] eventBytes = events == null ? null : bytesOf(events);
    return append(
        () -> {
          if (eventBytes != null) {
            records.appendJoined(
                time.wallMillis(), RecordKind.CHECKPOINT, EVENTS_VIEW_ID, key, eventBytes);
          }
          return records.append(time.wallMillis(), kind, viewId, key, link, bytes);
        });
  }

  private static byte[] bytesOf(ByteBuffer payload) {
    byte[] bytes = new byte[payload.remaining()];
    payload.duplicate().get(bytes);
    return bytes;
  }

  private long append(LongSupplier added) {
    List<Pending> due = List.of();
    Error broken;
    long position;
    lock.lock();
    try {
      throwIfFailed();
      RuntimeException refused = refusal;
      refusal = null;
      if (refused != null) {
        throw refused;
      }
      position = added.getAsLong();
      activity.signalAll();
      if (durability == Durability.ON_APPEND) {
        due = sync(position);
      }
      broken = breakage;
      breakage = null;
    } finally {
      lock.unlock();
    }
    DurabilityListeners.settle(due, null);
    if (broken != null) {
      throw broken;
    }
    return position;
  }

  @Override
  public long lastPosition() {
    return locked(records::last);
  }

  @Override
  public long durablePosition() {
    return locked(() -> durablePosition);
  }

  /** Waits until the position is durable or the journal has failed; keeps the interrupt flag. */
  @Override
  public void awaitDurable(long position) {
    List<Pending> due = List.of();
    lock.lock();
    try {
      records.requireAppended(position);
      if (position > durablePosition) {
        throwIfFailed();
        due = wanted();
        waitingThreads++;
        activity.signalAll();
        while (position > durablePosition && failure == null) {
          settled.awaitUninterruptibly();
        }
        waitingThreads--;
        if (position > durablePosition) {
          throwIfFailed();
        }
      }
    } finally {
      lock.unlock();
    }
    DurabilityListeners.settle(due, null);
  }

  @Override
  public void whenDurable(long position, DurabilityListener listener) {
    List<Pending> due = List.of();
    JournalFailedException failed = null;
    boolean isSettled;
    lock.lock();
    try {
      records.requireAppended(position);
      isSettled = position <= durablePosition || failure != null;
      if (isSettled) {
        failed = position <= durablePosition ? null : failure;
      } else {
        listeners.add(position, listener);
        activity.signalAll();
        due = wanted();
      }
    } finally {
      lock.unlock();
    }
    if (isSettled) {
      listener.settled(failed);
    }
    DurabilityListeners.settle(due, null);
  }

  @Override
  public @Nullable RuntimeException failure() {
    return locked(() -> failure);
  }

  @Override
  public void onFailure(FailureListener listener) {
    JournalFailedException failed =
        locked(
            () -> {
              if (failure == null) {
                failureListeners.add(listener);
              }
              return closed ? null : failure;
            });
    if (failed != null) {
      listener.failed(failed);
    }
  }

  /** Makes all appended records durable, whatever the durability; appending afterwards fails. */
  @Override
  public void close() {
    DurabilityListeners.settle(
        locked(
            () -> {
              if (failure != null) {
                return List.of();
              }
              List<Pending> due = sync(records.last());
              failure = new JournalFailedException("The journal is closed.", null);
              closed = true;
              return due;
            }),
        null);
  }

  @Override
  public long firstPosition() {
    return locked(records::first);
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    locked(() -> records.upTo(durablePosition)).forEach(visitor::visit);
  }

  @Override
  public long journalId() {
    return locked(records::journalId);
  }

  /**
   * Makes records durable, as a sync would.
   *
   * @param position the last record to make durable; at most {@link #lastPosition}
   * @throws JournalFailedException if the journal has failed before
   */
  public void makeDurable(long position) {
    DurabilityListeners.settle(
        locked(
            () -> {
              records.requireAppended(position);
              throwIfFailed();
              return sync(records.wholeUpTo(position));
            }),
        null);
  }

  /**
   * Makes all appended records durable, as one sync would.
   *
   * @throws JournalFailedException if the journal has failed before
   */
  public void makeAllDurable() {
    makeDurable(lastPosition());
  }

  /**
   * Fails the journal permanently, as a disk error does: every waiter and listener for a record
   * that is not durable fails, and so does every later append. Has no effect on a journal that has
   * already failed.
   *
   * @param cause the disk error
   */
  public void fail(Exception cause) {
    JournalFailedException failed =
        new JournalFailedException("Injected failure of the journal.", cause);
    List<FailureListener> notified = new ArrayList<>();
    List<Pending> due =
        locked(
            () -> {
              if (failure != null) {
                return List.of();
              }
              failure = failed;
              settled.signalAll();
              activity.signalAll();
              notified.addAll(failureListeners);
              return listeners.take(Long.MAX_VALUE);
            });
    notified.forEach(listener -> listener.failed(failed));
    DurabilityListeners.settle(due, failed);
  }

  /**
   * Makes the next append fail without failing the journal, as when the disk has no room.
   *
   * @param refusal the exception of that append, such as a {@link
   *     dev.holdfast.errors.DataDirectoryException}; null removes the fault
   */
  public void refuseNextAppend(@Nullable RuntimeException refusal) {
    locked(() -> this.refusal = refusal);
  }

  /**
   * Makes the next append end with an error after the record was appended, as when memory or stack
   * runs out: the caller cannot know that the journal has the record.
   *
   * @param error the error of that append
   */
  public void breakAfterNextAppend(Error error) {
    locked(() -> breakage = error);
  }

  /**
   * Cuts the power: this journal fails, and records that were not durable are lost.
   *
   * @return the journal as found after the restart, with the same durability and clock
   * @throws IllegalStateException if the journal is {@link #forgetful}
   */
  public InMemoryJournal crash() {
    fail(new IllegalStateException("The power was cut."));
    return prefix(durablePosition());
  }

  /**
   * Returns a journal as found after a crash that left the records up to a position. This journal
   * does not change, so a test can check every possible crash.
   *
   * @param position the last record that survives; at least {@link #durablePosition} for a crash
   *     that can happen
   * @return a journal with the same durability and clock, all of it durable
   * @throws IllegalStateException if the journal is {@link #forgetful}
   * @throws IllegalArgumentException if no record was appended there, or later ones were trimmed
   */
  public InMemoryJournal prefix(long position) {
    return locked(
        () -> {
          records.requireAppended(position);
          return new InMemoryJournal(durability, time, syncNanos, records.prefix(position));
        });
  }

  /**
   * Drops the records before a position, as a journal deletes segments that no view needs.
   *
   * @param position the first record to keep; records that are not durable are always kept
   */
  public void trimBefore(long position) {
    locked(
        () -> {
          records.trimBefore(Math.min(position, durablePosition + 1));
          return this;
        });
  }

  /**
   * Keeps no records from now on, only positions: for tests of memory and speed, without recovery.
   *
   * @return this journal
   */
  public InMemoryJournal forgetful() {
    return locked(
        () -> {
          records.forgetAll();
          return this;
        });
  }

  /** {@return the number of syncs that made a record durable} */
  public long syncCount() {
    return locked(() -> syncCount);
  }

  /**
   * Returns the records in the journal, including those that are not durable.
   *
   * @return the records in the order of their positions; the payloads stay valid
   * @throws IllegalStateException if the journal is {@link #forgetful}
   */
  public List<JournalRecord> records() {
    return locked(() -> records.upTo(records.last()));
  }

  /**
   * Waits until other threads have appended records, so that a test can make them durable.
   *
   * @param position the record to wait for
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws JournalFailedException if the journal fails before that
   */
  public void awaitAppended(long position) throws InterruptedException {
    awaitActivity(() -> records.last() >= position);
  }

  /**
   * Waits until other threads wait for durability, blocked or with a listener.
   *
   * @param count the number of waiters to wait for
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws JournalFailedException if the journal fails before that
   */
  public void awaitWaiters(int count) throws InterruptedException {
    awaitActivity(() -> waitingThreads + listeners.count() >= count);
  }

  private void awaitActivity(BooleanSupplier happened) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!happened.getAsBoolean()) {
        throwIfFailed();
        activity.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private <T extends @Nullable Object> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Called when a caller waits: syncs, or begins a sync. Returns the listeners to call without the
   * lock.
   */
  private List<Pending> wanted() {
    return switch (durability) {
      case ON_APPEND, ON_WAIT -> sync(records.last());
      case AFTER_SYNC -> {
        long target = records.last();
        time.schedule(
            syncNanos,
            () ->
                DurabilityListeners.settle(
                    locked(() -> failure == null ? sync(target) : List.of()), null));
        yield List.of();
      }
      case MANUAL -> List.of();
    };
  }

  /** Moves the durable position. Returns the listeners to call after the lock is released. */
  private List<Pending> sync(long position) {
    if (position <= durablePosition) {
      return List.of();
    }
    durablePosition = position;
    syncCount++;
    settled.signalAll();
    return listeners.take(position);
  }

  /** Throws a new exception, so that its stack belongs to the thread that gets it. */
  private void throwIfFailed() {
    JournalFailedException first = failure;
    if (first != null) {
      throw new JournalFailedException(String.valueOf(first.getMessage()), first);
    }
  }
}
