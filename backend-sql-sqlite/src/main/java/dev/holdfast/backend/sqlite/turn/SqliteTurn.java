package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.database.DatabaseSize;
import dev.holdfast.backend.sqlite.database.KeyValueTable;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.database.TurnTransaction;
import dev.holdfast.backend.sqlite.meter.RowCounter;
import dev.holdfast.backend.sqlite.wal.BatchTooLargeException;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.sql.JavaMigration;
import dev.holdfast.sql.SqlLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One turn: a claim on the open database, and a transaction from the first write on. Earlier reads
 * need no transaction, since there is no other writer.
 *
 * <p>Confined to the thread that runs the turn.
 */
public final class SqliteTurn implements StoreTurn {

  private final TurnServices services;
  private final OpenDatabase database;
  private final SqlLimits limits;
  private final TurnTransaction transaction;
  private final OpenCursors cursors = new OpenCursors();
  private final TurnCatalog catalog;
  private final ConnectionChanges changes;
  private final DeferredMigrations deferred;
  private boolean compacted;
  private boolean ended;
  private long sealedBytes;

  /** Runs the statements while a migration that is code runs; null otherwise. */
  private @Nullable SqlExecution migration;

  /** First critical error. Every later operation rethrows it until the turn is reverted. */
  private @Nullable StorageFailedException failure;

  /** Set by any thread: a running statement must fail. */
  private volatile boolean interrupted;

  private final BooleanSupplier interruption = this::isInterrupted;

