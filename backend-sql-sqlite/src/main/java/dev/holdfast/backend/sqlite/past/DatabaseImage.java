package dev.holdfast.backend.sqlite.past;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.database.ConnectionLimits;
import dev.holdfast.backend.sqlite.database.DatabaseSize;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A separate database file with the state of an object at an earlier moment; deleted when it is
 * closed. Confined to one thread.
 */
public final class DatabaseImage implements PastImage {

  private static final String TABLES =
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND substr(name, 1, 4) <> '_cf_'"
          + " AND substr(name, 1, 7) <> 'sqlite_' AND sql NOT LIKE 'CREATE VIRTUAL %'";

  private final ObjectFiles files;
  private final Path file;
  private final List<AlarmRecord> alarms;
  private final StorageThreads threads;
  private final ObjectErrors errors;

  /** Opened by the first reading. */
  private @Nullable ObjectConnection connection;

  /** Whose connection has this file attached, to compare tables: it has the file for itself. */
  private @Nullable DatabaseImage reader;

  /** The image whose file is attached here. */
  private @Nullable DatabaseImage attached;

  DatabaseImage(
      ObjectFiles files,
      Path file,
      List<AlarmRecord> alarms,
      StorageThreads threads,
      ObjectErrors errors) {
    this.files = files;
    this.file = file;
    this.alarms = List.copyOf(alarms);
    this.threads = threads;
    this.errors = errors;
  }

  Path file() {
    return file;
  }

  @Override
  public List<AlarmRecord> alarms() {
    return alarms;
  }

  @Override
  public List<String> tables() {
    return read(
        opened -> {
          List<String> tables = new ArrayList<>();
          if (opened.keyValues().exists()) {
            tables.add(Difference.KEYS);
          }
          tables.add(Difference.SCHEMA);
          tables.addAll(opened.connection().texts(TABLES));
          tables.sort(null);
          return tables;
        });
  }

  @Override
  public List<String> columns(String table) {
    return switch (table) {
      case Difference.KEYS -> List.of("value");
      case Difference.SCHEMA -> List.of("sql");
      default ->
          read(
              opened ->
                  opened
                      .connection()
                      .texts(
                          "SELECT name FROM pragma_table_info("
                              + ImageRows.quoted(table, '\'')
                              + ')'));
    };
  }

  @Override
  public long count(String table) {
    String from =
        switch (table) {
          case Difference.KEYS -> "main._cf_KV";
          case Difference.SCHEMA -> ImageRows.DEFINITIONS.formatted("main");
          default -> "main." + ImageRows.quoted(table, '"');
        };
    return read(
        opened -> {
          try (SqliteStatement statement =
              opened.connection().prepare("SELECT count(*) FROM " + from)) {
            return statement.start() ? statement.integer(0) : 0;
          }
        });
  }

  @Override
  public long bytes() {
    return read(DatabaseSize::of);
  }

  @Override
  public void forEach(String table, EntryVisitor visitor) {
    read(
        opened -> {
          ImageRows.of(opened.connection(), "main", table).pass(visitor);
          return visitor;
        });
  }

  /** SQLite compares the tables: most entries of two moments are the same. */
  @Override
  public void forEachUnlike(
      PastImage other, String table, EntryVisitor ofThis, EntryVisitor ofOther) {
    DatabaseImage others = (DatabaseImage) other;
    read(
        opened -> {
          SqliteConnection own = opened.connection();
          ConnectionLimits.lift(own);
          try {
            attach(others, own);
            ImageRows rows = ImageRows.of(own, "main", table);
            ImageRows otherRows = ImageRows.of(own, "other", table);
            rows.passUnlike(otherRows, ofThis);
            otherRows.passUnlike(rows, ofOther);
          } finally {
            opened.limitAgain();
          }
          return own;
        });
  }

  /** Attaches a file, and leaves it so: SQLite reads the definitions of all its tables for it. */
  private void attach(DatabaseImage others, SqliteConnection own) throws SqliteException {
    if (attached == others) {
      return;
    }
    detach();
    others.closeConnection();
    own.execute("ATTACH " + ImageRows.quoted(others.file.toString(), '\'') + " AS other");
    attached = others;
    others.reader = this;
  }

  private void detach() throws SqliteException {
    DatabaseImage others = attached;
    if (others != null && connection != null) {
      attached = null;
      others.reader = null;
      connection.connection().execute("DETACH other");
    }
  }

  private interface Reading<T> {
    T of(ObjectConnection opened) throws SqliteException;
  }

  /** A table may have any size, so the threads of statements read it. */
  private <T> T read(Reading<T> reading) {
    try {
      return threads.runSql(
          () -> {
            ObjectConnection opened = connection;
            if (opened == null) {
              if (reader != null) {
                reader.detach();
              }
              opened = ObjectConnection.open(SqliteLibrary.jdbc(), file);
              connection = opened;
            }
            return reading.of(opened);
          });
    } catch (RuntimeException e) {
      throw e;
    } catch (SqliteException e) {
      throw errors.sqliteFailed("Reading an earlier state", e);
    } catch (Exception e) {
      throw failed(e);
    }
  }

  private StorageFailedException failed(Exception e) {
    return errors.storage("The earlier state in " + file + " cannot be read", e);
  }

  private void closeConnection() {
    ObjectConnection opened = connection;
    connection = null;
    if (attached != null) { // it goes with the connection
      attached.reader = null;
      attached = null;
    }
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (SqliteException e) {
      System.getLogger("dev.holdfast").log(Level.WARNING, "Closing " + file + " failed", e);
    }
  }

  @Override
  public void close() {
    closeConnection();
    try {
      files.deleteImage(file);
    } catch (IOException e) {
      System.getLogger("dev.holdfast")
          .log(Level.WARNING, "A copy of an earlier state is left in " + file, e);
    }
  }
}
