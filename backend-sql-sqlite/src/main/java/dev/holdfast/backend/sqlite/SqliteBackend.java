package dev.holdfast.backend.sqlite;

import dev.holdfast.HoldfastException;
import dev.holdfast.TimeSource;
import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.catalog.SqliteCatalog;
import dev.holdfast.backend.sqlite.database.BatchSealer;
import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.database.DatabaseCounters;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.past.DatabaseRestore;
import dev.holdfast.backend.sqlite.recovery.ObjectSurvey;
import dev.holdfast.backend.sqlite.recovery.Recovery;
import dev.holdfast.backend.sqlite.save.ClosingSave;
import dev.holdfast.backend.sqlite.save.FileChecks;
import dev.holdfast.backend.sqlite.save.FileRebuilder;
import dev.holdfast.backend.sqlite.save.Saver;
import dev.holdfast.backend.sqlite.save.SqliteFilesCopy;
import dev.holdfast.backend.sqlite.sql.Schemas;
import dev.holdfast.backend.sqlite.sql.SqlScripts;
import dev.holdfast.backend.sqlite.turn.SqliteStore;
import dev.holdfast.backend.sqlite.turn.TurnServices;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectFailureListener;
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
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.statistics.DatabaseStatistics;
import dev.holdfast.statistics.HistogramSnapshot;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stores each object in a separate SQLite database file. Key-value data is in a hidden table of the
 * same file, so one turn can mix both. No file is synced when a turn ends: the journal makes the
 * turn's batch durable, and the file follows.
 *
 * <p>Rules that keep files and journal in step:
 *
 * <ul>
 *   <li>Nothing reaches a database file before the journal has it durably. Commits go to the {@code
 *       -wal} file, which is copied into the database file only up to durable batches.
 *   <li>A {@code -wal} file is trusted only as long as the process that wrote it lives. One that is
 *       found when a database is opened is deleted.
 *   <li>The journal keeps an object's batches until the file is synced ({@link #lowWaterMark}).
 *       Each page that was written since then is whole in the first batch that has it, so a torn
 *       page is repaired.
 *   <li>A database has one user at a time: a turn, or a thread that saves or closes it.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class SqliteBackend implements StorageBackend {

  /** The view id of this backend's records. It never changes. */
  public static final int VIEW_ID = 1;

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Journal journal;
  private final StorageThreads threads;
  private final TimeSource time;
  private final @Nullable ObjectKey only;
  private final ObjectFiles files;
  private final SqliteLibrary library;
  private final Disk disk;
  private final Unsaved unsaved = new Unsaved();
  private final FileRebuilder rebuilder;
  private final SavedFiles saved;
  private final FileChecks checks;
  private final DatabaseCounters counters;
  private final DatabaseCache cache;
  private final Saver saver;
  private final SqliteCatalog catalog;
  private final BatchSealer sealer;

  /** Held while the files are copied. */
  private final ReentrantLock copying = new ReentrantLock();

  private final TurnServices services;

  /**
   * Creates the backend; touches no file. Call {@link #recover} before anything else.
   *
   * @param journal receives the batches
   * @param threads for native calls that may block; closed by its owner, after the backend
   * @param time what SQL reads; measures the time of statements, and schedules the reading of files
   * @param disk where the files are
   * @param options where on the disk, and how many may be open
   */
  public SqliteBackend(
      Journal journal, StorageThreads threads, TimeSource time, Disk disk, SqliteOptions options) {
    this(journal, threads, time, new Access(disk, SqliteLibrary.jdbc(time)), options);
  }

  /**
   * Creates the backend, and has its events recorded.
   *
   * @param journal receives the batches
   * @param threads for native calls that may block; closed by its owner, after the backend
   * @param time what SQL reads; measures the time of statements, and schedules the reading of files
   * @param disk where the files are
   * @param options where on the disk, and how many may be open
   * @param events receives saves and statements
   */
  public SqliteBackend(
      Journal journal,
      StorageThreads threads,
      TimeSource time,
      Disk disk,
      SqliteOptions options,
      StorageEvents events) {
    this(journal, threads, time, new Access(disk, SqliteLibrary.jdbc(time), events), options);
  }

  /**
   * Access to the files, with and without native code.
   *
   * @param disk makes them durable
   * @param library opens them
   * @param events receives what takes time there
   */
  record Access(Disk disk, SqliteLibrary library, StorageEvents events) {
    Access(Disk disk, SqliteLibrary library) {
      this(disk, library, StorageEvents.NONE);
    }
  }

  /** For tests, with another library. */
  SqliteBackend(
      Journal journal,
      StorageThreads threads,
      TimeSource time,
      Access access,
      SqliteOptions options) {
    this.journal = journal;
    this.threads = threads;
    this.time = time;
    this.only = options.only();
    this.files = new ObjectFiles(access.disk(), options.directory(), options.origin());
    this.library = access.library();
    this.disk = access.disk();
    this.catalog =
        new SqliteCatalog(
            new SqliteCatalog.Ports(journal, threads, library, access.disk(), VIEW_ID),
            options.directory().resolve("catalog.sqlite"));
    this.rebuilder = new FileRebuilder(access.disk(), files, VIEW_ID);
    this.saved =
        new SavedFiles(access.disk(), catalog, rebuilder, key -> unsaved.state(key) != null);
    this.counters = new DatabaseCounters(time, access.events());
    this.cache =
        new DatabaseCache(
            journal,
            threads,
            library,
            new DatabaseCache.Bounds(
                files, saved, unsaved, options.openDatabasesMax(), options.memoryBytesMax()),
            counters);
    this.saver =
        new Saver(
            new Saver.Ports(journal, VIEW_ID, threads, saved, catalog::saved, counters),
            files,
            unsaved,
            cache);
    this.checks = new FileChecks(threads, time, saved, cache);
    cache.onOpening(checks::opened);
    this.sealer = new BatchSealer(journal, VIEW_ID, unsaved, catalog);
    this.services =
        new TurnServices(
            journal,
            threads,
            cache,
            sealer,
            catalog,
            saver,
            new DatabaseRestore(journal, threads, cache, files, sealer),
            time,
            access.events(),
            new SqlScripts(),
            new Schemas());
    int unsavedMax = SqliteBounds.UNSAVED_PER_OPEN_MAX * options.openDatabasesMax();
    cache.onEviction(
        evicted -> {
          if (evicted.isSaveWanted() || unsaved.count() > unsavedMax) {
            saver.request(evicted.key());
          }
        });
  }

  /**
   * Sets the history from which damaged files are rebuilt; without it they are refused. Call it at
   * most once, before {@link #recover}.
   *
   * @param history the past of the objects
   */
  public void rebuildFrom(JournalHistory history) {
    rebuilder.use(history);
  }

  @Override
  public int viewId() {
    return VIEW_ID;
  }

  /**
   * {@inheritDoc}
   *
   * @throws DataDirectoryException if a directory cannot be created, a file cannot be written, or a
   *     record cannot be read
   */
  @Override
  public void recover(RecoveryLog log) {
    boolean isNew;
    try {
      files.ensureRoot();
      isNew = !files.hasAny();
    } catch (IOException e) {
      throw new DataDirectoryException(
          files.root(), "The directory of the databases cannot be made; check the disk", e);
    }
    warnOfUntestedVersion();
    boolean hasCatalog = catalog.isThere();
    Recovery recovery =
        new Recovery(
            disk,
            files,
            VIEW_ID,
            unsaved,
            cache,
            rebuilder,
            key -> hasCatalog ? catalog.savedState(key) : null,
            hasCatalog || isNew,
            only);
    ObjectSurvey objects =
        new ObjectSurvey(
            files, library, rebuilder, unsaved, recovery::lacksParts, journal::lastPosition);
    Marks marks = recovery.findBases(log);
    if (hasCatalog || isNew) { // new, but not its journal: restored from an archive
      catalog.open(objects, marks);
      recovery.redo(log, saved, this::redoCatalog);
    } else {
      // After the files, from which it is rebuilt; before the records, which are newer.
      recovery.redo(log, saved, _ -> {});
      catalog.open(objects, marks);
      log.forEach((view, _) -> view == VIEW_ID, this::redoCatalog);
    }
    counters.redone(recovery.redoneBatches());
    long afterNanos = journal.savedAfterNanos();
    if (afterNanos == 0) {
      saver.saveBefore(Long.MAX_VALUE);
    } else {
      time.schedule(afterNanos, this::saveSoon);
    }
  }

  /** Not on the thread of the timers: there may be many objects. */
  private void saveSoon() {
    try {
      threads.execute(() -> saver.saveBefore(Long.MAX_VALUE));
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The runtime is closed, and saves nothing more.", e);
    }
  }

  /** An application's dependency management may have silently replaced the driver. */
  private void warnOfUntestedVersion() {
    String untested = library.untestedVersion();
    if (untested != null) {
      LOG.log(
          Level.WARNING,
          "{0}: the guard of SQL and the counts of rows depend on the version. Set the version of"
              + " org.xerial:sqlite-jdbc in the dependency management of the application.",
          untested);
    }
  }

  @Override
  public @Nullable ObjectPresence presenceIn(JournalRecord record) {
    if (record.viewId() != VIEW_ID || !record.kind().isBatch()) {
      return null;
    }
    CatalogChange change = new BatchReader(record.payload()).catalogChange();
    return change == null ? null : new ObjectPresence(change.exists(), change.name());
  }

  private void redoCatalog(JournalRecord record) {
    if (record.viewId() == VIEW_ID
        && record.kind() == RecordKind.CHECKPOINT
        && !Mark.isMark(record)) {
      catalog.saved(record.position(), record.key(), SavedState.decode(record.payload()));
    }
    if (record.viewId() == VIEW_ID && record.kind().isBatch()) {
      CatalogChange change = new BatchReader(record.payload()).catalogChange();
      if (change != null) {
        catalog.redo(record.position(), record.key(), change);
      }
    }
  }

  @Override
  public long lowWaterMark() {
    return Math.min(unsaved.lowestPosition(), catalog.lowestPosition());
  }

  @Override
  public void checkpointBefore(long position) {
    saver.saveBefore(position);
    catalog.saveBefore(position);
  }

  @Override
  public FilesCopy beginCopy(BackupTarget target) {
    return new SqliteFilesCopy(
        new SqliteFilesCopy.Files(files, catalog, unsaved, saver), target, copying);
  }

  @Override
  public DatabaseStatistics statistics() {
    HistogramSnapshot openings = counters.openingNanos();
    long closings = Math.min(counters.closings(), openings.count());
    return new DatabaseStatistics(
        openings.count() - closings,
        openings,
        closings,
        counters.saveNanos(),
        unsaved.count(),
        Math.max(0, journal.durablePosition() + 1 - unsaved.lowestPosition()),
        saver.lagNanos(),
        counters.redoneBatches());
  }

  @Override
  public long[] bytes(List<ObjectKey> keys) {
    List<@Nullable SavedState> states = catalog.savedStates(keys);
    long[] bytes = new long[keys.size()];
    for (int each = 0; each < bytes.length; each++) {
      SavedState state = states.get(each);
      bytes[each] =
          state != null ? state.fileBytes() : files.database(keys.get(each)).toFile().length();
    }
    return bytes;
  }

  @Override
  public ObjectCatalog catalog() {
    return catalog;
  }

  @Override
  public ObjectStore store(ObjectKey key) {
    return store(key, SqlLimits.DEFAULT);
  }

  @Override
  public ObjectStore store(ObjectKey key, SqlLimits limits) {
    return new SqliteStore(services, key, limits);
  }

  /** Once for all: the catalog is written again as a whole. */
  @Override
  public void eraseRemains(Collection<ObjectKey> keys) {
    saver.saveBefore(Long.MAX_VALUE);
    awaitIdle(); // what is saved now is in the catalog before it is written
    keys.forEach(cache::eraseRemains);
    catalog.eraseRemains();
  }

  @Override
  public long refusedObjects() {
    return cache.unusableCount();
  }

  @Override
  public long saveLagNanos() {
    return saver.lagNanos();
  }

  @Override
  public boolean isOpening(ObjectKey key) {
    return cache.isOpening(key);
  }

  @Override
  public void keepUndoOf(Predicate<String> namespaces) {
    sealer.keepUndoOf(namespaces);
  }

  @Override
  public void onObjectFailure(ObjectFailureListener listener) {
    cache.onObjectFailure(listener);
  }

  /** Waits until nothing is being saved in the background. */
  void awaitIdle() {
    saver.awaitIdle();
    catalog.awaitIdle();
  }

  /**
   * Accepts the file of an object, which is not open, as saved.
   *
   * <p>For tests that put files in place.
   */
  void adopt(ObjectKey key) throws IOException {
    SavedState state = PageFile.sums(disk, files.database(key)).save(journal.lastPosition());
    long position = journal.append(RecordKind.CHECKPOINT, VIEW_ID, key, state.encode());
    catalog.saved(position, key, state);
  }

  @Override
  public void close() {
    saver.close();
    if (journal.isSavedAtClose() && isJournalWhole()) {
      new ClosingSave(cache, saver, unsaved, saved).run(threads);
      forgetRedoPages();
    }
    catalog.close();
    // The remaining databases could not be saved. The journal has everything that may be kept.
    for (OpenDatabase database : cache.all()) {
      try {
        database.abandon();
      } catch (IOException | SqliteException | RuntimeException e) {
        LOG.log(Level.WARNING, () -> "Closing " + database.file() + " failed.", e);
      }
      cache.remove(database);
    }
    library.close();
  }

  private void forgetRedoPages() {
    try {
      if (unsaved.count() == 0) {
        Recovery.saved(disk, files);
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Pages that are not needed any more were not deleted.", e);
    }
  }

  private boolean isJournalWhole() {
    if (journal.failure() != null) {
      return false;
    }
    try {
      journal.requireOwnership(); // another runtime may own the files by now
      journal.awaitDurable(journal.lastPosition());
      return true;
    } catch (HoldfastException e) {
      LOG.log(Level.DEBUG, "The journal failed before the SQLite files could be saved.", e);
      return false;
    }
  }
}