  SqliteTurn(
      TurnServices services,
      OpenDatabase database,
      SqlLimits limits,
      TurnCatalog catalog,
      DeferredMigrations deferred) {
    this.services = services;
    this.limits = limits;
    this.database = database;
    this.transaction = new TurnTransaction(database.connection());
    this.changes = new ConnectionChanges(database.connection());
    this.catalog = catalog;
    this.deferred = deferred;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    requireUsable();
    try {
      return table().get(key);
    } catch (SqliteException e) {
      throw failed("Reading a value", e);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) {
    requireUsable();
    try {
      transaction.begin();
      table().put(key, value);
    } catch (SqliteException e) {
      throw failed("Writing a value", e);
    }
  }

  @Override
  public boolean delete(byte[] key) {
    requireUsable();
    try {
      if (!table().exists()) {
        return false;
      }
      transaction.begin();
      return table().delete(key);
    } catch (SqliteException e) {
      throw failed("Deleting a value", e);
    }
  }

  @Override
  public void deleteAll() {
    requireUsable();
    cursors.endAll("SQLite query was canceled because the database was deleted.");
    try {
      new DatabaseEraser(database.connection(), transaction).erase();
      catalog.erased();
    } catch (SqliteException e) {
      throw failed("Deleting everything", e);
    }
  }

  @Override
  public StoreScan scan(KeyRange range) {
    requireUsable();
    try {
      KeyValueScan scan = new KeyValueScan(this, table().scan(range));
      cursors.add(scan);
      return scan;
    } catch (SqliteException e) {
      throw failed("Listing values", e);
    }
  }

  @Override
  public SqlRows exec(String query, @Nullable Object[] bindings) {
    requireUsable();
    try {
      SqlExecution ofStep = migration;
      return (ofStep != null ? ofStep : execution(services.threads()::runSql)).run(query, bindings);
    } catch (SqlRefusedException e) {
      throw database.errors().sql(e);
    } catch (SqliteException e) {
      throw failed("A statement", e);
    }
  }

  @Override
  public SqlRows exec(String statement, @Nullable Object[] bindings, SqlTerms terms) {
    requireUsable();
    int pageBytes = database.sums().pageBytes();
    try {
      SqlExecution execution = execution(services.threads()::runSql);
      SqlLimits wanted = growing(terms.limits().apply(limits));
      try {
        database.connection().limitDatabase(wanted.databaseBytesMax(), pageBytes);
        return execution.under(wanted, terms.mayWrite()).runOne(statement, bindings);
      } finally {
        database.connection().limit(limits);
        database.connection().limitDatabase(limits.databaseBytesMax(), pageBytes);
      }
    } catch (SqlRefusedException e) {
      throw database.errors().sql(e);
    } catch (SqliteException e) {
      throw failed("A statement", e);
    }
  }

  /** Lets the database grow by what other limits allow in all: it may be larger than that. */
  private SqlLimits growing(SqlLimits other) throws SqliteException {
    long room = limits.databaseBytesMax() - DatabaseSize.of(database.connection());
    return other.withDatabaseBytesMax(
        limits.databaseBytesMax() - Math.max(0, room - other.databaseBytesMax()));
  }

  private SqlExecution execution(StepRunner.Threads threads) throws SqliteException {
    database.connection().limit(limits);
    return new SqlExecution(this, transaction, cursors, threads);
  }

  @Override
  public boolean migrate(MigrationPlan plan) {
    requireUsable();
    try {
      Migrations.Due due = migrations().due(plan);
      boolean mayDefer = due == Migrations.Due.ALL || database.isProvisional();
      if (due == Migrations.Due.NONE && !mayDefer) {
        return false;
      }
      return !(mayDefer && !transaction.isOpen() && deferred.run(this, plan))
          && runMigrations(plan);
    } catch (SqliteException e) {
      throw failed("Reading which migrations were run", e);
    }
  }

  @Override
  public List<String> migrationsRun() {
    requireUsable();
    try {
      return migrations().names();
    } catch (SqliteException e) {
      throw failed("Reading which migrations were run", e);
    }
  }

  private Migrations migrations() {
    return new Migrations(this, transaction);
  }

  /** {@return what runs the statements of one migration} */
  SqlExecution executionOfMigration() throws SqliteException {
    return execution(services.threads()::runMigration).ofMigrations();
  }

  /**
   * Runs a migration that is code.
   *
   * @param step the migration
   * @param code runs it
   * @param statements runs its statements
   * @throws StorageFailedException if the storage has failed meanwhile, whatever the code made of
   *     that
   */
  void runMigration(JavaMigration step, JavaStep code, SqlExecution statements) throws Exception {
    migration = statements;
    try {
      code.run(step, this);
    } finally {
      migration = null;
      cursors.endAll(OpenCursors.MIGRATION_ENDED);
      requireUsable();
    }
  }

  /** Runs migrations as {@link #migrate} does, whatever the object has. */
  boolean runMigrations(MigrationPlan plan) throws SqliteException {
    return migrations().run(plan);
  }

  /**
   * Each setting of foreign keys needs a separate transaction. They are committed to the log only,
   * as provisional commits that are never whole: discarding the turn cuts them off.
   */
  @Override
  public void tryMigrations(MigrationPlan plan) {
    requireUsable();
    try {
      boolean isDue = migrations().due(plan) != Migrations.Due.NONE;
      if (!isDue || database.isProvisional() || DatabaseEraser.isVacant(database.connection())) {
        return; // the steps of an object without data run with each instance anyway
      }
      database.beginProvisional();
      while (runMigrations(plan)) {
        commitLocally();
      }
    } catch (SqliteException e) {
      throw failed("Trying migrations", e);
    }
  }

  /**
   * Commits what the turn has written so far, without a batch: the batch of a later commit includes
   * it.
   */
  void commitLocally() throws SqliteException {
    try {
      if (transaction.isOpen()) {
        transaction.commit();
      }
    } catch (SqliteException e) {
      if (ObjectErrors.isConstraint(e)) {
        throw database.errors().constraintsViolated(e);
      }
      throw e;
    }
    if (!changes.resumeForeignKeys()) {
      throw new SqliteException(1, "SQLITE_ERROR", "foreign keys cannot be switched on", null);
    }
  }

  /** Runs migrations and undoes them, to check whether they can run. */
  public void checkMigrations(MigrationPlan plan) throws SqliteException {
    openSavepoint();
    try {
      migrations().runAll(plan);
    } finally {
      rollbackToSavepoint();
      database.connection().forgetTables();
    }
  }

  @Override
  public void interrupt() {
    interrupted = true;
  }

  private boolean isInterrupted() {
    return interrupted;
  }

  /** {@return whether the turn was interrupted; one shared object, because rows are many} */
  BooleanSupplier interruption() {
    return interruption;
  }

  @Override
  public void keepCursors() {
    if (ended || failure != null) {
      return;
    }
    try {
      cursors.keepAll(SqliteBounds.CURSOR_BYTES_KEPT_MAX);
    } catch (SqliteException e) {
      // Readers of the cursors get the error; the turn has lost nothing.
      cursors.endAll(ObjectErrors.text(e));
    }
  }

  @Override
  public void keepOverWait() {
    if (!ended) {
      services.cache().keepBeyondBound(database);
    }
  }

  @Override
  public long databaseSize() {
    requireUsable();
    try {
      return DatabaseSize.of(database.connection());
    } catch (SqliteException e) {
      throw failed("Reading the size", e);
    }
  }

  @Override
  public void openSavepoint() {
    requireUsable();
    try {
      transaction.openSavepoint();
      catalog.alarmsOfTurn().openSavepoint();
    } catch (SqliteException e) {
      throw failed("Opening a savepoint", e);
    }
  }

  @Override
  public void releaseSavepoint() {
    requireUsable();
    try {
      transaction.releaseSavepoint();
      catalog.alarmsOfTurn().releaseSavepoint();
    } catch (SqliteException e) {
      throw failed("Releasing a savepoint", e);
    }
  }

  @Override
  public void rollbackToSavepoint() {
    requireUsable();
    cursors.rollback();
    try {
      transaction.rollbackToSavepoint();
      catalog.alarmsOfTurn().rollbackToSavepoint();
    } catch (SqliteException e) {
      throw failed("Rolling back to a savepoint", e);
    }
  }

  /**
   * Attaches a file under the name {@code imported} until the end of the turn. The turn must not
   * have begun to write.
   *
   * @throws SqliteException if the file contains what the limits of the object do not allow; it is
   *     not attached then
   */
  public void attach(Path file) throws SqliteException {
    requireUsable();
    try {
      database.connection().limit(limits);
      changes.attach(file);
    } catch (SqliteException e) {
      if (!changes.detach()) {
        failure = database.errors().sqliteFailed("Detaching a file", e);
      }
      throw e;
    }
  }

  /**
   * Switches the enforcement of foreign keys off until the end of the turn. The turn must not have
   * begun to write.
   */
  public void suspendForeignKeys() throws SqliteException {
    changes.suspendForeignKeys();
  }

  @Override
  public List<AlarmRecord> alarms() {
    requireUsable();
    try {
      return catalog.alarms();
    } catch (SqliteException e) {
      throw failed("Reading the alarms", e);
    }
  }

  @Override
  public void setAlarms(List<AlarmRecord> alarms) {
    requireUsable();
    catalog.setAlarms(alarms);
  }

  @Override
  public boolean mayHaveWritten() {
    return transaction.isOpen() || compacted || catalog.mayChange();
  }

  @Override
  public long seal(@Nullable ByteBuffer events) {
    requireUsable();
    cursors.endAll(OpenCursors.TURN_ENDED);
    CatalogChange change = writeAlarms();
    if (transaction.isOpen()) {
      commit();
    } else if (change == null && !compacted) {
      end();
      return Journal.START;
    }
    boolean sealed = false;
    try {
      if (catalog.isGone()) {
        deferred.drop(this);
      }
      long position = services.sealer().seal(database, catalog.key(), change, events);
      if (position > Journal.START) {
        sealedBytes = database.batchBytes();
        deferred.end();
      }
      sealed = true;
      catalog.sealed(change, position);
      return position;
    } catch (BatchTooLargeException e) {
      throw database.errors().tooLarge(e);
    } catch (IOException e) {
      throw database
          .errors()
          .storage("Making the batch failed: " + e.getMessage() + "; nothing was stored", e);
    } finally {
      if (sealed) {
        end();
      } else {
        revert();
      }
    }
  }

  /** SQLite writes a whole new database into the log, as one commit. */
  @Override
  public void compact() {
    requireUsable();
    if (transaction.isOpen()) {
      throw new IllegalStateException("The turn of " + database.key() + " has begun to write.");
    }
    if (database.isProvisional()) {
      return; // nothing of it is durable
    }
    compacted = true;
    cursors.endAll(OpenCursors.TURN_ENDED);
    try {
      services
          .threads()
          .run(
              () -> {
                database.connection().vacuum();
                return database;
              });
    } catch (SqliteException e) {
      throw failed("Compacting the database", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("A storage thread failed", e);
    }
  }

  @Override
  public long sealedBytes() {
    return sealedBytes;
  }

  @Override
  public void discard() {
    if (ended) {
      return;
    }
    cursors.endAll(OpenCursors.TURN_ENDED);
    if (failure != null || compacted || !transaction.rollback() || database.isPartlyProvisional()) {
      revert();
    } else {
      end();
    }
  }

  private @Nullable CatalogChange writeAlarms() {
    try {
      return catalog.write(transaction);
    } catch (SqliteException e) {
      StorageFailedException failed = database.errors().sqliteFailed("Writing the alarms", e);
      revert();
      throw failed;
    }
  }

  private void commit() {
    try {
      transaction.commit();
    } catch (SqliteException e) {
      if (ObjectErrors.isConstraint(e) && transaction.rollback()) {
        end();
        throw database.errors().constraintsViolated(e);
      }
      StorageFailedException failed = database.errors().sqliteFailed("The commit", e);
      revert();
      throw failed;
    }
  }

  /** {@return the time of the runtime's monotonic clock, in nanoseconds} */
  public long monotonicNanos() {
    return services.time().monotonicNanos();
  }

  /** {@return the limits of the object} */
  public SqlLimits limits() {
    return limits;
  }

  TurnServices services() {
    return services;
  }

  public OpenDatabase database() {
    return database;
  }

  private KeyValueTable table() {
    return database.connection().keyValues();
  }

  /** {@return the error of a turn whose transaction SQLite has rolled back} */
  public RuntimeException lost(String doing, SqliteException e) {
    transaction.lose();
    return failed(doing, e);
  }

  /**
   * Converts an error into the exception for the caller; a critical one makes this turn unusable.
   */
  RuntimeException failed(String doing, SqliteException e) {
    if (!ObjectErrors.isCritical(e) && !transaction.isLost()) {
      return database.errors().sql(e);
    }
    StorageFailedException failed = database.errors().sqliteFailed(doing, e);
    failure = failed;
    return failed;
  }

  /** {@return what a counter has counted as read; fails as a statement does} */
  long rowsRead(RowCounter counter) {
    try {
      return counter.rowsRead();
    } catch (SqliteException e) {
      throw failed("Counting rows", e);
    }
  }

  void forget(KeyValueScan scan) {
    cursors.remove(scan);
  }

  private void end() {
    boolean detached = changes.detach();
    if (!changes.resumeForeignKeys() || !detached) {
      revert();
      return;
    }
    ended = true;
    services.release(database);
  }

  private void revert() {
    ended = true;
    if (database.isInDoubt()) {
      services
          .cache()
          .giveUp(database, "an error ended its last turn when the journal may have had it");
    } else if (services.cache().revert(database)) {
      services.release(database);
    }
  }

  private void requireUsable() {
    if (ended) {
      throw new IllegalStateException("The turn of " + database.key() + " has ended.");
    }
    if (failure != null) {
      throw database
          .errors()
          .storage("The turn has failed before: " + failure.getMessage(), failure);
    }
  }
}
