package dev.holdfast.backend.sqlite.binding;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.Function;
import org.sqlite.ProgressHandler;
import org.sqlite.core.Codes;
import org.sqlite.core.DB;
import org.sqlite.jdbc4.JDBC4Connection;

/** A connection of sqlite-jdbc. Thread rules as for {@link SqliteConnection}. */
final class JdbcConnection implements SqliteConnection {

  /**
   * {@code replicate('x', 4294967297)} ends the process; the others take a length in the same way.
   */
  private static final List<String> BROKEN_FUNCTIONS = List.of("replicate", "padl", "padr", "padc");

  private static final int BROKEN_ARGUMENTS = 2;

  /**
   * Added to the driver's own flag for UTF-16, this flag for UTF-8 makes a function valid for any
   * encoding.
   */
  private static final int IN_EVERY_ENCODING = 1;

  private final JDBC4Connection connection;
  private final DB database;

  /** Null if SQLite's own serve: the connection has had no database before. */
  private final @Nullable ChangeCounters counters;

  /** Gets the connection when it is no longer needed; null if it is only closed then. */
  private @Nullable SpareConnections spares;

  /** The open statements; maintained only for a connection that others may get. */
  private final Set<JdbcStatement> statements = Collections.newSetFromMap(new IdentityHashMap<>(8));

  /** Whether another may have the connection by now. */
  private volatile boolean isGivenBack;

  JdbcConnection(JDBC4Connection connection) {
    this(connection, null);
  }

  private JdbcConnection(JDBC4Connection connection, @Nullable ChangeCounters counters) {
    this.connection = connection;
    this.database = connection.getDatabase();
    this.counters = counters;
    // Only sets a flag of the driver; nothing is begun. Otherwise the driver would try, after each
    // statement, to begin and end a separate transaction.
    connection.getConnectionConfig().setAutoCommit(false);
  }

  /** Continues with a connection that has served another database. */
  static JdbcConnection of(SpareConnections.Spare spare) throws SqliteException {
    try {
      ChangeCounters counters = spare.counters();
      if (counters == null) {
        counters = ChangeCounters.replaceIn(spare.connection(), IN_EVERY_ENCODING);
      }
      counters.begin();
      return new JdbcConnection(spare.connection(), counters);
    } catch (SQLException e) {
      SqliteException failure = JdbcLibrary.translated(e);
      new JdbcConnection(spare.connection()).abandonAfter(failure);
      throw failure;
    }
  }

  /** Has {@link #closeForOthers} give the connection back. */
  void giveBackTo(SpareConnections target) {
    spares = target;
  }

  /**
   * Replaces functions of the driver that write beyond their allocated memory, so that no statement
   * reaches them, not even one that a module of SQLite generates.
   */
  void replaceBrokenFunctions() throws SqliteException {
    RefusedFunction refused = new RefusedFunction();
    for (String name : BROKEN_FUNCTIONS) {
      checked(() -> database.create_function(name, refused, BROKEN_ARGUMENTS, IN_EVERY_ENCODING));
    }
  }

  /** Has SQL read another clock. */
  void replaceClock(ClockFunctions functions) throws SqliteException {
    try {
      functions.replaceIn(connection, IN_EVERY_ENCODING);
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  /** Replaces a function that must not be called. */
  private static final class RefusedFunction extends Function {
    @Override
    protected void xFunc() throws SQLException {
      throw new SQLException("not authorized to use the function");
    }
  }

  @Override
  public void execute(String sql) throws SqliteException {
    checked(() -> database()._exec(sql));
  }

  @Override
  public SqliteStatement prepare(String sql) throws SqliteException {
    requireHeld();
    if (spares == null) {
      return translating(() -> new JdbcStatement(connection, sql, null));
    }
    JdbcStatement statement = translating(() -> new JdbcStatement(connection, sql, statements));
    statements.add(statement);
    return statement;
  }

  @Override
  public void limit(SqliteLimit limit, int value) throws SqliteException {
    translating(() -> database().limit(limit.number(), value));
  }

  @Override
  public long changes() throws SqliteException {
    try {
      return counters == null ? database().changes() : counters.changes();
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public long totalChanges() throws SqliteException {
    try {
      return counters == null ? database().total_changes() : counters.totalChanges();
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public void onProgress(int steps, BooleanSupplier stop) throws SqliteException {
    try {
      database()
          .register_progress_handler(
              steps,
              new ProgressHandler() {
                @Override
                protected int progress() {
                  return stop.getAsBoolean() ? 1 : 0;
                }
              });
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public void backupTo(Path file) throws SqliteException {
    try {
      int code = database().backup("main", file.toAbsolutePath().toString(), null);
      if (code != Codes.SQLITE_OK) {
        // Not the connection's own message: the error belongs to the other file.
        String name = SqliteCodes.name(code & 0xFF, "SQLITE_ERROR");
        throw new SqliteException(
            code,
            name,
            "the copy cannot be written to "
                + file
                + " ("
                + (code == Codes.SQLITE_FULL ? "the disk is full" : name)
                + ")",
            null);
      }
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public byte[] image() throws SqliteException {
    return translating(() -> database().serialize("main"));
  }

  /** Makes an image the main database, in memory. */
  void load(byte[] image) throws SqliteException {
    translating(
        () -> {
          database().deserialize("main", image);
          return image;
        });
  }

  @Override
  public void interrupt() {
    if (isGivenBack) {
      return;
    }
    try {
      database.interrupt();
    } catch (SQLException e) {
      throw new IllegalStateException("sqlite-jdbc cannot interrupt", e);
    }
  }

  @Override
  public void close() throws SqliteException {
    if (isGivenBack) {
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public void closeForOthers() throws SqliteException {
    SpareConnections target = spares;
    if (target == null || isGivenBack || !isReady()) {
      close();
      return;
    }
    isGivenBack = true;
    if (!target.add(new SpareConnections.Spare(connection, counters))) {
      isGivenBack = false;
      close();
    }
  }

  /** {@return whether nothing of the database is left that the next one could notice} */
  private boolean isReady() {
    for (JdbcStatement statement : List.copyOf(statements)) {
      statement.close();
    }
    try {
      // Fails in an open transaction. A row id can only be set, not forgotten.
      execute("BEGIN; COMMIT");
      return integer("SELECT last_insert_rowid()") == 0;
    } catch (SqliteException e) {
      return false;
    }
  }

  private DB database() {
    requireHeld();
    return database;
  }

  /** The raw connection may serve another object. */
  private void requireHeld() {
    if (isGivenBack) {
      throw new IllegalStateException("The connection is closed.");
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>The driver supports neither of the two switches that SQLite has for this. But the copying
   * checks before each page whether the connection was interrupted, and closing runs no statement,
   * which alone would reset that. A connection that is already closed stays closed.
   */
  @Override
  public void closeWithoutCheckpoint() throws SqliteException {
    if (!isGivenBack && !translating(connection::isClosed)) {
      interrupt();
      close();
    }
  }

  /** Calls the driver. */
  @FunctionalInterface
  private interface Call<T extends @Nullable Object> {
    T call() throws SQLException;
  }

  private static <T extends @Nullable Object> T translating(Call<T> call) throws SqliteException {
    try {
      return call.call();
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  /** Calls the driver for a result code. */
  @FunctionalInterface
  private interface CodeCall {
    int call() throws SQLException;
  }

  private void checked(CodeCall call) throws SqliteException {
    try {
      int code = call.call();
      if (code != Codes.SQLITE_OK) {
        database.throwex(code);
      }
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }
}
