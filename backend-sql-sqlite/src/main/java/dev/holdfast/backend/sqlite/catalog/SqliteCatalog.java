package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.catalog.CatalogDatabase.Found;
import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.file.SavedStates;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.catalog.CatalogBacklog;
import dev.holdfast.spi.catalog.CatalogBacklog.Waiting;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The directory of the objects that have a SQLite database, and the index of their alarms.
 *
 * <p>A change of the catalog costs a turn a few bytes in its batch and an entry in a queue. The
 * database follows in the background, many changes in one transaction, once they are durable in the
 * journal, and on demand. It is synced rarely: when the journal wants to drop its segments, and at
 * the close. After a crash, missing changes come from the journal.
 *
 * <p>Thread-safe.
 */
public final class SqliteCatalog implements ObjectCatalog, SavedStates, AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /**
   * The number of changes that is worth a transaction. Many objects postpone their alarm again and
   * again: the more changes wait, the more of them are outdated before they are written.
   */
  private static final int WAITING_MAX = 4_000;

  private static final int SQLITE_NOTADB = 26;

  private final Ports ports;
  private final Path file;
  private final CatalogErrors errors;
  private final CatalogBacklog backlog = new CatalogBacklog();
  private final SavedBacklog states = new SavedBacklog();
  private final AtomicBoolean applyDue = new AtomicBoolean();
  private final AtomicBoolean saveDue = new AtomicBoolean();
  private final AtomicBoolean markDue = new AtomicBoolean();
  private final AtomicBoolean checkDue = new AtomicBoolean();

  /** Held while the database is written and synced. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Held while the connection is used: opening an object must not wait for a sync. */
  private final ReentrantLock using = new ReentrantLock();

  private final CatalogWork background;
  private volatile AlarmsListener listener = (_, _) -> {};

  /** Changed under both locks. */
  private @Nullable CatalogDatabase database;

  /** The expected content of the file; guarded by lock. Null before it is opened. */
  private @Nullable CatalogPages pages;

  /** Why the catalog is no longer trusted; null while it is. */
  private volatile @Nullable FileRefusedException damage;

  /** The last record that the catalog has written for itself. */
  private volatile long lastOwnPosition;

  /** The mark of the saved catalog, which the journal keeps. */
  private volatile Mark mark = new Mark(0, 0, 0);

  /**
   * Position of the state of the file, which the journal keeps beside the mark. It is before the
   * mark if a save got the mark into the log but did not reach the file.
   */
  private volatile long statePosition;

  private volatile boolean adopting;

  private volatile boolean unsaved;

  // Guarded by lock.

  /** Whether the log of the open database could not be copied into its file. */
  private boolean isCopyInDoubt;

  /** Whether a sync has failed: what was written since the last successful one is not trusted. */
  private volatile boolean isSyncInDoubt;

  private volatile boolean closed;

  /**
   * What the catalog uses; closed by its owners.
   *
   * @param journal reports what is durable
   * @param threads run work that blocks
   * @param library SQLite
   * @param disk where the file is
   * @param viewId the view of its records
   */
  public record Ports(
      Journal journal, StorageThreads threads, SqliteLibrary library, Disk disk, int viewId) {}

  /**
   * Creates the catalog; touches no file.
   *
   * @param ports what it uses
   * @param file its database
   */
  public SqliteCatalog(Ports ports, Path file) {
    this.ports = ports;
    this.file = file;
    this.errors = new CatalogErrors(file);
    this.background = new CatalogWork(ports.threads());
  }

  /**
   * {@return whether the database exists; if not, it is rebuilt from the objects}
   *
   * @throws DataDirectoryException if it cannot be read
   */
  public boolean isThere() {
    try {
      return CatalogDatabase.find(ports.disk(), file, false) == Found.CATALOG;
    } catch (IOException e) {
      throw errors.failed("read", e);
    }
  }

  /**
   * Opens the database, or creates it: from then on a missing one counts as lost. A lost one is
   * rebuilt from the objects. Call it once, before anything else.
   *
   * @param objects all of them, recovered
   * @param marks those of the journal
   * @throws DataDirectoryException if the file is damaged or cannot be used, or does not belong to
   *     the journal; nothing was changed
   */
  public void open(CatalogSource objects, Marks marks) {
    locked(
        "opened",
        () -> {
          boolean everSaved = !marks.states().isEmpty();
          Found found = CatalogDatabase.find(ports.disk(), file, everSaved);
          if (found != Found.CATALOG) {
            make(found, objects, marks);
          }
          CatalogDatabase opened = apply(null);
          SavedTables saved = opened.tables().saved();
          Mark known = saved.mark();
          if (found == Found.CATALOG && !marks.belongs(known.position(), known.token())) {
            throw errors.foreign(marks);
          }
          CatalogPages looked = CatalogPages.open(ports.disk(), file, marks.states());
          if (marks.states().isEmpty() && marks.isEmpty() && looked.isChecked()) {
            opened.requireIntact();
          }
          pages = looked;
          mark = known;
          lastOwnPosition = marks.lastPosition();
          statePosition = marks.statePosition();
          adopting = saved.meta(CatalogTables.ADOPTING) > 0;
          checkLater();
          return saved;
        });
  }

  /** Reads a large file in parts, so that other work can run in between. */
  private void checkLater() {
    CatalogPages reading = pages;
    if (reading == null || reading.isChecked()) {
      return;
    }
    background.later(
        checkDue,
        () -> {
          checkDue.set(false);
          checkSome(reading);
        });
  }

  private void checkSome(CatalogPages reading) {
    lock.lock();
    try {
      if (closed || reading.isChecked() || damage != null) {
        return;
      }
      reading.checkSome();
    } catch (FileRefusedException e) {
      damaged(e);
    } catch (IOException e) {
      LOG.log(Level.WARNING, () -> "Reading " + file + " failed; check the disk.", e);
      return; // read again before it is saved
    } finally {
      lock.unlock();
    }
    checkLater();
  }

  /**
   * From now on nothing in the file is trusted. It is not saved either, so the journal keeps all
   * records.
   */
  private void damaged(FileRefusedException e) {
    damage = e;
    LOG.log(Level.ERROR, () -> String.valueOf(errors.failed("used", e).getMessage()));
  }

  private void make(Found found, CatalogSource objects, Marks marks)
      throws IOException, SqliteException {
    if (found == Found.NOTHING && !objects.hasObjects()) {
      if (!marks.belongs(0, 0)) {
        throw errors.removed();
      }
      return; // the first time
    }
    if (found == Found.NO_DATABASE) {
      throw new SqliteException(SQLITE_NOTADB, "SQLITE_NOTADB", "file is not a database", null);
    }
    LOG.log(Level.WARNING, () -> file + " was lost; it is made anew from all objects.");
    long count =
        CatalogDatabase.rebuild(
            ports.library(),
            ports.disk(),
            file,
            objects,
            marks.newest(),
            state -> marks.add(appendState(state), state));
    LOG.log(
        Level.WARNING,
        () ->
            file
                + " was made anew. It has "
                + count
                + " objects and their alarms. Names are known again when their objects write"
                + " next.");
  }

  /**
   * Queues the change of a batch that was appended. Call it while the batch still counts for the
   * low-water mark of its object.
   *
   * @param position the position of the batch
   * @param key the object; its id should have the name
   * @param change what changes
   */
  public void sealed(long position, ObjectKey key, CatalogChange change) {
    int waiting = backlog.add(position, key, change);
    if (change.alarms() != null) {
      listener.changed(key, change.alarms().after());
    }
    if (waiting >= WAITING_MAX) {
      applyLater();
    }
  }

  private void applyLater() {
    background.later(
        applyDue,
        () -> {
          applyDue.set(false);
          inBackground(null);
        });
  }

  /**
   * Queues a change that recovery found in the journal and that is therefore durable.
   *
   * @param position the position of its batch
   * @param key the object; its id has the name if the change does
   * @param change what changes
   */
  public void redo(long position, ObjectKey key, CatalogChange change) {
    if (backlog.add(position, key, change) >= WAITING_MAX) {
      locked("brought up to date", () -> apply(null));
    }
  }

  /**
   * Queues the state of an object that was saved. Call it while its batches still count for the
   * low-water mark.
   *
   * @param position the position of the checkpoint record
   * @param key the object
   * @param state the state
   */
  public void saved(long position, ObjectKey key, SavedState state) {
    if (states.add(new SavedBacklog.Waiting(position, key, state)) >= WAITING_MAX) {
      applyLater();
    }
  }

  @Override
  public @Nullable SavedState savedState(ObjectKey key) {
    requireUndamaged();
    using.lock();
    try {
      CatalogDatabase opened = database;
      if (opened != null && !states.has(key)) {
        return opened.tables().saved().get(key);
      }
    } catch (SqliteException e) {
      throw errors.failed("read", e);
    } finally {
      using.unlock();
    }
    return read(opened -> opened.tables().saved().get(key));
  }

  @Override
  public @Nullable PageSums pageSums(ObjectKey key, SavedState state) {
    return read(opened -> opened.tables().saved().sums(key, state));
  }

  @Override
  public boolean isAdopting() {
    return adopting;
  }

  /** {@return the lowest position that recovery would need; the largest long if none} */
  public long lowestPosition() {
    long kept = mark.position();
    long state = statePosition;
    kept = state > 0 ? Math.min(kept, state) : kept;
    long waiting = Math.min(backlog.lowestPosition(), states.lowestPosition());
    return kept > 0 ? Math.min(kept, waiting) : waiting;
  }

  /**
   * Saves the catalog in the background if it needs records before a position.
   *
   * @param position records before this one should soon no longer be needed
   */
  public void saveBefore(long position) {
    if (!closed && lowestPosition() < position) {
      background.later(
          saveDue,
          () -> {
            saveDue.set(false);
            ports.journal().awaitDurable(Math.min(position - 1, ports.journal().lastPosition()));
            beginSave();
          });
    }
  }

  /**
   * The mark comes first, and durably: a catalog with a mark that the journal lost would belong to
   * no journal.
   */
  private void beginSave() {
    if (!isSaveWanted()) {
      return;
    }
    Mark next = appendMark();
    ports
        .journal()
        .whenDurable(
            next.position(),
            failure -> {
              if (failure == null) {
                background.later(
                    markDue,
                    () -> {
                      markDue.set(false);
                      inBackground(next);
                    });
              }
            });
  }

  private boolean isSaveWanted() {
    return !isSyncInDoubt
        && damage == null
        && ports.journal().failure() == null
        && (isChanged() || isMarkOld());
  }

  /** Waits until no background work is running; for tests that read the files. */
  public void awaitIdle() {
    background.awaitIdle();
  }

  @Override
  public void onAlarmsChanged(AlarmsListener told) {
    listener = told;
  }

  @Override
  public List<ObjectId> objects(ObjectQuery query) {
    return read(opened -> opened.tables().objects(query));
  }

  @Override
  public boolean has(ObjectKey key) {
    return read(opened -> opened.tables().has(key));
  }

  @Override
  public List<AlarmEntry> alarms(AlarmQuery query) {
    return read(opened -> opened.tables().alarms(query));
  }

  /**
   * Applies and saves what is durable, and closes the file. Never fails: the journal has
   * everything.
   */
  @Override
  public void close() {
    inBackground(closingMark());
    lock.lock();
    try {
      closed = true;
      closeDatabase();
    } catch (SqliteException | IOException e) {
      LOG.log(Level.WARNING, () -> "Closing " + file + " failed.", e);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Mark closingMark() {
    if (!isSaveWanted()) {
      return null;
    }
    try {
      Mark next = appendMark();
      ports.journal().awaitDurable(next.position());
      return next;
    } catch (HoldfastException e) {
      LOG.log(Level.WARNING, () -> "The catalog in " + file + " was not saved at the close.", e);
      return null;
    }
  }

  // ---------------------------------------------------------------- in the background

  /** Applies what is durable, and saves it with a mark. A failure is reported; nothing is lost. */
  private void inBackground(@Nullable Mark next) {
    lock.lock();
    try {
      if (closed || (next == null && !isChanged())) {
        return;
      }
      if (next != null && !isSyncInDoubt && damage == null) {
        save(next);
      } else {
        apply(null);
      }
    } catch (SqliteException | IOException | RuntimeException e) {
      LOG.log(
          Level.WARNING,
          () -> "The catalog in " + file + " could not be written; the journal keeps its records.",
          e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the catalog durable, so that the journal may drop its records.
   *
   * <p>After a failed sync that is not tried again: the system may have marked pages clean that are
   * not on the disk, and the next sync would succeed without writing them. The journal keeps the
   * records of all changes since the last successful sync, and the next opening applies them again.
   * Called under the lock.
   */
  private void save(Mark next) throws IOException, SqliteException {
    CatalogPages saving = checked();
    CatalogDatabase opened = apply(next);
    try {
      opened.syncLog();
    } catch (IOException e) {
      throw syncFailed(e);
    }
    // Durable before the file changes: the journal always has the state of the file.
    long state = appendState(saving.copying());
    try {
      isCopyInDoubt = true;
      opened.copyLog(using);
      isCopyInDoubt = false;
    } catch (IOException e) {
      throw syncFailed(e);
    }
    unsaved = false;
    backlog.saved();
    states.saved();
    mark = next;
    statePosition = state;
    if (next.previous() == 0) {
      // States that there was a saved catalog, as all later marks do.
      lastOwnPosition = appendMark().position();
    }
  }

  private IOException syncFailed(IOException e) {
    isSyncInDoubt = true;
    return new IOException(
        "A sync failed ("
            + e.getMessage()
            + "). The catalog goes on, but is not saved any more, and the journal grows. Open the"
            + " runtime again when the disk is well",
        e);
  }

  /** {@return the pages of the file, all checked} */
  private CatalogPages checked() throws IOException {
    CatalogPages saving = Objects.requireNonNull(pages);
    try {
      saving.checkAll();
    } catch (FileRefusedException e) {
      damaged(e);
      throw e;
    }
    return saving;
  }

  private long appendState(CatalogState state) {
    long position =
        ports.journal().append(RecordKind.CHECKPOINT, ports.viewId(), Mark.KEY, state.encode());
    ports.journal().awaitDurable(position);
    lastOwnPosition = position;
    return position;
  }

  private boolean isChanged() {
    return unsaved
        || backlog.lowestPosition() < Long.MAX_VALUE
        || states.lowestPosition() < Long.MAX_VALUE;
  }

  /** {@return whether the journal keeps other records only because of the mark} */
  private boolean isMarkOld() {
    return mark.position() > 0
        && ports.journal().lastPosition() > Math.max(lastOwnPosition, mark.position());
  }

  private Mark appendMark() {
    long token = mark.token() * 0x9E3779B97F4A7C15L + states.digest();
    Mark unplaced = new Mark(0, mark.position(), token);
    long position =
        ports.journal().append(RecordKind.CHECKPOINT, ports.viewId(), Mark.KEY, unplaced.encode());
    return new Mark(position, unplaced.previous(), token);
  }

  /** Called under the lock. */
  private void closeDatabase() throws IOException, SqliteException {
    CatalogDatabase opened = database;
    if (opened == null) {
      return;
    }
    using.lock();
    try {
      if (isCopyInDoubt) {
        opened.closeKeepingLog();
      } else {
        opened.close();
      }
      database = null;
    } finally {
      using.unlock();
    }
    isCopyInDoubt = false;
  }

  /** Writes what is durable, and a mark. Called under the lock. */
  private CatalogDatabase apply(@Nullable Mark next) throws SqliteException, IOException {
    if (isCopyInDoubt) {
      closeDatabase();
    }
    using.lock();
    try {
      return applyNow(next);
    } finally {
      using.unlock();
    }
  }

  private CatalogDatabase applyNow(@Nullable Mark next) throws SqliteException, IOException {
    CatalogDatabase opened = database;
    if (opened == null) {
      opened = CatalogDatabase.open(ports.library(), ports.disk(), file);
      database = opened;
    }
    List<Waiting> taken = backlog.takeDurable(ports.journal().durablePosition());
    List<SavedBacklog.Waiting> saved = states.take();
    if (!taken.isEmpty() || !saved.isEmpty() || next != null) {
      boolean applied = false;
      try {
        opened.apply(taken, saved, next);
        applied = true;
        unsaved = true;
      } finally {
        if (!applied) {
          backlog.putBack(taken);
          states.putBack(saved);
        }
      }
    }
    return opened;
  }

  private void requireUndamaged() {
    FileRefusedException refusal = damage;
    if (refusal != null) {
      throw errors.failed("used", refusal);
    }
  }

  private <T extends @Nullable Object> T read(Reading<T> reading) {
    requireUndamaged();
    return locked(
        "read",
        () -> {
          using.lock();
          try {
            return reading.read(apply(null));
          } finally {
            using.unlock();
          }
        });
  }

  private <T extends @Nullable Object> T locked(String doing, Locked<T> work) {
    try {
      return ports
          .threads()
          .run(
              () -> {
                lock.lock();
                try {
                  if (closed) {
                    throw new IllegalStateException("The catalog in " + file + " is closed.");
                  }
                  return work.run();
                } finally {
                  lock.unlock();
                }
              });
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw errors.failed(doing, e);
    }
  }

  private interface Reading<T extends @Nullable Object> {
    T read(CatalogDatabase database) throws SqliteException;
  }

  private interface Locked<T extends @Nullable Object> {
    T run() throws SqliteException, IOException;
  }
}
