package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.batch.WriteBacklog;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.file.FlushedMark;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * Writes batches to the database in journal order, once the journal has made them durable, and
 * flushes the database.
 *
 * <p>Runs in the background on the storage threads: when enough data is pending, after a delay,
 * when a thread waits for room, and when the journal asks for a checkpoint. It asks the journal to
 * sync only when a thread waits: callers that wait for their own batches sync anyway.
 *
 * <p>Thread-safe.
 */
final class Applier implements Redo.Receiver {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Database database;
  private final FlushedMark flushed;
  private final long journalId;
  private final SealedBatches sealed;
  private final WriteBacklog backlog;
  private final RocksDbBackend.Host host;
  private final RocksDbOptions options;

  private final AtomicBoolean runDue = new AtomicBoolean();
  private final AtomicBoolean flushDue = new AtomicBoolean();
  private final AtomicBoolean timerSet = new AtomicBoolean();

  /** Held by the one thread that writes to the database. */
  private final ReentrantLock applying = new ReentrantLock();

  /** Held by the one thread that flushes; taken before {@link #applying} if both are held. */
  private final ReentrantLock flushing = new ReentrantLock();

  // Guarded by applying.
  private long unflushedBytes;
  private int unflushedClears;

  /** The position up to which the database has every batch. */
  private long appliedPosition;

  private final LongAdder redoneBatches = new LongAdder();

  private volatile @Nullable Exception failure;
  private volatile boolean closed;

  /**
   * Whether recovery is complete: before that, the backend must not state a position for the
   * database. Guarded by flushing.
   */
  private boolean recovered;

  /**
   * The destination of the batches.
   *
   * @param database the database
   * @param flushed the file beside the database that records how much of it is durable
   * @param journalId the id of the journal that has the batches
   */
  record Target(Database database, FlushedMark flushed, long journalId) {}

  Applier(
      Target target,
      SealedBatches sealed,
      WriteBacklog backlog,
      RocksDbBackend.Host host,
      RocksDbOptions options) {
    this.database = target.database();
    this.flushed = target.flushed();
    this.journalId = target.journalId();
    this.appliedPosition = database.found().appliedPosition();
    this.sealed = sealed;
    this.backlog = backlog;
    this.host = host;
    this.options = options;
  }

  // ---------------------------------------------------------------- called by turns

  /**
   * Waits until there is room for another batch.
   *
   * @return null if there is room, or if the journal has failed, which the append reports;
   *     otherwise why the database takes no writes
   */
  @Nullable Exception awaitRoom() {
    assert !applying.isHeldByCurrentThread() && !flushing.isHeldByCurrentThread();
    if (sealed.sealedBytes() < options.pendingBytesMax()) {
      return null;
    }
    push();
    return sealed.awaitRoom(options.pendingBytesMax(), this::isStuck) ? null : failure;
  }

  private boolean isStuck() {
    return failure != null || closed || host.journal().failure() != null;
  }

  /** Makes the last batch durable and applies everything. */
  private void push() {
    Journal journal = host.journal();
    long last = sealed.lastSealedPosition();
    if (journal.failure() != null) {
      // Nothing becomes durable any more, so no run can make room: the append reports it to the
      // waiters.
      sealed.wakeWaiters();
    } else if (last > journal.durablePosition()) {
      journal.whenDurable(
          last,
          failed -> {
            if (failed != null) {
              sealed.wakeWaiters();
            } else {
              scheduleRun();
            }
          });
    } else {
      scheduleRun();
    }
  }

  /** Records that a batch was sealed, or that an append failed. */
  void appended() {
    if (sealed.hasWaiters()
        || (sealed.sealedBytes() >= RocksDbBounds.APPLIER_RUN_BYTES
            && sealed.hasDurable(host.journal().durablePosition()))) {
      scheduleRun();
    }
    setTimer(options.applyDelay().toNanos());
  }

  // ---------------------------------------------------------------- in the background

  private void setTimer(long delayNanos) {
    if (!closed && timerSet.compareAndSet(false, true)) {
      try {
        host.time()
            .schedule(
                delayNanos,
                () -> {
                  timerSet.set(false);
                  scheduleRun();
                });
      } catch (RuntimeException | Error e) {
        timerSet.set(false);
        throw e;
      }
    }
  }

