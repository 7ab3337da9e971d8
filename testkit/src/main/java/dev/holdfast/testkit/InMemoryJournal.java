package dev.holdfast.testkit;

import dev.holdfast.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.TimeSource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A journal in memory, with a test in the place of the disk: the test decides when records become
 * durable, when the journal fails, and what a crash leaves.
 *
 * <p>A crash never harms the process: {@link #crash} ends this journal, as a power cut would, and
 * returns a new one that holds what was durable. Open the runtime again on that one.
 *
 * <p>Thread-safe. Listeners are called without a lock held, on the thread that settled them.
 */
public final class InMemoryJournal implements Journal, RecoveryLog {

  /** When a record becomes durable. */
  public enum Durability {
    /** As soon as it is appended: nothing ever waits. */
    ON_APPEND,
    /**
     * As soon as somebody waits for it or listens for it: one sync makes everything appended so far
     * durable, like the group commit of a real journal with an infinitely fast disk.
     */
    ON_WAIT,
    /** When the test calls {@link InMemoryJournal#makeDurable} or closes the journal. */
    MANUAL
  }

  private final Durability durability;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition settled = lock.newCondition();
  private final Condition activity = lock.newCondition();

  // Guarded by lock.
  private final List<Entry> entries;
  private final PriorityQueue<PendingListener> listeners =
      new PriorityQueue<>(
          Comparator.comparingLong(PendingListener::position)
              .thenComparingLong(PendingListener::number));

  /** How many records before the first of {@link #entries} were trimmed away. */
  private long trimmedCount;

  private long durablePosition;
  private long lastWallMillis;
  private long syncCount;
  private long listenersAdded;
  private int waitingThreads;
  private boolean forgetful;
  private @Nullable JournalFailedException failure;
  private @Nullable RuntimeException refusal;

  /** Creates an empty journal with {@link Durability#ON_WAIT} and a clock that stands still. */
  public InMemoryJournal() {
    this(Durability.ON_WAIT);
  }

  /**
   * Creates an empty journal with a clock that stands still.
   *
   * @param durability when a record becomes durable
   */
  public InMemoryJournal(Durability durability) {
    this(durability, new VirtualClock());
  }

  /**
   * Creates an empty journal.
   *
   * @param durability when a record becomes durable
   * @param time gives the records their wall clock
   */
  public InMemoryJournal(Durability durability, TimeSource time) {
    this(durability, time, new ArrayList<>(), 0);
  }

  private InMemoryJournal(
      Durability durability, TimeSource time, List<Entry> entries, long trimmedCount) {
    this.durability = durability;
    this.time = time;
    this.entries = entries;
    this.trimmedCount = trimmedCount;
    this.durablePosition = trimmedCount + entries.size();
    this.lastWallMillis = entries.isEmpty() ? Long.MIN_VALUE : entries.getLast().wallMillis();
  }

  @Override
  public long append(RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {
    byte[] bytes = new byte[payload.remaining()];
    payload.duplicate().get(bytes);
    List<PendingListener> due = List.of();
    long position;
    lock.lock();
    try {
      refuseIfToldTo();
      throwIfFailed();
      // The wall clock may go back; the times of records may not.
      lastWallMillis = Math.max(lastWallMillis, time.wallMillis());
      if (forgetful) {
        trimmedCount++;
      } else {
        entries.add(new Entry(lastWallMillis, kind, viewId, key, bytes));
      }
      position = last();
      if (durability == Durability.ON_APPEND) {
        due = sync(position);
      }
      activity.signalAll();
    } finally {
      lock.unlock();
    }
    settle(due, null);
    return position;
  }

  @Override
  public long lastPosition() {
    lock.lock();
    try {
      return last();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long durablePosition() {
    lock.lock();
    try {
      return durablePosition;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void awaitDurable(long position) {
    List<PendingListener> due = List.of();
    lock.lock();
    try {
      requireAppended(position);
      if (position > durablePosition) {
        throwIfFailed();
        if (durability == Durability.MANUAL) {
          awaitSettled(position);
        } else {
          due = sync(last());
        }
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

  @Override
  public void whenDurable(long position, DurabilityListener listener) {
    List<PendingListener> due = List.of();
    RuntimeException failed = null;
    lock.lock();
    try {
      requireAppended(position);
      if (position > durablePosition) {
        failed = failure;
        if (failed == null && durability == Durability.MANUAL) {
          listeners.add(new PendingListener(position, listenersAdded++, listener));
          activity.signalAll();
          return;
        }
        if (failed == null) {
          due = sync(last());
        }
      }
    } finally {
      lock.unlock();
    }
    settle(due, null);
    listener.settled(failed);
  }

  @Override
  public @Nullable RuntimeException failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }

  /** Makes everything appended durable, whatever the durability; appending afterwards fails. */
  @Override
  public void close() {
    List<PendingListener> due;
    lock.lock();
    try {
      if (failure != null) {
        return;
      }
      due = sync(last());
      failure = new JournalFailedException("The journal is closed.", null);
    } finally {
      lock.unlock();
    }
    settle(due, null);
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    List<Entry> snapshot;
    long firstPosition;
    lock.lock();
    try {
      requireRecords();
      snapshot = List.copyOf(entries.subList(0, (int) (durablePosition - trimmedCount)));
      firstPosition = trimmedCount + 1;
    } finally {
      lock.unlock();
    }
    for (int index = 0; index < snapshot.size(); index++) {
      visitor.visit(snapshot.get(index).toRecord(firstPosition + index));
    }
  }

  /**
   * Makes records durable, as a sync would.
   *
   * @param position the last record to make durable; at most {@link #lastPosition}
   * @throws JournalFailedException if the journal has failed before
   */
  public void makeDurable(long position) {
    List<PendingListener> due;
    lock.lock();
    try {
      requireAppended(position);
      throwIfFailed();
      due = sync(position);
    } finally {
      lock.unlock();
    }
    settle(due, null);
  }

  /** Makes everything appended durable, as one sync would. */
  public void makeAllDurable() {
    makeDurable(lastPosition());
  }

  /**
   * Fails the journal for good, as an error of the disk does: every waiter and listener of what is
   * not durable fails, and so does every further append. A journal that has already failed stays as
   * it is.
   *
   * @param cause the error of the disk
   */
  public void fail(Exception cause) {
    List<PendingListener> due;
    JournalFailedException failed;
    lock.lock();
    try {
      if (failure != null) {
        return;
      }
      failed = new JournalFailedException("Injected failure of the journal.", cause);
      failure = failed;
      due = new ArrayList<>();
      for (PendingListener next = listeners.poll(); next != null; next = listeners.poll()) {
        due.add(next);
      }
      settled.signalAll();
      activity.signalAll();
    } finally {
      lock.unlock();
    }
    settle(due, failed);
  }

  /**
   * Makes the next append fail without harm to the journal, as one that finds no room on the disk.
   *
   * @param refusal what that append throws, such as a {@link dev.holdfast.DataDirectoryException};
   *     null takes it back
   */
  public void refuseNextAppend(@Nullable RuntimeException refusal) {
    lock.lock();
    try {
      this.refusal = refusal;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Cuts the power: this journal fails, and what was not durable is gone.
   *
   * @return a journal as it is found after the restart, with the same durability and clock
   */
  public InMemoryJournal crash() {
    fail(new IllegalStateException("The power was cut."));
    return prefix(durablePosition());
  }

  /**
   * Returns a journal as it would be found after a crash that left the records up to a position.
   * This journal stays as it is, so a test can look at every crash that is possible.
   *
   * @param position the last record that is left; at least {@link #durablePosition} for a crash
   *     that can happen
   * @return a journal with the same durability and clock, all of it durable
   */
  public InMemoryJournal prefix(long position) {
    lock.lock();
    try {
      requireRecords();
      requireAppended(position);
      if (position < trimmedCount) {
        throw new IllegalArgumentException(
            "Records up to " + trimmedCount + " were trimmed: position=" + position);
      }
      List<Entry> kept = entries.subList(0, (int) (position - trimmedCount));
      return new InMemoryJournal(durability, time, new ArrayList<>(kept), trimmedCount);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Forgets the records before a position, as a journal deletes segments that no view needs.
   *
   * @param position the first record to keep; more than one past the durable position means the
   *     durable records only
   */
  public void trimBefore(long position) {
    lock.lock();
    try {
      long first = Math.min(position, durablePosition + 1);
      if (first - 1 > trimmedCount) {
        entries.subList(0, (int) (first - 1 - trimmedCount)).clear();
        trimmedCount = first - 1;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Keeps no records from now on, only positions: for tests of memory and speed, in which nothing
   * is recovered.
   *
   * @return this journal
   */
  public InMemoryJournal forgetful() {
    lock.lock();
    try {
      forgetful = true;
      trimmedCount = last();
      entries.clear();
      return this;
    } finally {
      lock.unlock();
    }
  }

  /** {@return how many syncs have made something durable} */
  public long syncCount() {
    lock.lock();
    try {
      return syncCount;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the records that are in the journal, those that are not durable included.
   *
   * @return in the order of their positions; the payloads stay valid
   */
  public List<JournalRecord> records() {
    lock.lock();
    try {
      List<JournalRecord> records = new ArrayList<>(entries.size());
      for (Entry entry : entries) {
        records.add(entry.toRecord(trimmedCount + records.size() + 1));
      }
      return records;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until other threads have appended records, so that a test can make them durable.
   *
   * @param position the record to wait for
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws JournalFailedException if the journal fails before
   */
  public void awaitAppended(long position) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (last() < position) {
        throwIfFailed();
        activity.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until other threads wait for durability, blocked or with a listener.
   *
   * @param count how many must wait
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws JournalFailedException if the journal fails before
   */
  public void awaitWaiters(int count) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waitingThreads + listeners.size() < count) {
        throwIfFailed();
        activity.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private long last() {
    return trimmedCount + entries.size();
  }

  /** Moves the durable position. Returns the listeners to call after the lock is released. */
  private List<PendingListener> sync(long position) {
    if (position <= durablePosition) {
      return List.of();
    }
    durablePosition = position;
    syncCount++;
    settled.signalAll();
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

  private void refuseIfToldTo() {
    RuntimeException told = refusal;
    if (told != null) {
      refusal = null;
      throw told;
    }
  }

  /** Throws a fresh exception, so that its stack is the one of the thread that gets it. */
  private void throwIfFailed() {
    JournalFailedException first = failure;
    if (first != null) {
      throw new JournalFailedException(String.valueOf(first.getMessage()), first);
    }
  }

  private void requireAppended(long position) {
    if (position < START || position > last()) {
      throw new IllegalArgumentException(
          "No record was appended at " + position + "; the last one is " + last());
    }
  }

  private void requireRecords() {
    if (forgetful) {
      throw new IllegalStateException("A forgetful journal has no records to recover from.");
    }
  }

  /** A record without its position, which is its index. */
  @SuppressWarnings("ArrayRecordComponent") // never compared, never changed
  private record Entry(
      long wallMillis, RecordKind kind, int viewId, ObjectKey key, byte[] payload) {

    JournalRecord toRecord(long position) {
      ByteBuffer readOnly = ByteBuffer.wrap(payload).asReadOnlyBuffer();
      return new JournalRecord(position, wallMillis, kind, viewId, key, readOnly);
    }
  }

  private record PendingListener(long position, long number, DurabilityListener listener) {}
}
