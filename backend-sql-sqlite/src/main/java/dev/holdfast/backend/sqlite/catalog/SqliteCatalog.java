package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.DataDirectoryException;
import dev.holdfast.JournalFailedException;
import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.catalog.CatalogDatabase.Found;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.CatalogBacklog;
import dev.holdfast.spi.CatalogBacklog.Waiting;
import dev.holdfast.spi.CatalogChange;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The directory of the objects that have a SQLite database, and the index of their alarms.
 *
 * <p>A turn pays for a change of the catalog with some bytes in its batch and an entry in a queue.
 * The database follows in the background, many changes in one transaction, once they are durable in
 * the journal; and when somebody asks. It is synced rarely: when the journal wants to drop its
 * segments, and at the close. What it lacks after a crash comes from the journal.
 *
 * <p>Thread-safe.
 */
public final class SqliteCatalog implements ObjectCatalog, AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /**
   * So many changes are worth a transaction. Objects that put their alarm off again and again are
   * common: the more changes wait, the more of them are outdated before they are written.
   */
  private static final int WAITING_MAX = 4_000;

  private static final int SQLITE_CORRUPT = 11;
  private static final int SQLITE_NOTADB = 26;
  private static final String ADVICE =
      ". It was damaged from outside. Close the runtime, move this file and its -wal away, and open"
          + " the runtime again: the catalog is made anew from the objects.";

  private final Ports ports;
  private final Path file;
  private final CatalogBacklog backlog = new CatalogBacklog();
  private final AtomicBoolean applyDue = new AtomicBoolean();
  private final AtomicBoolean saveDue = new AtomicBoolean();

  /** Held while the database is written and synced. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Held for a moment: turns take it, and must not wait for a sync. */
  private final ReentrantLock runningLock = new ReentrantLock();

  private final Condition idle = runningLock.newCondition();
  private volatile AlarmsListener listener = (_, _) -> {};

  // Guarded by lock.
  private @Nullable CatalogDatabase database;
  private boolean unsaved;

  /** Whether the log of the open database could not be copied into its file. */
  private boolean isCopyInDoubt;

  /** Whether a sync has failed: what was written since the last good one is not believed. */
  private boolean isSyncInDoubt;

  private boolean closed;

  // Guarded by runningLock.
  private int runningCount;

  /**
   * What the catalog works with; closed by others.
   *
   * @param journal says what is durable
   * @param threads do what blocks
   * @param library SQLite
   * @param disk where the file is
   */
  public record Ports(Journal journal, StorageThreads threads, SqliteLibrary library, Disk disk) {}

  /**
   * Creates the catalog; touches no file.
   *
   * @param ports what it works with
   * @param file its database
   */
  public SqliteCatalog(Ports ports, Path file) {
    this.ports = ports;
    this.file = file;
  }

  /**
   * Opens the database, or makes it: from then on a missing one was lost. One that was lost is made
   * from the objects. To be called once, before anything else.
   *
   * @param objects all of them, recovered
   * @throws DataDirectoryException if the file is damaged or cannot be used; nothing was changed
   */
  public void open(CatalogSource objects) {
    locked(
        "opened",
        () -> {
          Found found = CatalogDatabase.find(ports.disk(), file);
          if (found != Found.CATALOG) {
            make(found, objects);
          }
          return apply();
        });
  }

  private void make(Found found, CatalogSource objects) throws IOException, SqliteException {
    if (found == Found.NOTHING && !objects.hasObjects()) {
      return; // the first time
    }
    if (found == Found.NO_DATABASE) {
      throw new SqliteException(SQLITE_NOTADB, "SQLITE_NOTADB", "file is not a database", null);
    }
    LOG.log(Level.WARNING, () -> file + " was lost; it is made anew from all objects.");
    long count = CatalogDatabase.rebuild(ports.library(), ports.disk(), file, objects);
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
   * Takes the change of a batch that was appended. To be called while the batch still counts for
   * the low-water mark of its object.
   *
   * @param position the position of the batch
   * @param key the object; its id should know the name
   * @param change what changes
   */
  public void sealed(long position, ObjectKey key, CatalogChange change) {
    int waiting = backlog.add(position, key, change);
    if (change.alarms() != null) {
      listener.changed(key, change.alarms().after());
    }
    if (waiting >= WAITING_MAX) {
      later(
          applyDue,
          () -> {
            applyDue.set(false);
            inBackground(/* saving= */ false);
          });
    }
  }

  /**
   * Takes a change that recovery found in the journal, which thus is durable.
   *
   * @param position the position of its batch
   * @param key the object; its id knows the name if the change does
   * @param change what changes
   */
  public void redo(long position, ObjectKey key, CatalogChange change) {
    if (backlog.add(position, key, change) >= WAITING_MAX) {
      locked("brought up to date", this::apply);
    }
  }

  /** {@return the lowest position that recovery would need; the largest long if none} */
  public long lowestPosition() {
    return backlog.lowestPosition();
  }

  /**
   * Saves the catalog in the background if it needs records before a position.
   *
   * @param position records before this one should soon no longer be needed
   */
  public void saveBefore(long position) {
    if (backlog.lowestPosition() < position) {
      later(
          saveDue,
          () -> {
            saveDue.set(false);
            ports.journal().awaitDurable(Math.min(position - 1, ports.journal().lastPosition()));
            inBackground(/* saving= */ true);
          });
    }
  }

  /** Waits until nothing goes on in the background; for tests that look at the files. */
  public void awaitIdle() {
    runningLock.lock();
    try {
      while (runningCount > 0) {
        idle.awaitUninterruptibly();
      }
    } finally {
      runningLock.unlock();
    }
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
  public List<AlarmEntry> alarms(AlarmQuery query) {
    return read(opened -> opened.tables().alarms(query));
  }

  /**
   * Applies and saves what is durable, and closes the file. Never fails: the journal has it all.
   */
  @Override
  public void close() {
    inBackground(/* saving= */ true);
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

  // ---------------------------------------------------------------- in the background

  private void later(AtomicBoolean due, Runnable work) {
    if (due.get()) {
      return; // the usual answer to a turn while much waits
    }
    begun();
    boolean handedOver = false;
    try {
      handedOver =
          ports
              .threads()
              .execute(
                  due,
                  () -> {
                    try {
                      work.run();
                    } catch (JournalFailedException e) {
                      // The runtime as a whole has failed, which others report.
                      LOG.log(Level.DEBUG, "The catalog was not saved: the journal has failed.", e);
                    } finally {
                      ended();
                    }
                  });
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The storage threads have ended; the journal keeps the catalog.", e);
    } finally {
      if (!handedOver) {
        ended();
      }
    }
  }

  private void begun() {
    runningLock.lock();
    try {
      runningCount++;
    } finally {
      runningLock.unlock();
    }
  }

  private void ended() {
    runningLock.lock();
    try {
      runningCount--;
      idle.signalAll();
    } finally {
      runningLock.unlock();
    }
  }

  /** Applies what is durable. A failure is reported; the journal has it all. */
  private void inBackground(boolean saving) {
    lock.lock();
    try {
      if (closed || backlog.lowestPosition() == Long.MAX_VALUE) {
        return;
      }
      CatalogDatabase opened = apply();
      if (saving && unsaved && !isSyncInDoubt) {
        save(opened);
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
   * records of all changes since the last good one, and the next opening applies them once more.
   * Called under the lock.
   */
  private void save(CatalogDatabase opened) throws IOException, SqliteException {
    try {
      opened.syncLog();
      isCopyInDoubt = true;
      opened.copyLog();
      isCopyInDoubt = false;
    } catch (IOException e) {
      isSyncInDoubt = true;
      throw new IOException(
          "A sync failed ("
              + e.getMessage()
              + "). The catalog goes on, but is not saved any more, and the journal grows. Open the"
              + " runtime again when the disk is well",
          e);
    }
    unsaved = false;
    backlog.saved();
  }

  /** Called under the lock. */
  private void closeDatabase() throws IOException, SqliteException {
    CatalogDatabase opened = database;
    if (opened == null) {
      return;
    }
    if (isCopyInDoubt) {
      opened.closeKeepingLog();
    } else {
      opened.close();
    }
    database = null;
    isCopyInDoubt = false;
  }

  /** Writes what is durable. Called under the lock. */
  private CatalogDatabase apply() throws SqliteException, IOException {
    if (isCopyInDoubt) {
      closeDatabase();
    }
    CatalogDatabase opened = database;
    if (opened == null) {
      opened = CatalogDatabase.open(ports.library(), ports.disk(), file);
      database = opened;
    }
    List<Waiting> taken = backlog.takeDurable(ports.journal().durablePosition());
    if (!taken.isEmpty()) {
      boolean applied = false;
      try {
        opened.apply(taken);
        applied = true;
        unsaved = true;
      } finally {
        if (!applied) {
          backlog.putBack(taken);
        }
      }
    }
    return opened;
  }

  private <T> T read(Reading<T> reading) {
    return locked("read", () -> reading.read(apply()));
  }

  private <T> T locked(String doing, Locked<T> work) {
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
      throw new DataDirectoryException(
          file,
          "The catalog of objects and alarms cannot be "
              + doing
              + ": "
              + e.getMessage()
              + (isDamage(e) ? ADVICE : ""),
          e);
    }
  }

  private static boolean isDamage(Exception e) {
    return e instanceof SqliteException damage
        && (damage.primaryCode() == SQLITE_CORRUPT || damage.primaryCode() == SQLITE_NOTADB);
  }

  private interface Reading<T> {
    T read(CatalogDatabase database) throws SqliteException;
  }

  private interface Locked<T> {
    T run() throws SqliteException, IOException;
  }
}
