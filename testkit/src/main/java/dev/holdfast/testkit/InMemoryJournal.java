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
import java.time.Duration;
import java.util.List;
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
    /**
     * When a sync of some length has ended that began after the append, as with a real disk; see
     * {@link InMemoryJournal#withSyncTime}.
     */
    AFTER_SYNC,
    /** When the test calls {@link InMemoryJournal#makeDurable} or closes the journal. */
    MANUAL
  }

  private final Durability durability;
  private final TimeSource time;
  private final long syncNanos;
  private final JournalRecords records; // guarded by the lock of the commit
  private final InMemoryCommit commit;

  // Guarded by the lock of the commit.
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
   *     a clock that moves
   */
  public InMemoryJournal(Durability durability) {
    this(durability, new VirtualClock());
  }

  /**
   * Creates an empty journal.
   *
   * @param durability when a record becomes durable; not {@link Durability#AFTER_SYNC}
   * @param time gives the records their wall clock
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
    this.commit = new InMemoryCommit(records, durability, time, syncNanos);
  }

  /**
   * Creates an empty journal whose syncs take time, one after the other: a sync begins when
   * somebody waits and none is under way, and makes durable what was appended before it began.
   *
   * @param time the clock of the syncs
   * @param syncTime how long each takes; zero or more
   * @return the journal
   */
  public static InMemoryJournal withSyncTime(TimeSource time, Duration syncTime) {
    return new InMemoryJournal(
        Durability.AFTER_SYNC, time, syncTime.toNanos(), new JournalRecords());
  }

  @Override
  public long append(RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {
    byte[] bytes = new byte[payload.remaining()];
    payload.duplicate().get(bytes);
    long position =
        commit.append(
            () -> {
              refuseIfToldTo();
              return records.append(time.wallMillis(), kind, viewId, key, bytes);
            });
    breakIfToldTo();
    return position;
  }

  @Override
  public long lastPosition() {
    return commit.locked(records::last);
  }

  @Override
  public long durablePosition() {
    return commit.durablePosition();
  }

  @Override
  public void awaitDurable(long position) {
    commit.awaitDurable(position);
  }

  @Override
  public void whenDurable(long position, DurabilityListener listener) {
    commit.whenDurable(position, listener);
  }

  @Override
  public @Nullable RuntimeException failure() {
    return commit.failure();
  }

  @Override
  public void onFailure(FailureListener listener) {
    commit.onFailure(listener);
  }

  /** Makes everything appended durable, whatever the durability; appending afterwards fails. */
  @Override
  public void close() {
    commit.close();
  }

  @Override
  public long firstPosition() {
    return commit.locked(records::first);
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    long durable = durablePosition();
    commit.locked(() -> records.upTo(durable)).forEach(visitor::visit);
  }

  @Override
  public long journalId() {
    return commit.locked(records::journalId);
  }

  /**
   * Makes records durable, as a sync would.
   *
   * @param position the last record to make durable; at most {@link #lastPosition}
   * @throws JournalFailedException if the journal has failed before
   */
  public void makeDurable(long position) {
    commit.makeDurable(position);
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
    commit.fail(new JournalFailedException("Injected failure of the journal.", cause));
  }

  /**
   * Makes the next append fail without harm to the journal, as one that finds no room on the disk.
   *
   * @param refusal what that append throws, such as a {@link dev.holdfast.DataDirectoryException};
   *     null takes it back
   */
  public void refuseNextAppend(@Nullable RuntimeException refusal) {
    commit.locked(() -> this.refusal = refusal);
  }

  /**
   * Lets the next append end with an error after the record was appended, as one that finds no
   * memory or no stack: the caller cannot know that the journal has it.
   *
   * @param error what that append throws
   */
  public void breakAfterNextAppend(Error error) {
    commit.locked(() -> breakage = error);
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
    return commit.locked(
        () -> {
          commit.requireAppended(position);
          return new InMemoryJournal(durability, time, syncNanos, records.prefix(position));
        });
  }

  /**
   * Forgets the records before a position, as a journal deletes segments that no view needs.
   *
   * @param position the first record to keep; what is not durable is kept in any case
   */
  public void trimBefore(long position) {
    long durable = durablePosition();
    commit.locked(
        () -> {
          records.trimBefore(Math.min(position, durable + 1));
          return this;
        });
  }

  /**
   * Keeps no records from now on, only positions: for tests of memory and speed, in which nothing
   * is recovered.
   *
   * @return this journal
   */
  public InMemoryJournal forgetful() {
    return commit.locked(
        () -> {
          records.forgetAll();
          return this;
        });
  }

  /** {@return how many syncs have made something durable} */
  public long syncCount() {
    return commit.syncCount();
  }

  /**
   * Returns the records that are in the journal, those that are not durable included.
   *
   * @return in the order of their positions; the payloads stay valid
   */
  public List<JournalRecord> records() {
    return commit.locked(() -> records.upTo(records.last()));
  }

  /**
   * Waits until other threads have appended records, so that a test can make them durable.
   *
   * @param position the record to wait for
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws JournalFailedException if the journal fails before
   */
  public void awaitAppended(long position) throws InterruptedException {
    commit.awaitAppended(position);
  }

  /**
   * Waits until other threads wait for durability, blocked or with a listener.
   *
   * @param count how many must wait
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws JournalFailedException if the journal fails before
   */
  public void awaitWaiters(int count) throws InterruptedException {
    commit.awaitWaiters(count);
  }

  private void refuseIfToldTo() {
    RuntimeException told = refusal;
    if (told != null) {
      refusal = null;
      throw told;
    }
  }

  private void breakIfToldTo() {
    Error told = commit.locked(this::takeBreakage);
    if (told != null) {
      throw told;
    }
  }

  private @Nullable Error takeBreakage() {
    Error told = breakage;
    breakage = null;
    return told;
  }
}
