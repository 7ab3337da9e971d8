package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.spi.CatalogBacklog.Waiting;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The database file of the catalog.
 *
 * <p>SQLite syncs nothing by itself; {@link #save} syncs through the {@link Disk} in the order that
 * SQLite would: the log before any page of it goes into the file, the file before the log is
 * emptied, the empty log before it is filled again. So after a power cut there is the state after
 * some transaction, none of which was ahead of the journal. Unlike the log of an object's file this
 * one is kept when the database is opened again.
 *
 * <p>Owned by whoever holds the lock of the {@link SqliteCatalog}.
 */
final class CatalogDatabase {

  private static final String SETTINGS =
      """
      PRAGMA locking_mode=EXCLUSIVE;
      PRAGMA synchronous=OFF;
      PRAGMA wal_autocheckpoint=0;
      PRAGMA cache_size=-8192;
      PRAGMA temp_store=MEMORY;
      """;

  private final Disk disk;
  private final Path file;
  private final Path log;
  private final SqliteConnection connection;
  private final CatalogTables tables;

  private CatalogDatabase(Disk disk, Path file, SqliteConnection connection, CatalogTables tables) {
    this.disk = disk;
    this.file = file;
    this.log = logOf(file);
    this.connection = connection;
    this.tables = tables;
  }

  /** Opens the file, or makes it; it is durable then, empty or not. */
  static CatalogDatabase open(SqliteLibrary library, Disk disk, Path file)
      throws IOException, SqliteException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new IOException(file + " is in no directory");
    }
    disk.createDirectories(directory);
    if (!disk.exists(file)) {
      make(library, disk, file);
    }
    SqliteConnection connection = library.open(file);
    try {
      CatalogDatabase opened = new CatalogDatabase(disk, file, connection, prepare(connection));
      // Each time: the name of the file, or of the log that SQLite has made now, may not be durable
      // yet, and without the log no page may go into the file.
      disk.forceDirectory(directory);
      return opened;
    } catch (SqliteException | IOException | RuntimeException e) {
      try {
        connection.closeWithoutCheckpoint();
      } catch (SqliteException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static CatalogTables prepare(SqliteConnection connection) throws SqliteException {
    connection.execute(SETTINGS);
    SqliteStatement mode = connection.prepare("PRAGMA main.journal_mode=WAL");
    mode.start();
    mode.close();
    CatalogTables tables = new CatalogTables(connection);
    tables.prepare();
    return tables;
  }

  /**
   * Makes the file under another name, and gives it its own when it is durable: a power cut while
   * SQLite writes it for the first time leaves anything, which nobody could open again.
   */
  private static void make(SqliteLibrary library, Disk disk, Path file)
      throws IOException, SqliteException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    for (Path old : List.of(unfinished, logOf(unfinished))) {
      if (disk.exists(old)) {
        disk.delete(old);
      }
    }
    SqliteConnection connection = library.open(unfinished);
    try {
      prepare(connection);
    } finally {
      connection.close(); // copies the log into the file, and deletes it
    }
    force(disk, unfinished);
    disk.move(unfinished, file);
  }

  private static Path logOf(Path file) {
    return file.resolveSibling(file.getFileName() + "-wal");
  }

  CatalogTables tables() {
    return tables;
  }

  /** Writes changes in one transaction. */
  void apply(List<Waiting> changes) throws SqliteException {
    connection.execute("BEGIN");
    boolean done = false;
    try {
      for (Waiting each : changes) {
        tables.apply(each.key(), each.change());
      }
      connection.execute("COMMIT");
      done = true;
    } finally {
      if (!done) {
        connection.execute("ROLLBACK");
        tables.loadNamespaces();
      }
    }
  }

  /** Makes everything durable. */
  void save() throws IOException, SqliteException {
    if (disk.exists(log)) {
      force(disk, log);
    }
    checkpoint("PASSIVE");
    force(disk, file);
    checkpoint("TRUNCATE");
    if (disk.exists(log)) {
      force(disk, log);
    }
  }

  private void checkpoint(String how) throws SqliteException {
    SqliteStatement checkpoint = connection.prepare("PRAGMA main.wal_checkpoint(" + how + ")");
    try {
      if (!checkpoint.start() || checkpoint.integer(0) != 0) {
        throw new SqliteException(5, "SQLITE_BUSY", "the log was not copied", null);
      }
    } finally {
      checkpoint.close();
    }
  }

  private static void force(Disk disk, Path path) throws IOException {
    try (DiskFile opened = disk.open(path, Mode.WRITE)) {
      opened.force();
    }
  }

  /** Closes the file and leaves it and the log as they are. */
  void close() throws SqliteException {
    connection.closeWithoutCheckpoint();
  }
}
