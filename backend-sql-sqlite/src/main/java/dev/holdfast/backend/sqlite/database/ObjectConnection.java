package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteLimit;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.binding.StatementCache;
import dev.holdfast.backend.sqlite.meter.TableSizes;
import dev.holdfast.backend.sqlite.sql.Schemas;
import dev.holdfast.backend.sqlite.sql.SqlStatement;
import dev.holdfast.backend.sqlite.sql.StatementPlans;
import dev.holdfast.sql.SqlLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the database of one object, set up as a view of the journal, with the statements
 * that every turn needs. Confined to the holder of the database.
 */
public final class ObjectConnection {

  /**
   * The lock comes first: set later, it would come after a shared memory file. No syncs, since the
   * journal makes durable what matters. No automatic checkpoints, since they would copy commits
   * into the file that the journal may not have yet. Large sorts go to temporary files, which
   * SQLite deletes as soon as it has opened them, and not to unbounded memory. ANALYZE without
   * samples, as with any limit: with them, each value of a parameter may change the program.
   */
  private static final String SETTINGS =
      """
      PRAGMA locking_mode=EXCLUSIVE;
      PRAGMA synchronous=OFF;
      PRAGMA wal_autocheckpoint=0;
      PRAGMA foreign_keys=ON;
      PRAGMA temp_store=FILE;
      PRAGMA analysis_limit=2147483647;
      PRAGMA cache_size=-512;
      """;

  /**
   * A database in memory has neither locks nor a log. With its first page SQLite allocates 20 more
   * in its cache, 87 KiB, and keeps them until the cache is empty; it does not allocate them for a
   * cache of one page, nor later for one that has a page already.
   */
  private static final String SETTINGS_IN_MEMORY =
      """
      PRAGMA foreign_keys=ON;
      PRAGMA temp_store=FILE;
      PRAGMA analysis_limit=2147483647;
      PRAGMA cache_size=1;
      PRAGMA shrink_memory;
      PRAGMA schema_version;
      PRAGMA cache_size=-512;
      """;

  /** The most that SQLite can count. */
  private static final long PAGES_MAX = 0xFFFF_FFFEL;

  private final SqliteConnection connection;
  private final KeyValueTable keyValues;
  private final AlarmTables alarms;
  private final StatementCache statements;
  private final Switches switches;

  private final TableSizes sizes;

  /** The limits of the object that uses the connection; null until it runs a statement. */
  private @Nullable SqlLimits limits;

  private int valueBytesMax = Integer.MAX_VALUE;
  private long databaseBytesMax;
  private @Nullable StepBudget budget;
  private @Nullable StatementPlans plans;

  /** Whether it has run only statements of keys, transactions and settings, all of them ours. */
  private boolean isPlain = true;

  // Prepared when first needed: many objects are only read.
  private @Nullable SqliteStatement begin;
  private @Nullable SqliteStatement commit;
  private @Nullable SqliteStatement rollback;

  private ObjectConnection(SqliteConnection connection) {
    this.connection = connection;
    this.statements = new StatementCache(connection);
    this.switches = new Switches(connection);
    this.sizes = new TableSizes(statements);
    this.alarms = new AlarmTables(connection, this::hiddenTableMade);
    this.keyValues = new KeyValueTable(connection, statements, this::hiddenTableMade);
  }

  /** Opens an existing database file. Blocks in native code. */
  public static ObjectConnection open(SqliteLibrary library, Path file) throws SqliteException {
    SqliteConnection connection = library.open(file);
    try {
      setUp(connection);
      return new ObjectConnection(connection);
    } catch (SqliteException | RuntimeException e) {
      connection.abandonAfter(e);
      throw e;
    }
  }

  /** Opens a database in memory. Blocks in native code. */
  static ObjectConnection openInMemory(SqliteLibrary library, byte[] image) throws SqliteException {
    SqliteConnection connection = library.open(image);
    try {
      connection.execute(SETTINGS_IN_MEMORY);
      ConnectionLimits.applyWidest(connection);
      return new ObjectConnection(connection);
    } catch (SqliteException | RuntimeException e) {
      connection.abandonAfter(e);
      throw e;
    }
  }

