package dev.holdfast.backend.sqlite.binding;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;
import org.sqlite.core.Codes;
import org.sqlite.core.CorePreparedStatement;
import org.sqlite.core.DB;

/** A statement of sqlite-jdbc, by its handle. Thread rules as for {@link SqliteStatement}. */
final class JdbcStatement implements SqliteStatement {

  private static final byte[] EMPTY = {};

  private static final char REPLACEMENT = '\uFFFD';

  /** The first byte of U+D000 to U+D7FF, and of encoded surrogates. */
  private static final byte SURROGATE_LEAD = (byte) 0xed;

  private static final int ALONE = 0xff;

  private final Handle handle;
  private final DB database;
  private final long pointer;

  /** Whether it may hold a row; each call of the native library costs about 50 ns. */
  private boolean mayStandOnRow;

  private boolean hasLargeBinding;

  /** Has this statement while it is open; may be null. */
  private final @Nullable Set<JdbcStatement> registry;

  /**
   * Compiles a statement.
   *
   * @param registry the open statements of the connection, from which it removes itself; null for
   *     none
   */
  JdbcStatement(SQLiteConnection connection, String sql, @Nullable Set<JdbcStatement> registry)
      throws SQLException {
    this.registry = registry;
    handle = new Handle(connection, sql);
    database = connection.getDatabase();
    pointer = handle.pointer.safeRunLong((_, address) -> address);
  }

  @Override
  public boolean isOpen() {
    return !handle.pointer.isClosed();
  }

  @Override
  public int parameterCount() {
    return handle.parameterCount();
  }

  @Override
  public int columnCount() {
    return handle.columnCount();
  }

  @Override
  public List<String> columnNames() throws SqliteException {
    if (handle.columnCount() == 0) {
      return List.of();
    }
    try {
      requireOpen();
      // Read again each time: a schema change recompiles the statement.
      return List.of(database.column_names(pointer));
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public boolean start(@Nullable Object... bindings) throws SqliteException {
    if (bindings.length == 0) {
      // The driver would ask SQLite for the number of parameters. It would also take its lock of
      // the connection four times: where the JVM has compiled that for arrays, a call without an
      // array makes it discard the code, and the lock becomes a monitor that is slow for all calls.
      return step();
    }
    try {
      mayStandOnRow = true;
      hasLargeBinding = hasLarge(bindings);
      if (database.execute(handle, bindings)) {
        return true;
      }
      ended();
      return false;
    } catch (SQLException e) {
      SqliteException translated = JdbcLibrary.translated(e);
      reset();
      throw translated;
    }
  }

  @Override
  public void run() throws SqliteException {
    if (step()) {
      reset();
    }
  }

  @Override
  public boolean step() throws SqliteException {
    try {
      requireOpen();
      mayStandOnRow = true;
      int code = database.step(pointer);
      if (code == Codes.SQLITE_ROW) {
        return true;
      }
      if (code != Codes.SQLITE_DONE) {
        database.throwex(code);
      }
      database.reset(pointer);
      ended();
      return false;
    } catch (SQLException e) {
      SqliteException translated = JdbcLibrary.translated(e);
      reset();
      throw translated;
    }
  }

  @Override
  public @Nullable Object value(int column) throws SqliteException {
    try {
      requireOpen();
      return column(column);
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public void values(@Nullable Object[] values) throws SqliteException {
    try {
      requireOpen();
      for (int column = 0; column < values.length; column++) {
        values[column] = column(column);
      }
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  private @Nullable Object column(int column) throws SQLException {
    return switch (database.column_type(pointer, column)) {
      case Codes.SQLITE_INTEGER -> database.column_long(pointer, column);
      case Codes.SQLITE_FLOAT -> database.column_double(pointer, column);
      // The driver itself reads a text through a direct buffer: 40 ns more.
      case Codes.SQLITE_TEXT -> text(blob(column));
      case Codes.SQLITE_BLOB -> blob(column);
      default -> null;
    };
  }

  /**
   * Bytes that are not UTF-8 become U+FFFD as in browsers and the reference: three for a surrogate
   * of three bytes, for which Java makes one.
   */
  private static String text(byte[] utf8) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) < 0) {
      return text;
    }
    ByteArrayOutputStream apart = new ByteArrayOutputStream(utf8.length + 16);
    for (int i = 0; i < utf8.length; i++) {
      boolean isSurrogate =
          utf8[i] == SURROGATE_LEAD && i + 1 < utf8.length && (utf8[i + 1] & 0xe0) == 0xa0;
      // A byte that can only stand alone; its continuation bytes then stand alone, too.
      apart.write(isSurrogate ? ALONE : utf8[i]);
    }
    return apart.toString(StandardCharsets.UTF_8);
  }

  private byte[] blob(int column) throws SQLException {
    byte @Nullable [] bytes = database.column_blob(pointer, column);
    return bytes == null ? EMPTY : bytes;
  }

  @Override
  public byte[] bytes(int column) throws SqliteException {
    try {
      requireOpen();
      return blob(column);
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public long integer(int column) throws SqliteException {
    try {
      requireOpen();
      return database.column_long(pointer, column);
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  @Override
  public void reset() {
    if (!mayStandOnRow || !isOpen()) {
      return;
    }
    try {
      database.reset(pointer);
      ended();
    } catch (SQLException e) {
      throw new IllegalStateException("sqlite-jdbc cannot reset a statement", e);
    }
  }

  private static boolean hasLarge(@Nullable Object[] bindings) {
    for (Object each : bindings) {
      boolean isLarge =
          (each instanceof byte[] bytes && bytes.length > SqliteBounds.BINDING_BYTES_KEPT_MAX)
              || (each instanceof String text
                  && text.length() > SqliteBounds.BINDING_BYTES_KEPT_MAX);
      if (isLarge) {
        return true;
      }
    }
    return false;
  }

  /** The statement was reset. SQLite keeps copies of the bindings until the next execution. */
  private void ended() throws SQLException {
    mayStandOnRow = false;
    if (hasLargeBinding) {
      hasLargeBinding = false;
      database.clear_bindings(pointer);
    }
  }

  @Override
  public void close() {
    if (registry != null) {
      registry.remove(this);
    }
    try {
      handle.pointer.close();
    } catch (SQLException e) {
      throw new IllegalStateException("sqlite-jdbc cannot close a statement", e);
    }
  }

  /** The raw handle of a closed statement is a dangling pointer. */
  private void requireOpen() {
    if (!isOpen()) {
      throw new IllegalStateException("The statement is closed.");
    }
  }

  /** What the driver needs to register a statement; never used as a statement. */
  private static final class Handle extends CorePreparedStatement {
    Handle(SQLiteConnection connection, String sql) throws SQLException {
      super(connection, sql);
    }

    int parameterCount() {
      return paramCount;
    }

    int columnCount() {
      return columnCount;
    }
  }
}