  private void scheduleRun() {
    if (!closed) {
      host.threads().execute(runDue, this::run);
    }
  }

  private void run() {
    runDue.set(false);
    try {
      applyDurable();
    } catch (Error e) {
      setTimer(RocksDbBounds.RETRY_NANOS); // writers wait for it
      throw e;
    }
    if (sealed.lastSealedPosition() > 0 && sealed.sealedBytes() > 0) {
      goOn();
    }
  }

  /**
   * Continues with the batches that are left: not durable yet, held up by an append, or refused by
   * the database.
   */
  private void goOn() {
    if (failure != null) {
      setTimer(RocksDbBounds.RETRY_NANOS);
    } else if (sealed.hasWaiters()
        && sealed.lastSealedPosition() > host.journal().durablePosition()) {
      push();
    } else {
      setTimer(options.applyDelay().toNanos());
    }
  }

  /**
   * Writes every durable batch to the database. A failure is recorded, and the work is tried again
   * later.
   */
  void applyDurable() {
    applying.lock();
    try {
      if (closed) {
        return;
      }
      SealedBatches.Durable next = nextGroup();
      while (!next.batches().isEmpty()) {
        apply(next);
        next = nextGroup();
      }
      failure = null;
      if (unflushedBytes >= options.flushBytes() || unflushedClears >= RocksDbBounds.CLEARS_MAX) {
        scheduleFlush();
      }
    } catch (RocksDBException | RuntimeException e) {
      // Includes defects of this class: a thread that waits for room must not wait forever.
      refused(e);
    } finally {
      applying.unlock();
    }
  }

  /**
   * Returns when the database has every batch that is durable now, including batches held up by an
   * append in progress that may get an earlier position. Blocks.
   *
   * @throws DataDirectoryException if the database takes no writes
   */
  void awaitDurableApplied() throws Exception {
    long durablePosition = host.journal().durablePosition();
    applyOnStorageThread();
    while (sealed.hasDurable(durablePosition)) {
      Exception refused = failure;
      if (refused != null || closed) {
        throw new DataDirectoryException(
            database.directory(),
            "The RocksDB database takes no writes, and without them it is not up to date: "
                + (refused == null ? "it is closed" : refused.getMessage()),
            refused);
      }
      // Not on a storage thread: the append may wait for room in the journal, which the storage
      // threads make.
      sealed.awaitAppends(durablePosition);
      applyOnStorageThread();
    }
  }

  private void applyOnStorageThread() throws Exception {
    host.threads()
        .run(
            () -> {
              applyDurable();
              return Boolean.TRUE;
            });
  }

  private SealedBatches.Durable nextGroup() {
    assert applying.isHeldByCurrentThread();
    return sealed.durable(host.journal().durablePosition(), RocksDbBounds.APPLIED_GROUP_BYTES);
  }

  private void apply(SealedBatches.Durable group) throws RocksDBException {
    assert applying.isHeldByCurrentThread();
    assert group.position() >= appliedPosition;
    database.write(group.batches(), group.position(), journalId);
    appliedPosition = group.position();
    for (SealedBatch batch : group.batches()) {
      unflushedBytes += batch.bytes();
      unflushedClears += batch.clears() ? 1 : 0;
      // Only now: a reader that finds nothing pending must find the batch in the database.
      backlog.applied(batch);
    }
    sealed.applied(group);
  }

  private void refused(Exception e) {
    assert applying.isHeldByCurrentThread();
    if (failure == null) {
      LOG.log(
          Level.WARNING,
          "The RocksDB database in "
              + database.directory()
              + " takes no writes; they stay in the journal and in memory, and are tried again",
          e);
    }
    failure = e;
    sealed.wakeWaiters();
  }

  private void scheduleFlush() {
    if (!closed) {
      host.threads().execute(flushDue, this::flush);
    }
  }

  /** Applies and flushes, in the background, the batches of records before a position. */
  void checkpointBefore(long position) {
    if (!closed && lowWaterMark() < position) {
      host.threads()
          .execute(
              flushDue,
              () -> {
                try {
                  applyDurable();
                } finally {
                  flush(); // also clears what says that one is due: else there is none any more
                }
              });
    }
  }