  private static void setUp(SqliteConnection connection) throws SqliteException {
    connection.execute(SETTINGS);
    if (!connection.texts("PRAGMA main.journal_mode=WAL").equals(List.of("wal"))) {
      throw new SqliteException(
          1, "SQLITE_ERROR", "cannot switch the file to a write-ahead log", null);
    }
    ConnectionLimits.applyWidest(connection);
  }

  /** {@return the connection, for statements of any kind} */
  public SqliteConnection connection() {
    isPlain = false;
    return connection;
  }

  /** {@return the connection, to read the image of the database} */
  SqliteConnection connectionOfImage() {
    return connection;
  }

  public KeyValueTable keyValues() {
    return keyValues;
  }

  public AlarmTables alarms() {
    return alarms;
  }

  public StatementCache statements() {
    isPlain = false;
    return statements;
  }

  /** {@return the switches that the application has set} */
  public Switches switches() {
    return switches;
  }

  /** {@return the plans of statements on this connection} */
  public StatementPlans plans(Schemas schemas) {
    if (plans == null) {
      isPlain = false;
      plans = new StatementPlans(schemas, connection, switches::moved);
    }
    return plans;
  }

  /**
   * {@return whether a statement that SQLite had no memory to compile is only too long: SQLite
   * reports the same for a statement that compiles to too many instructions}
   *
   * @param statement of rows or of the schema, so that compiling it changes nothing
   */
  public boolean isTooManyInstructions(SqlStatement statement) throws SqliteException {
    connection.limit(SqliteLimit.VDBE_OP, SqliteBounds.LIFTED_INSTRUCTIONS_MAX);
    try {
      connection.prepare(statement.explained()).close();
      return true;
    } catch (SqliteException e) {
      // Generated columns that name one another often have more than any limit; if there is memory
      // for another statement, it was not the memory.
      return canCompile();
    } finally {
      limitAgain();
    }
  }

  private boolean canCompile() {
    try {
      connection.prepare("SELECT 1").close();
      return true;
    } catch (SqliteException e) {
      return false;
    }
  }

  /** Sets the limits again, after they were lifted for a statement of ours. */
  public void limitAgain() throws SqliteException {
    SqlLimits known = limits;
    if (known == null) {
      ConnectionLimits.applyWidest(connection);
      valueBytesMax = Integer.MAX_VALUE;
    } else {
      ConnectionLimits.apply(known, connection);
      valueBytesMax = ConnectionLimits.usualValueBytesMax(known);
    }
  }

  /** Sets the limits of the object that now uses the connection. */
  public void limit(SqlLimits wanted) throws SqliteException {
    if (!wanted.equals(limits)) {
      limits = wanted;
      limitAgain();
    }
  }

  /**
   * Bounds the values of the next statement of the application. Does nothing if the bound is
   * already set.
   */
  public void allowValues(int bytesMax) throws SqliteException {
    if (bytesMax != valueBytesMax) {
      connection.limit(SqliteLimit.LENGTH, bytesMax);
      valueBytesMax = bytesMax;
    }
  }

  /** Called when the statement has ended, or stands on a row; other statements may follow. */
  public void allowUsualValues() throws SqliteException {
    SqlLimits known = limits;
    if (known != null) {
      allowValues(ConnectionLimits.usualValueBytesMax(known));
    }
  }

  /**
   * Bounds the size of the database; a database that is already larger can no longer grow.
   *
   * @param bytesMax how large it may be
   * @param pageBytes the size of its pages
   */
  public void limitDatabase(long bytesMax, int pageBytes) throws SqliteException {
    if (bytesMax == databaseBytesMax) {
      return;
    }
    long pages = Math.clamp(bytesMax / pageBytes, 1, PAGES_MAX);
    connection.execute("PRAGMA main.max_page_count=" + pages);
    databaseBytesMax = bytesMax;
  }

