package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey.Found;
import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogBacklog.Waiting;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The database file of the catalog.
 *
 * <p>SQLite does not sync by itself. Saving syncs through the {@link Disk} in the order that SQLite
 * would: the log before any page of it is copied into the file, the file before the log is emptied,
 * the empty log before it is filled again. After a power cut the file is therefore in the state
 * after some transaction, and no transaction was ahead of the journal. Unlike the log of an
 * object's file this log is kept when the database is opened again; it is rewritten then, see
 * {@link CatalogLog}.
 *
 * <p>Confined to the holder of the lock of the {@link SqliteCatalog}.
 */
final class CatalogDatabase {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final String SETTINGS =
      """
      PRAGMA locking_mode=EXCLUSIVE;
      PRAGMA synchronous=OFF;
      PRAGMA wal_autocheckpoint=0;
      PRAGMA cache_size=-8192;
      PRAGMA temp_store=MEMORY;
      """;

  /** The part of SQLite's header that is checked; it includes the version of the tables. */
  private static final int HEADER_BYTES = 64;

  private static final int VERSION_OFFSET = 60;
  private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

  private final Disk disk;
  private final Path file;
  private final CatalogLog log;
  private final SqliteConnection connection;
  private final CatalogTables tables;

  /** Whether the last transaction could not be ended. */
  private boolean isTransactionOpen;

  private CatalogDatabase(
      Disk disk, Path file, CatalogLog log, SqliteConnection connection, CatalogTables tables) {
    this.disk = disk;
    this.file = file;
    this.log = log;
    this.connection = connection;
    this.tables = tables;
  }

  /** Opens the file, or creates it; it is durable then, empty or not. */
  static CatalogDatabase open(SqliteLibrary library, Disk disk, Path file)
      throws IOException, SqliteException {
    CatalogLog log = CatalogLog.of(disk, file);
    disk.createDirectories(log.directory());
    if (!disk.exists(file)) {
      make(library, disk, file, _ -> {}, _ -> {});
    }
    log.renew();
    SqliteConnection connection = library.open(file);
    try {
      CatalogDatabase opened =
          new CatalogDatabase(disk, file, log, connection, prepare(connection));
      // Every time: the name of the file, or of the log that SQLite has just created, may not be
      // durable yet, and without the log no page may be written to the file.
      disk.forceDirectory(log.directory());
      return opened;
    } catch (SqliteException | IOException | RuntimeException e) {
      connection.abandonAfter(e);
      throw e;
    }
  }

  private static CatalogTables prepare(SqliteConnection connection) throws SqliteException {
    connection.execute(SETTINGS);
    connection.run("PRAGMA main.journal_mode=WAL");
    CatalogTables tables = new CatalogTables(connection);
    tables.prepare();
    return tables;
  }

  /**
   * {@return what is found}
   *
   * @param everSaved whether the journal has a state of the file
   */
  static Found find(Disk disk, Path file, boolean everSaved) throws IOException {
    if (!disk.exists(file)) {
      return Found.NOTHING;
    }
    byte[] header = new byte[HEADER_BYTES];
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      if (opened.read(header, 0, HEADER_BYTES, 0) < HEADER_BYTES) {
        return Found.NOTHING;
      }
    }
    if (!Arrays.equals(header, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return Found.NO_DATABASE;
    }
    boolean isWritten = everSaved || ByteBuffer.wrap(header).getInt(VERSION_OFFSET) > 0;
    return isWritten ? Found.CATALOG : Found.NOTHING;
  }

  /**
   * Rebuilds a lost file from the objects. It has all that the journal has, so it belongs to the
   * journal's newest mark, even if it is not saved before the process dies.
   *
   * @param binding receives the state of the file, before it gets its name
   * @return how many objects there are
   */
  static long rebuild(
      SqliteLibrary library,
      Disk disk,
      Path file,
      CatalogSource objects,
      @Nullable Mark newest,
      Consumer<CatalogState> binding)
      throws IOException, SqliteException {
    long[] count = {0};
    make(
        library,
        disk,
        file,
        tables -> {
          objects.forEach(
              (key, change, state) -> {
                if (state != null) {
                  tables.saved().put(key, state);
                }
                if (change != null) {
                  tables.apply(key, change);
                  count[0]++;
                }
              });
          if (newest != null) {
            tables.saved().putMark(newest);
          }
        },
        binding);
    return count[0];
  }

