package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey.Found;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.file.SavedStates;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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

  private static final int SQLITE_NOTADB = 26;

  /** Tables that no other database has together. */
  private static final Set<String> TABLES = Set.of("namespace", "object", "saved", "page_sums");

  private final Ports ports;
  private final Path file;
  private final CatalogErrors errors;
  private final CatalogRecords records;
  private final CatalogUpdates updates;
  private final AtomicBoolean applyDue = new AtomicBoolean();
  private final AtomicBoolean saveDue = new AtomicBoolean();
  private final AtomicBoolean markDue = new AtomicBoolean();

  /** Held while the database is written and synced. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when the file may change again. */
  private final Condition released = lock.newCondition();

  private final CatalogWork background;
  private final CatalogCheck check;
  private volatile AlarmsListener listener = (_, _, _) -> {};

  /** Whether a sync has failed: what was written since the last successful one is not trusted. */
  private volatile boolean isSyncInDoubt;

  private volatile boolean closed;

  /** The position up to which names were compared, or will be soon. */
  private volatile long namesLookedUpTo;

  /** Whether the file must not change; guarded by lock. */
  private boolean savesHeld;

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

  /** {@return whether a database with some tables is a catalog} */
  public static boolean isCatalog(Collection<String> tables) {
    return tables.containsAll(TABLES);
  }

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
    this.check = new CatalogCheck(lock, background, errors);
    this.records = new CatalogRecords(ports.journal(), ports.viewId());
    this.updates = new CatalogUpdates(ports.library(), ports.disk(), ports.journal(), file);
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
   * @param marks the marks of the journal
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
          CatalogDatabase opened = updates.apply(null);
          SavedTables saved = opened.tables().saved();
          Mark known = saved.mark();
          if (found == Found.CATALOG && !marks.belongs(known.position(), known.token())) {
            throw errors.foreign(marks);
          }
          CatalogPages looked = CatalogPages.open(ports.disk(), file, marks.states());
          if (marks.states().isEmpty() && marks.isEmpty() && looked.isChecked()) {
            opened.requireIntact();
          }
          records.found(marks, known);
          check.begin(looked);
          return saved;
        });
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
    LOG.log(Level.WARNING, () -> file + " is missing; it is rebuilt from all objects.");
    long count =
        CatalogDatabase.rebuild(
            ports.library(),
            ports.disk(),
            file,
            objects,
            marks.newest(),
            state -> marks.add(records.append(state), state));
    LOG.log(
        Level.WARNING,
        () ->
            file
                + " was rebuilt. It has "
                + count
                + " objects and their alarms. The name of an object is listed again after its next"
                + " write.");
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
    int waiting = updates.add(position, key, change);
    if (change.alarms() != null) {
      listener.changed(key, change.alarms().after(), change.alarms().before());
    }
    if (waiting >= SqliteBounds.CATALOG_WAITING_MAX) {
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
    if (updates.add(position, key, change) >= SqliteBounds.CATALOG_WAITING_MAX) {
      locked("brought up to date", () -> updates.apply(null));
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
    if (updates.add(new SavedBacklog.Waiting(position, key, state))
        >= SqliteBounds.CATALOG_WAITING_MAX) {
      applyLater();
    }
  }

  @Override
  public @Nullable SavedState savedState(ObjectKey key) {
    check.requireUndamaged();
    try {
      return updates.savedState(key, () -> read(opened -> opened.tables().saved().get(key)));
    } catch (SqliteException e) {
      throw errors.failed("read", e);
    }
  }

  @Override
  public @Nullable PageSums pageSums(ObjectKey key, SavedState state) {
    return read(opened -> opened.tables().saved().sums(key, state));
  }

  /** {@return the lowest position that recovery would need; the largest long if none} */
  public long lowestPosition() {
    // In this order: a save takes changes over from those that wait to its mark.
    long waiting = updates.lowestPosition();
    return Math.min(waiting, records.lowestPosition());
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
    Mark next = records.appendMark(updates.digest());
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
        && !check.isDamaged()
        && ports.journal().failure() == null
        && (updates.isChanged() || records.isMarkOld());
  }

  /**
   * Waits for a save in progress. From now on the file does not change, and its log only grows, so
   * that both can be copied: a copy of the log ends after its last whole frame, and the journal has
   * the rest.
   */
  public void holdSaves() {
    setSavesHeld(true);
  }

  /** Ends {@link #holdSaves}. */
  public void releaseSaves() {
    setSavesHeld(false);
  }

  private void setSavesHeld(boolean isHeld) {
    lock.lock();
    try {
      savesHeld = isHeld;
      released.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes what the file and its log have of names and alarms that were deleted: all pages are
   * written again, durably. While the file is copied to a backup, this waits. Objects cannot be
   * opened for as long as the pages are written, about a second for a million objects.
   *
   * @throws DataDirectoryException if that is not possible; it can be repeated
   */
  public void eraseRemains() {
    boolean isDone;
    long last = 0;
    do {
      Mark next = records.appendMark(updates.digest());
      if (next.position() == last) {
        // In a round of a node that does not own the shard all marks have one position.
        throw new DataDirectoryException(
            file, "The catalog was saved already; it is rewritten by the next round", null);
      }
      last = next.position();
      ports.journal().awaitDurable(last);
      isDone = locked("rewritten", () -> rewrite(next));
    } while (!isDone);
  }

  /** {@return false if another save came in between, with a later mark} Called under the lock. */
  private boolean rewrite(Mark next) throws IOException, SqliteException {
    while (savesHeld) {
      released.awaitUninterruptibly();
    }
    if (!maySave()) {
      throw new IOException("it is not saved any more, because its disk or its content has failed");
    }
    if (!records.isNewer(next)) {
      return false;
    }
    write(next);
    updates.rewrite();
    save(next);
    return true;
  }

  /** {@return the database, and its log if there is one} */
  public List<Path> files() throws IOException {
    Path log = CatalogLog.of(ports.disk(), file).file();
    return ports.disk().exists(log) ? List.of(file, log) : List.of(file);
  }

  /** Waits until no background work is running; for tests that read the files. */
  public void awaitIdle() {
    background.awaitIdle();
  }

  @Override
  public void onAlarmsChanged(AlarmsListener receiver) {
    listener = receiver;
  }

  @Override
  public List<ObjectId> objects(ObjectQuery query) {
    return read(opened -> opened.tables().objects(query));
  }

  /** Names that are not in the tables yet are compared in the background, for the next call. */
  @Override
  public List<ObjectKey> takeSharedNames() {
    long durable = ports.journal().durablePosition();
    if (updates.lastNamed() > namesLookedUpTo && durable > namesLookedUpTo && !closed) {
      namesLookedUpTo = durable;
      applyLater();
    }
    return updates.shared().take();
  }

  @Override
  public @Nullable ObjectId find(ObjectKey key) {
    return read(opened -> opened.tables().find(key));
  }

  @Override
  public Set<String> namespaces() {
    return read(opened -> opened.tables().namespaces());
  }

  @Override
  public boolean changedAfter(long position, Consumer<ObjectKey> visitor) {
    List<ObjectKey> changed = read(opened -> opened.tables().saved().after(position));
    changed.forEach(visitor);
    return true;
  }

  /**
   * {@return the last saved states of objects, without the checksums of their pages, in the order
   * of the keys; null for an object that was never saved}
   *
   * @param keys the objects
   */
  public List<@Nullable SavedState> savedStates(List<ObjectKey> keys) {
    return read(
        opened -> {
          List<@Nullable SavedState> states = new ArrayList<>();
          for (ObjectKey key : keys) {
            states.add(opened.tables().saved().get(key));
          }
          return states;
        });
  }

  @Override
  public List<AlarmEntry> alarms(AlarmQuery query) {
    return read(opened -> opened.tables().alarms(query));
  }

  @Override
  public long alarmCount(String namespace, AlarmRecord.State state) {
    return read(opened -> opened.tables().alarmCount(namespace, state));
  }

  /**
   * Applies and saves what is durable, unless the journal {@linkplain
   * dev.holdfast.spi.Journal#isSavedAtClose says} that it need not, and closes the file. Never
   * fails: the journal has everything.
   */
  @Override
  public void close() {
    if (ports.journal().isSavedAtClose()) {
      inBackground(closingMark());
    }
    lock.lock();
    try {
      closed = true;
      check.end();
      updates.close();
    } catch (SqliteException | IOException e) {
      LOG.log(Level.WARNING, () -> "Closing " + file + " failed.", e);
    } finally {
      lock.unlock();
    }
  }

  /** A journal that has failed is reported by its runtime, once. */
  private static Level levelOf(Exception failure) {
    return failure instanceof JournalFailedException ? Level.DEBUG : Level.WARNING;
  }

  private @Nullable Mark closingMark() {
    if (!isSaveWanted()) {
      return null;
    }
    try {
      Mark next = records.appendMark(updates.digest());
      ports.journal().awaitDurable(next.position());
      return next;
    } catch (HoldfastException e) {
      LOG.log(levelOf(e), () -> "The catalog in " + file + " was not saved at the close.", e);
      return null;
    }
  }

  // ---------------------------------------------------------------- in the background

  /**
   * Applies what is durable, and saves it with a mark. A failure is reported; nothing is lost.
   *
   * <p>A storage thread may come with its mark after another one that has a later mark. The earlier
   * one is not used then: the journal need not have it any more, and the next opening would refuse
   * a file with it.
   */
  private void inBackground(@Nullable Mark next) {
    lock.lock();
    try {
      if (closed || (next == null && !updates.isChanged())) {
        return;
      }
      if (next != null && records.isNewer(next) && maySave()) {
        save(next);
      } else {
        updates.apply(null);
      }
    } catch (SqliteException | IOException | RuntimeException e) {
      LOG.log(
          levelOf(e),
          () -> "The catalog in " + file + " could not be written; the journal keeps its records.",
          e);
    } finally {
      lock.unlock();
    }
  }

  private boolean maySave() {
    return !savesHeld && !isSyncInDoubt && !check.isDamaged();
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
    CatalogPages saving = check.checked();
    CatalogDatabase opened = write(next);
    try {
      opened.syncLog();
    } catch (IOException e) {
      throw syncFailed(e);
    }
    // Durable before the file changes: the journal always has the state of the file.
    long state = records.append(saving.copying());
    try {
      updates.copyLog(opened);
    } catch (IOException e) {
      throw syncFailed(e);
    }
    records.saved(next, state, updates.digest());
  }

  /** Writes what is durable, with a mark whose record is kept from now on. */
  private CatalogDatabase write(Mark next) throws IOException, SqliteException {
    records.saving(next);
    return updates.apply(next);
  }

  private IOException syncFailed(IOException e) {
    isSyncInDoubt = true;
    return new IOException(
        "A sync failed ("
            + e.getMessage()
            + "). The catalog stays in use, but is no longer saved, and the journal grows. Repair"
            + " the disk, then open the runtime again",
        e);
  }

  private <T extends @Nullable Object> T read(CatalogUpdates.Reading<T> reading) {
    check.requireUndamaged();
    return locked("read", () -> updates.read(reading));
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

  private interface Locked<T extends @Nullable Object> {
    T run() throws SqliteException, IOException;
  }
}
