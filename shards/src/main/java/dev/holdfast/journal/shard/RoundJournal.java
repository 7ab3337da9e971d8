package dev.holdfast.journal.shard;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.replica.Bases;
import dev.holdfast.journal.replica.LocalRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a shard for a round of a node that does not own it: the views recover what they
 * lack up to {@link #lastPosition}, save it, and are closed. Nothing is appended to the shard. What
 * the views record about their own files goes to the file {@code bases} of the node, and counts as
 * being directly after the last record: it is durable once {@link #awaitDurable} returns for that
 * position.
 *
 * <p>Thread-safe.
 */
public final class RoundJournal implements Journal {

  private final Bounds bounds;
  private final Bases before;
  private final Recorder recorder;
  private final IntPredicate isKept;
  private final ShardRecoveryLog recoveryLog;
  private final JournalHistory history;
  private final LongConsumer finished;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final List<LocalRecord> added = new ArrayList<>();
  private final List<FailureListener> listeners = new ArrayList<>();
  private boolean isChanged;
  private boolean isClosed;

  private volatile @Nullable JournalFailedException failure;

  /**
   * What a round reads.
   *
   * @param journalId the id of the journal
   * @param lowWaterMark the first position that the views need
   * @param end the last position
   * @param needed what the next round needs, whatever the views say; the largest long for nothing
   */
  record Bounds(long journalId, long lowWaterMark, long end, long needed) {}

  /**
   * Where the round leaves what it has.
   *
   * @param before what earlier rounds have left
   * @param recorder gets it
   * @param finished receives the low-water mark after the round, when all is durable
   */
  record Target(Bases before, Recorder recorder, LongConsumer finished) {}

  /** Records what the files of the node have. */
  interface Recorder {

    /** Makes it durable. */
    void record(Bases bases) throws IOException;
  }

  /**
   * @param isKept the views without files, all of whose records are kept
   */
  RoundJournal(
      Bounds bounds,
      Target target,
      IntPredicate isKept,
      ShardRecoveryLog recoveryLog,
      JournalHistory history) {
    this.bounds = bounds;
    this.before = target.before();
    this.recorder = target.recorder();
    this.finished = target.finished();
    this.isKept = isKept;
    this.recoveryLog = recoveryLog;
    this.history = history;
  }

  /** {@return the records that the files of this node may lack} */
  public RecoveryLog recoveryLog() {
    return recoveryLog;
  }

  /** {@return the history of every object} */
  public JournalHistory history() {
    return history;
  }

  /** {@return the history, as the files of this node have it: for views that repair them} */
  public JournalHistory ownHistory() {
    return recoveryLog.history();
  }

  /**
   * Ends the round: makes durable what the views have recorded, and then raises the low-water mark
   * of the node.
   *
   * @param views all of them, saved and closed
   * @return whether they have saved everything; if not, the next round reads it again
   * @throws JournalFailedException if that cannot be made durable; the next round repeats this one
   */
  public boolean finish(List<? extends JournalView> views) {
    // At most the end, so that the next reading has what was recorded in this round.
    long mark = Math.min(bounds.end(), bounds.needed());
    for (JournalView view : views) {
      mark = Math.min(mark, view.lowWaterMark());
    }
    lock.lock();
    try {
      isChanged = true; // the end of the round, if nothing else
      write(bounds.end());
      isClosed = true;
    } finally {
      lock.unlock();
    }
    finished.accept(mark);
    return mark == bounds.end();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if it would change an object: this node does not own the shard
   */
  @Override
  public long append(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events) {
    boolean isLocal = kind == RecordKind.CHECKPOINT || isKept.test(viewId);
    if (!isLocal || link != null || events != null) {
      throw notOwned();
    }
    lock.lock();
    try {
      throwIfFailed();
      if (isClosed) {
        throw new JournalFailedException("The round has ended.", null);
      }
      added.add(LocalRecord.of(bounds.end(), kind, viewId, key, payload));
      isChanged = true;
      return bounds.end();
    } finally {
      lock.unlock();
    }
  }

  private static IllegalStateException notOwned() {
    return new IllegalStateException("A node that does not own a shard changes no object of it.");
  }

  @Override
  public long lastPosition() {
    return bounds.end();
  }

  @Override
  public long durablePosition() {
    return bounds.end();
  }

  @Override
  public void awaitDurable(long position) {
    if (position < bounds.end()) {
      return;
    }
    lock.lock();
    try {
      write(before.end());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void whenDurable(long position, DurabilityListener listener) {
    RuntimeException failed = null;
    try {
      awaitDurable(position);
    } catch (JournalFailedException e) {
      failed = e;
    }
    listener.settled(failed);
  }

  /**
   * @param end of the last round that was finished
   */
  private void write(long end) {
    assert lock.isHeldByCurrentThread();
    throwIfFailed();
    if (!isChanged || isClosed) {
      return;
    }
    try {
      recorder.record(before.after(bounds.lowWaterMark(), end, added));
      isChanged = false;
    } catch (IOException e) {
      JournalFailedException failed =
          new JournalFailedException(
              "What the files of this node have cannot be recorded (" + e.getMessage() + ")", e);
      failure = failed;
      listeners.forEach(listener -> listener.failed(failed));
      throw failed;
    }
  }

  private void throwIfFailed() {
    JournalFailedException failed = failure;
    if (failed != null) {
      throw new JournalFailedException(String.valueOf(failed.getMessage()), failed);
    }
  }

  @Override
  public void requireOwnership() {
    throwIfFailed();
  }

  @Override
  public @Nullable RuntimeException failure() {
    return failure;
  }

  @Override
  public void onFailure(FailureListener listener) {
    JournalFailedException failed;
    lock.lock();
    try {
      listeners.add(listener);
      failed = failure;
    } finally {
      lock.unlock();
    }
    if (failed != null) {
      listener.failed(failed);
    }
  }

  /** Ends the round; without {@link #finish} the next one repeats it. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
    } finally {
      lock.unlock();
    }
  }
}