  /**
   * {@return the budget that stops statements that run too long}
   *
   * @param stepsBetween how many instructions SQLite runs between two progress calls
   */
  public StepBudget budget(int stepsBetween) throws SqliteException {
    StepBudget known = budget;
    if (known == null) {
      isPlain = false;
      known = new StepBudget();
      budget = known;
    }
    if (known.stepsBetween() != stepsBetween) {
      connection.onProgress(stepsBetween, known::isSpent);
      known.askedEvery(stepsBetween);
    }
    return known;
  }

  /**
   * {@return statements of ours that run expressions of others, until {@link #unbounded}}
   *
   * @param wanted the limits of the object
   * @param fileBytes the size of the file from which the expressions are
   * @param interrupted whether the object was reset
   * @param nanos a monotonic clock
   */
  public BoundedStatements bounded(
      SqlLimits wanted, long fileBytes, BooleanSupplier interrupted, LongSupplier nanos)
      throws SqliteException {
    isPlain = false;
    limit(wanted);
    budget = null; // its progress handler is replaced
    return new BoundedStatements(connection, wanted, fileBytes, interrupted, nanos);
  }

  /** Ends the bounds of statements of ours. */
  public void unbounded() throws SqliteException {
    connection.onProgress(SqliteBounds.STEPS_BETWEEN_QUESTIONS, () -> false);
    limitAgain();
  }

  /** {@return the numbers of rows of tables} */
  public TableSizes sizes() {
    isPlain = false;
    return sizes;
  }

  /** Forgets what is known of the tables, because a rollback may have undone it. */
  public void forgetTables() {
    keyValues.forget();
    sizes.forget();
    if (plans != null) {
      plans.schemaMayHaveChanged();
    }
  }

  private void hiddenTableMade() {
    if (plans != null) {
      plans.hiddenTableMade();
    }
  }

  void begin() throws SqliteException {
    if (begin == null) {
      begin = connection.prepare("BEGIN");
    }
    begin.run();
  }

  void commit() throws SqliteException {
    if (commit == null) {
      commit = connection.prepare("COMMIT");
    }
    commit.run();
  }

  void rollback() throws SqliteException {
    if (rollback == null) {
      rollback = connection.prepare("ROLLBACK");
    }
    rollback.run();
  }

  /** Runs a statement of ours that has no rows; keeps it prepared. */
  public void run(String sql) throws SqliteException {
    statements.run(sql);
  }

  /**
   * Copies everything in the log into the database file, without a sync. The next write then
   * restarts the log.
   *
   * @throws SqliteException if not all was copied; the log still has everything
   */
  void copyWal() throws SqliteException {
    try (SqliteStatement checkpoint = connection.prepare("PRAGMA main.wal_checkpoint(PASSIVE)")) {
      if (!checkpoint.start()) {
        throw notAllCopied("no answer");
      }
      long busy = checkpoint.integer(0);
      long inLog = checkpoint.integer(1);
      long copied = checkpoint.integer(2);
      if (busy != 0 || inLog != copied) {
        throw notAllCopied("busy=" + busy + ", frames=" + inLog + ", copied=" + copied);
      }
    }
  }

  /** Writes the database again without free pages; no transaction is open. */
  public void vacuum() throws SqliteException {
    isPlain = false;
    ConnectionLimits.lift(connection);
    try {
      connection.execute("VACUUM main");
    } finally {
      limitAgain();
    }
    forgetTables();
  }

  private static SqliteException notAllCopied(String why) {
    return new SqliteException(5, "SQLITE_BUSY", "the log was not copied: " + why, null);
  }

  /** Closes the connection; copies the log into the file and deletes it. */
  public void close() throws SqliteException {
    connection.close();
  }

  /**
   * Closes the connection of a small database in memory. If it was used only for keys and values,
   * another object may get what is left of it.
   */
  void closeForOthers() throws SqliteException {
    if (isPlain && !alarms.hasWritten() && switches.moved().isEmpty()) {
      connection.closeForOthers();
    } else {
      connection.close();
    }
  }

  /** Closes the connection and leaves file and log as they are. */
  void abandon() throws SqliteException {
    connection.closeWithoutCheckpoint();
  }
}
