package dev.holdfast.testkit;

import dev.holdfast.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.Journal.DurabilityListener;
import dev.holdfast.spi.Journal.FailureListener;
import dev.holdfast.spi.TimeSource;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The group commit of an {@link InMemoryJournal}: who waits for which position, and up to which all
 * is durable. Its lock guards the records too.
 *
 * <p>Thread-safe. Listeners are called without the lock held, on the thread that settled them.
 */
final class InMemoryCommit {

  private final JournalRecords records;
  private final Durability durability;
  private final TimeSource time;
  private final long syncNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition settled = lock.newCondition();
  private final Condition activity = lock.newCondition();

  // Guarded by lock.
  private final PriorityQueue<PendingListener> listeners =
      new PriorityQueue<>(
          Comparator.comparingLong(PendingListener::position)
              .thenComparingLong(PendingListener::number));
  private long durablePosition;
  private long syncCount;
  private boolean syncing;
  private long listenersAdded;
  private int waitingThreads;
  private @Nullable JournalFailedException failure;
  private boolean closed;
  private final List<FailureListener> failureListeners = new ArrayList<>();

  private record PendingListener(long position, long number, DurabilityListener listener) {}

  /**
   * Creates it for records that are all durable.
   *
   * @param records what the journal has
   * @param durability when a record becomes durable
   * @param time the clock of the syncs
   * @param syncNanos how long each takes
   */
  InMemoryCommit(JournalRecords records, Durability durability, TimeSource time, long syncNanos) {
    this.records = records;
    this.durability = durability;
    this.time = time;
    this.syncNanos = syncNanos;
    this.durablePosition = records.last();
  }

  /** Does something with the records. */
  <T extends @Nullable Object> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a record.
   *
   * @param append adds it under the lock and returns its position; may throw instead
   */
  long append(LongSupplier append) {
    List<PendingListener> due = new ArrayList<>();
    long position =
        locked(
            () -> {
              throwIfFailed();
              activity.signalAll();
              long appended = append.getAsLong();
              if (durability == Durability.ON_APPEND) {
                due.addAll(sync(appended));
              }
              return appended;
            });
    settle(due, null);
    return position;
  }

  long durablePosition() {
    return locked(() -> durablePosition);
  }

  long syncCount() {
    return locked(() -> syncCount);
  }

  @Nullable JournalFailedException failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }

  // ---- Who waits --------------------------------------------------------------------------

  void awaitDurable(long position) {
    List<PendingListener> due = new ArrayList<>();
    lock.lock();
    try {
      requireAppended(position);
      if (position > durablePosition) {
        throwIfFailed();
        due.addAll(wanted());
        awaitSettled(position);
      }
    } finally {
      lock.unlock();
    }
    settle(due, null);
  }

  /** Waits until the position is durable or the journal has failed; keeps the interrupt flag. */
  private void awaitSettled(long position) {
    waitingThreads++;
    activity.signalAll();
    try {
      while (position > durablePosition && failure == null) {
        settled.awaitUninterruptibly();
      }
    } finally {
      waitingThreads--;
    }
    if (position > durablePosition) {
      throwIfFailed();
    }
  }

  void whenDurable(long position, DurabilityListener listener) {
    List<PendingListener> due = new ArrayList<>();
    RuntimeException failed = null;
    lock.lock();
    try {
      requireAppended(position);
      if (position > durablePosition) {
        failed = failure;
      }
      if (position > durablePosition && failed == null) {
        listeners.add(new PendingListener(position, listenersAdded++, listener));
        activity.signalAll();
        due.addAll(wanted());
      } else {
        due.add(new PendingListener(position, listenersAdded++, listener));
      }
    } finally {
      lock.unlock();
    }
    settle(due, failed);
  }

  /** For tests: waits until a record was appended. */
  void awaitAppended(long position) throws InterruptedException {
    awaitActivity(() -> records.last() >= position);
  }

  /** For tests: waits until so many wait, blocked or with a listener. */
  void awaitWaiters(int count) throws InterruptedException {
    awaitActivity(() -> waitingThreads + listeners.size() >= count);
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

  // ---- What becomes durable ---------------------------------------------------------------

  void makeDurable(long position) {
    settle(
        locked(
            () -> {
              requireAppended(position);
              throwIfFailed();
              return sync(position);
            }),
        null);
  }

  /** Makes everything durable and ends the journal. */
  void close() {
    settle(
        locked(
            () -> {
              if (failure != null) {
                return List.of();
              }
              List<PendingListener> due = sync(records.last());
              failure = new JournalFailedException("The journal is closed.", null);
              closed = true;
              return due;
            }),
        null);
  }

  void onFailure(FailureListener listener) {
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

  /** Ends the journal with what is durable; the first failure counts. */
  void fail(JournalFailedException failed) {
    List<FailureListener> told = new ArrayList<>();
    List<PendingListener> due =
        locked(
            () -> {
              if (failure != null) {
                return List.of();
              }
              failure = failed;
              settled.signalAll();
              activity.signalAll();
              told.addAll(failureListeners);
              return takeListeners(Long.MAX_VALUE);
            });
    told.forEach(listener -> listener.failed(failed));
    settle(due, failed);
  }

  /** Somebody waits: syncs, or begins to. Returns the listeners to call without the lock. */
  private List<PendingListener> wanted() {
    return switch (durability) {
      case ON_APPEND, ON_WAIT -> sync(records.last());
      case AFTER_SYNC -> {
        beginSync();
        yield List.of();
      }
      case MANUAL -> List.of();
    };
  }

  private void beginSync() {
    if (!syncing) {
      syncing = true;
      long target = records.last();
      time.schedule(syncNanos, () -> endSync(target));
    }
  }

  private void endSync(long target) {
    settle(
        locked(
            () -> {
              syncing = false;
              if (failure != null) {
                return List.of();
              }
              List<PendingListener> due = sync(target);
              if (waitingThreads + listeners.size() > 0 && records.last() > target) {
                beginSync();
              }
              return due;
            }),
        null);
  }

  /** Moves the durable position. Returns the listeners to call after the lock is released. */
  private List<PendingListener> sync(long position) {
    if (position <= durablePosition) {
      return List.of();
    }
    durablePosition = position;
    syncCount++;
    settled.signalAll();
    return takeListeners(position);
  }

  private List<PendingListener> takeListeners(long position) {
    List<PendingListener> due = new ArrayList<>();
    while (!listeners.isEmpty() && listeners.element().position() <= position) {
      due.add(listeners.remove());
    }
    return due;
  }

  private static void settle(List<PendingListener> due, @Nullable RuntimeException failed) {
    for (PendingListener pending : due) {
      pending.listener().settled(failed);
    }
  }

  /** Throws a fresh exception, so that its stack is the one of the thread that gets it. */
  private void throwIfFailed() {
    JournalFailedException first = failure;
    if (first != null) {
      throw new JournalFailedException(String.valueOf(first.getMessage()), first);
    }
  }

  /** Throws unless there is, or was, a record at the position. Called under the lock. */
  void requireAppended(long position) {
    if (position < Journal.START || position > records.last()) {
      throw new IllegalArgumentException(
          "No record was appended at " + position + "; the last one is " + records.last());
    }
  }
}