  /** Writes the first content of a new file. */
  interface Filling {
    void write(CatalogTables tables) throws IOException, SqliteException;
  }

  /**
   * Creates the file under another name, and renames it when it is durable: a power cut while
   * SQLite writes it for the first time can leave any content, which could not be opened again.
   */
  static void make(
      SqliteLibrary library, Disk disk, Path file, Filling filling, Consumer<CatalogState> binding)
      throws IOException, SqliteException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    if (disk.exists(unfinished)) {
      disk.delete(unfinished);
    }
    CatalogLog.of(disk, unfinished).delete();
    // SQLite would take the log of a lost file for the log of the new file.
    CatalogLog log = CatalogLog.of(disk, file);
    log.delete();
    disk.forceDirectory(log.directory());
    disk.open(unfinished, Disk.Mode.CREATE).close(); // for its owner alone; SQLite treats it as new
    SqliteConnection connection = library.open(unfinished);
    try {
      CatalogTables tables = prepare(connection);
      connection.execute("BEGIN");
      filling.write(tables);
      connection.execute("COMMIT");
      // Closing would checkpoint too, but would not report a full disk.
      checkpoint(connection, "TRUNCATE");
    } finally {
      connection.close();
    }
    CatalogLog.force(disk, unfinished);
    binding.accept(CatalogPages.stateOf(disk, unfinished));
    disk.move(unfinished, file);
  }

  CatalogTables tables() {
    return tables;
  }

  /**
   * Makes SQLite check the consistency of tables and indexes of a file without known checksums.
   *
   * @throws FileRefusedException if they are inconsistent
   */
  void requireIntact() throws FileRefusedException, SqliteException {
    List<String> found = connection.texts("PRAGMA main.integrity_check(1)");
    if (!found.equals(List.of("ok"))) {
      throw new FileRefusedException("is damaged: " + String.join("; ", found));
    }
  }

  /** Writes changes in one transaction, all or none. */
  void apply(List<Waiting> changes, List<SavedBacklog.Waiting> states, @Nullable Mark mark)
      throws SqliteException {
    if (isTransactionOpen) {
      rollback();
    }
    isTransactionOpen = true;
    try {
      connection.execute("BEGIN");
      Set<ObjectKey> rewritten = withOtherAlarms(changes);
      for (Waiting each : withoutOutdated(changes)) {
        if (rewritten.contains(each.key())) {
          tables.apply(each.key(), each.change());
        } else {
          tables.applyToOneAlarm(each.key(), each.change());
        }
      }
      for (SavedBacklog.Waiting each : states) {
        tables.saved().put(each.key(), each.state());
      }
      if (mark != null) {
        tables.saved().putMark(mark);
      }
      connection.execute("COMMIT");
      isTransactionOpen = false;
      tables.committed();
    } finally {
      if (isTransactionOpen) {
        tables.rolledBack();
        rollback();
      }
    }
  }

  /**
   * Ends the transaction, if SQLite has not done so by itself: on a full disk, an I/O error or when
   * memory runs out it may have, and then there is none to roll back. The caller gets the first
   * error, not this one; if the transaction is still open, the next one cannot begin.
   */
  private void rollback() {
    try {
      connection.execute("ROLLBACK");
      isTransactionOpen = false;
    } catch (SqliteException e) {
      LOG.log(Level.DEBUG, () -> "No transaction was rolled back in " + file, e);
    }
  }

  /**
   * {@return the objects of which all alarms must be rewritten} For the other objects, all changes
   * concern one alarm that was set before. So only that alarm's row is changed, whichever changes
   * were left out, even when the catalog is ahead of the changes, as it can be in recovery.
   */
  private static Set<ObjectKey> withOtherAlarms(List<Waiting> changes) {
    Map<ObjectKey, String> names = new HashMap<>();
    Set<ObjectKey> found = new HashSet<>();
    for (Waiting each : changes) {
      CatalogChange.Alarms alarms = each.change().alarms();
      if (alarms == null) {
        continue;
      }
      String name = nameOfOne(alarms);
      String known = name == null ? null : names.putIfAbsent(each.key(), name);
      if (name == null || (known != null && !known.equals(name))) {
        found.add(each.key());
      }
    }
    return found;
  }

  /** {@return the name of the one alarm that an object had, and has unless it is gone; or null} */
  private static @Nullable String nameOfOne(CatalogChange.Alarms alarms) {
    if (alarms.before().size() != 1 || alarms.after().size() > 1) {
      return null;
    }
    String name = alarms.before().getFirst().name();
    return alarms.after().isEmpty() || alarms.after().getFirst().name().equals(name) ? name : null;
  }

  /**
   * Removes changes that a later change repeats: many objects postpone their alarm again and again.
   */
  private static List<Waiting> withoutOutdated(List<Waiting> changes) {
    Map<ObjectKey, CatalogChange> last = new HashMap<>();
    List<Waiting> kept = new ArrayList<>();
    for (Waiting each : changes.reversed()) {
      CatalogChange change = each.change();
      CatalogChange later = last.get(each.key());
      if (later == null || !isOutdatedBy(later, change)) {
        kept.add(each);
      }
      if (later == null) {
        last.put(each.key(), change);
      }
    }
    return kept.reversed();
  }

  /** A change that ends the object is kept: it removes the name. */
  private static boolean isOutdatedBy(CatalogChange later, CatalogChange change) {
    return change.exists()
        && (!later.exists()
            || (later.alarms() != null && (later.name() != null || change.name() == null)));
  }

  /**
   * Writes all pages again, to the log, without what they have of rows that were deleted or
   * changed: that stays in free space of a page, and in free pages.
   */
  void rewrite() throws SqliteException {
    connection.execute("VACUUM");
  }

  /**
   * Makes the log durable: the first half of saving.
   *
   * @throws IOException if that failed. Nothing was changed, and reads still work, but nothing in
   *     the log may be copied any more
   */
  void syncLog() throws IOException {
    log.force();
  }

  /**
   * Copies the log, which is durable, into the file and empties it: the second half. If that fails,
   * nothing may be written any more: SQLite could restart the log over pages that the file does not
   * have durably. Close it then with {@link #closeKeepingLog}.
   *
   * @param using held while the connection is used, and not while files are synced
   */
  void copyLog(ReentrantLock using) throws IOException, SqliteException {
    checkpoint(using, "PASSIVE");
    CatalogLog.force(disk, file);
    checkpoint(using, "TRUNCATE");
    log.force();
  }

  private void checkpoint(ReentrantLock using, String how) throws SqliteException {
    using.lock();
    try {
      checkpoint(connection, how);
    } finally {
      using.unlock();
    }
  }

  private static void checkpoint(SqliteConnection connection, String how) throws SqliteException {
    if (!connection.texts("PRAGMA main.wal_checkpoint(" + how + ")").equals(List.of("0"))) {
      throw new SqliteException(5, "SQLITE_BUSY", "the log was not copied", null);
    }
  }

  /** Closes the file and leaves it and the log as they are. */
  void close() throws SqliteException {
    connection.closeWithoutCheckpoint();
  }

  /**
   * Closes the file after {@link #copyLog} has failed. When it is opened again, all of the log is
   * before it once more.
   *
   * @throws IOException if the log cannot be kept; nothing was closed
   */
  void closeKeepingLog() throws IOException, SqliteException {
    log.keep();
    connection.closeWithoutCheckpoint();
  }
}