  /**
   * Makes the contents of the database durable. A failure is logged; the journal has every batch.
   */
  private void flush() {
    assert !applying.isHeldByCurrentThread(); // it is taken after flushing
    flushing.lock();
    try {
      flushDue.set(false);
      // A journal without durable records has no id yet, and nothing has to be made durable.
      if (closed || !recovered || host.journal().durablePosition() == Journal.START) {
        return;
      }
      boolean durable = false;
      beginFlush();
      try {
        host.journal().requireOwnership();
        long position = passOver();
        database.flush();
        // Before the mark advances: then the journal may drop records whose data only the database
        // has.
        flushed.raiseTo(position, journalId);
        durable = true;
      } catch (RocksDBException | IOException | JournalFailedException e) {
        LOG.log(
            Level.WARNING,
            "The RocksDB database in " + database.directory() + " could not be flushed",
            e);
      } finally {
        sealed.endFlush(durable);
      }
    } finally {
      flushing.unlock();
    }
  }

  private void beginFlush() {
    assert flushing.isHeldByCurrentThread();
    applying.lock();
    try {
      sealed.beginFlush();
      unflushedBytes = 0;
      unflushedClears = 0;
    } finally {
      applying.unlock();
    }
  }

  /**
   * Writes the position up to which the database has every batch, even if the last records belong
   * to other views: otherwise the journal would keep them for a database without writes.
   *
   * @return the position up to which everything will be durable
   */
  private long passOver() throws RocksDBException {
    assert flushing.isHeldByCurrentThread();
    applying.lock();
    try {
      SealedBatches.Durable rest = nextGroup();
      if (rest.batches().isEmpty() && rest.position() > appliedPosition) {
        database.write(List.of(), rest.position(), journalId);
        appliedPosition = rest.position();
      }
      return appliedPosition;
    } finally {
      applying.unlock();
    }
  }

  /**
   * {@return the lowest position that the database needs} Never above the position after the
   * flushed mark: so a database that has less than the journal's mark is an older copy.
   */
  long lowWaterMark() {
    long needed = sealed.lowWaterMark();
    if (flushed.file() == null) {
      return needed;
    }
    long marked = flushed.position() + 1;
    if (needed == Long.MAX_VALUE
        && host.journal().durablePosition() - marked > RocksDbBounds.PASSED_RECORDS_MAX) {
      scheduleFlush(); // else an idle database would hold segments back until the journal asks
    }
    return Math.min(needed, marked);
  }

  // ---------------------------------------------------------------- opening and closing

  /** Writes the batches that recovery has read from the journal. Nothing else runs yet. */
  @Override
  public void redo(SealedBatches.Durable group) throws RocksDBException {
    applying.lock();
    try {
      database.write(group.batches(), group.position(), journalId);
      appliedPosition = group.position();
      for (SealedBatch batch : group.batches()) {
        unflushedBytes += batch.bytes();
        unflushedClears += batch.clears() ? 1 : 0;
        sealed.redone(batch.neededFrom());
      }
      redoneBatches.add(group.batches().size());
    } finally {
      applying.unlock();
    }
  }

  @Override
  public void redoPart(SealedBatch part) throws RocksDBException {
    applying.lock();
    try {
      database.writePart(part, appliedPosition, journalId);
      sealed.redone(part.neededFrom());
      unflushedBytes += part.bytes();
    } finally {
      applying.unlock();
    }
  }

  @Override
  public void redone(long position) {
    sealed.redone(position);
  }

  /** {@return how many batches {@link #redo} has written} */
  long redoneBatches() {
    return redoneBatches.sum();
  }

  /** Ends the recovery; {@link #redo} has written every batch that the database lacked. */
  void recovered() {
    flushing.lock();
    try {
      recovered = true;
      boolean isMarked = flushed.file() == null || flushed.state() == FlushedMark.State.CURRENT;
      if (!isMarked) {
        flush();
      }
    } finally {
      flushing.unlock();
    }
  }

  /** Applies the durable batches, flushes and stops; waits for work in progress. */
  void close() {
    applyDurable();
    flush();
    flushing.lock();
    applying.lock();
    try {
      closed = true;
    } finally {
      applying.unlock();
      flushing.unlock();
    }
    sealed.wakeWaiters();
  }

  /**
   * For tests: returns when every batch that can be applied is, and no flush is due or in progress.
   */
  void settle() {
    applyDurable();
    flushing.lock();
    try {
      if (flushDue.get()) {
        flush();
      }
    } finally {
      flushing.unlock();
    }
  }
}
