package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.batch.WriteBacklog;
import dev.holdfast.backend.rocksdb.database.CheckpointCopy;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.database.DatabaseFiles;
import dev.holdfast.backend.rocksdb.database.RecoveryStart;
import dev.holdfast.backend.rocksdb.file.DatabaseFigures;
import dev.holdfast.backend.rocksdb.file.FlushedMark;
import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.backend.rocksdb.file.SpilledPairs;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageBackend.ObjectPresence;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.FilesCopy;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.statistics.RocksDbStatistics;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the key-value data of all objects in one RocksDB database. It does not support SQL.
 *
 * <p>A turn buffers its writes and seals them as one journal record. RocksDB's own log is off, and
 * RocksDB receives a batch only after the journal has made it durable, so it may flush at any time.
 * Until then the batch is served from memory. Recovery is described in {@code
 * docs/formats/rocksdb-batch.md}.
 *
 * <p>Reads that memory can answer run on the calling thread. A virtual thread never waits for the
 * disk in native code: it hands such reads to the {@link StorageThreads}. Back-pressure: when more
 * than {@link RocksDbOptions#pendingBytesMax} waits for the journal or for RocksDB, {@link
 * dev.holdfast.spi.StoreTurn#seal} waits before it appends. Thread-safe.
 */
public final class RocksDbBackend implements StorageBackend {

  /** Marks this backend's records in the journal. Never changes. */
  public static final int VIEW_ID = Batch.VIEW_ID;

  @Override
  public @Nullable ObjectPresence presenceIn(JournalRecord record) {
    if (record.viewId() != VIEW_ID || !record.kind().isBatch()) {
      return null;
    }
    CatalogChange change = Batch.decode(record.payload()).catalog();
    return change == null ? null : new ObjectPresence(change.exists(), change.name());
  }

  @Override
  public boolean givesUpAll(JournalRecord record) {
    return isGivenUpBy(record);
  }

  /** {@return whether a record says that an operator gave up the data of all objects} */
  static boolean isGivenUpBy(JournalRecord record) {
    return record.viewId() == VIEW_ID && record.kind() == RecordKind.NOTE;
  }

  /** The object of records that are about all. */
  private static final ObjectKey ALL_OBJECTS =
      new ObjectKey("", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  private static final byte GIVEN_UP_VERSION = 1;

  private final Database database;

  /** Null if nothing ties the database to its journal. */
  private final @Nullable RecoveryStart start;

  private final FlushedMark mark;
  private final long journalId;

  /** Held while the files are copied. */
  private final ReentrantLock copying = new ReentrantLock();

  private final Host host;
  private final SealedBatches sealed;
  private final WriteBacklog backlog = new WriteBacklog();
  private final Applier applier;

  /** Which namespaces keep an undo. Set before the first batch. */
  private volatile Predicate<String> undoKept = _ -> true;

  private final RocksDbCatalog catalog;
  private final SpilledPairs.Room roomForPast;
  private final AtomicLong images = new AtomicLong();

  /**
   * The resources of the backend. It uses them until it is closed, and closes none of them.
   *
   * @param journal takes the batches
   * @param threads run work that blocks
   * @param time the source of the delays
   */
  public record Host(Journal journal, StorageThreads threads, TimeSource time) {}

  /**
   * What ties a database to its journal.
   *
   * @param flushedMark the file beside the database that records how much of it was durable, in an
   *     existing directory
   * @param log the records of the journal, as it was opened
   */
  public record Binding(Path flushedMark, RecoveryLog log) {}

  private RocksDbBackend(Opened opened, Host host, RocksDbOptions options) {
    this.database = opened.database();
    this.start = opened.start();
    this.mark = opened.mark();
    this.journalId = opened.journalId();
    this.host = host;
    this.sealed = new SealedBatches(host.journal());
    this.applier =
        new Applier(
            new Applier.Target(database, opened.mark(), opened.journalId()),
            sealed,
            backlog,
            host,
            options);
    this.catalog = new RocksDbCatalog(database, applier, host.threads());
    Path directory = database.directory();
    this.roomForPast =
        new SpilledPairs.Room(
            directory,
            () ->
                directory.resolveSibling(
                    directory.getFileName() + DatabaseFiles.PAST_INFIX + images.incrementAndGet()),
            host.threads(),
            Math.min(options.pendingBytesMax() / 2, RocksDbBounds.PAST_BYTES_MAX));
  }

  private record Opened(
      Database database, FlushedMark mark, @Nullable RecoveryStart start, long journalId) {}

  /**
   * Opens the database in a directory, which is created if it does not exist. Nothing ties it to
   * its journal: an older copy in its place would be used. Blocks; not for virtual threads.
   *
   * @param directory the database's own directory; nothing else uses it
   * @param host the resources of the backend
   * @param options memory and delays
   * @return the backend, not yet recovered
   * @throws DataDirectoryException if RocksDB's library is missing or does not work on this
   *     platform; if the directory cannot be used, is damaged, belongs to another program, was
   *     written by a newer version, or is open elsewhere. Nothing is changed in these cases
   */
  public static RocksDbBackend open(Path directory, Host host, RocksDbOptions options) {
    NativeLibrary.load(directory);
    return new RocksDbBackend(
        new Opened(
            new DatabaseFiles(directory, options.bounds(), null).open(),
            new FlushedMark(null),
            null,
            Database.Found.NO_JOURNAL),
        host,
        options);
  }

  /**
   * Opens the database as {@link #open(Path, Host, RocksDbOptions)} does, and ties it to its
   * journal: a database that was removed, replaced by an older copy, or that belongs to another
   * journal is refused. If the journal still has everything that is missing, the database is
   * brought up to date from it instead, and a warning is logged. A warning is also logged if a
   * power cut has torn the file {@code MANIFEST} and the database was opened in its previous state.
   *
   * @param directory the database's own directory; nothing else uses it
   * @param binding ties it to its journal
   * @param host the resources of the backend
   * @param options memory and delays
   * @return the backend, not yet recovered
   * @throws DataDirectoryException as above; or if the database was removed, or the file is damaged
   */
  public static RocksDbBackend open(
      Path directory, Binding binding, Host host, RocksDbOptions options) {
    NativeLibrary.load(directory);
    FlushedMark mark = new FlushedMark(binding.flushedMark());
    RecoveryStart start = new RecoveryStart(directory, mark, binding.log());
    return new RocksDbBackend(
        new Opened(
            new DatabaseFiles(directory, options.bounds(), start).open(),
            mark,
            start,
            binding.log().journalId()),
        host,
        options);
  }

  @Override
  public void keepUndoOf(Predicate<String> namespaces) {
    undoKept = namespaces;
  }

  boolean keepsUndo(String namespace) {
    return undoKept.test(namespace);
  }

  @Override
  public int viewId() {
    return VIEW_ID;
  }

  /**
   * {@inheritDoc}
   *
   * @throws DataDirectoryException if the database is ahead of the journal, was replaced by one
   *     with less or belongs to another journal, if a record was written by a newer version, or if
   *     the database cannot be written
   */
  @Override
  public void recover(RecoveryLog log) {
    long applied = database.found().appliedPosition();
    if (start == null) {
      requireNotAhead(applied);
      redo(log, applied, log.firstPosition());
    } else {
      start.requireSameJournal(database.found());
      requireNotAhead(applied);
      if (start.isGivenUp()) {
        start.requireGivenUp(database.found());
        giveUp();
      } else {
        long after = start.after(database.found());
        redo(log, after, after + 1);
      }
    }
    applier.recovered();
    if (start != null) {
      start.requireMarked();
    }
  }

  /**
   * The record is none of any object's, so no past state can be proven over it; and a reader of the
   * journal from before it learns that the data is gone.
   */
  private void giveUp() {
    long position =
        host.journal()
            .append(
                RecordKind.NOTE,
                VIEW_ID,
                ALL_OBJECTS,
                ByteBuffer.wrap(new byte[] {GIVEN_UP_VERSION}));
    host.journal().awaitDurable(position);
    database.beginAt(position);
  }

  private void requireNotAhead(long applied) {
    if (applied > host.journal().lastPosition()) {
      throw new DataDirectoryException(
          database.directory(),
          "The RocksDB database holds changes up to journal position "
              + applied
              + ", but the journal ends at "
              + host.journal().lastPosition()
              + ". One of them was replaced: restore both from the same copy",
          null);
    }
  }

  private void redo(RecoveryLog log, long afterPosition, long fromPosition) {
    Redo redo = new Redo(database, applier, log, afterPosition);
    log.forEachFrom(
        fromPosition,
        (viewId, _) -> viewId == VIEW_ID || viewId == RecordKind.VOID_VIEW,
        redo::visit);
    redo.write();
  }

  @Override
  public long lowWaterMark() {
    return applier.lowWaterMark();
  }

  @Override
  public void checkpointBefore(long position) {
    applier.checkpointBefore(position);
  }

  @Override
  public FilesCopy beginCopy(BackupTarget target) {
    return new CheckpointCopy(target, database, mark, journalId, copying);
  }

  @Override
  public RocksDbStatistics statistics() {
    DatabaseFigures figures = database.figures();
    return new RocksDbStatistics(
        figures.memtableBytes(),
        sealed.sealedCount(),
        sealed.sealedBytes(),
        figures.tableBytes(),
        figures.blockCacheBytes(),
        figures.blockCacheHits(),
        figures.blockCacheMisses(),
        figures.flushedBytes(),
        figures.compactedBytes(),
        TimeUnit.MICROSECONDS.toNanos(figures.stallMicros()),
        applier.redoneBatches());
  }

  @Override
  public long[] bytes(List<ObjectKey> keys) {
    return catalog.bytes(keys);
  }

  @Override
  public ObjectCatalog catalog() {
    return catalog;
  }

  @Override
  public ObjectStore store(ObjectKey key) {
    return new RocksDbStore(this, key);
  }

  /**
   * Writes and flushes everything that is durable in the journal, waiting for the journal if it has
   * not failed, and closes the database. Batches that cannot be flushed are reported to the system
   * logger and stay in the journal: the low-water mark keeps them. Closing twice does nothing.
   */
  @Override
  public void close() {
    try {
      host.threads()
          .run(
              () -> {
                closeNow();
                return true;
              });
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("Closing threw a checked exception", e);
    }
  }

  private void closeNow() {
    // Includes records that others appended: otherwise the mark would hold them back, and opening
    // would read them.
    long last = host.journal().lastPosition();
    if (host.journal().failure() == null && host.journal().durablePosition() < last) {
      awaitDurable(last);
    }
    applier.close();
    database.close();
  }

  private void awaitDurable(long position) {
    try {
      host.journal().awaitDurable(position);
    } catch (JournalFailedException e) {
      System.getLogger("dev.holdfast")
          .log(
              System.Logger.Level.WARNING,
              "The journal failed while the RocksDB backend was closed; it keeps what is durable",
              e);
    }
  }

  /** {@return where earlier states of objects are stored} */
  SpilledPairs.Room roomForPast() {
    return roomForPast;
  }

  Database database() {
    return database;
  }

  Host host() {
    return host;
  }

  SealedBatches sealed() {
    return sealed;
  }

  RocksDbCatalog ownCatalog() {
    return catalog;
  }

  WriteBacklog backlog() {
    return backlog;
  }

  Applier applier() {
    return applier;
  }
}
