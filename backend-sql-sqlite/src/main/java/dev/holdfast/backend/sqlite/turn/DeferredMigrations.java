package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The migrations of an object that has nothing durable. A read must see their tables, but must not
 * create the object. They are therefore committed to the log of the open database without a batch.
 * The first batch that the object writes includes them.
 *
 * <p>Until then the commits are {@linkplain OpenDatabase#isProvisional provisional}: copying the
 * log into the file, or closing the database, drops them first. This class keeps the plan, so that
 * a later turn of the same instance runs its steps again.
 *
 * <p>Confined to the thread that runs the object's turn.
 */
final class DeferredMigrations {

  /** Null if the object has something durable, or its namespace has no migrations. */
  private @Nullable MigrationPlan plan;

  /**
   * Runs the steps if they are to be deferred.
   *
   * @return false if the object has something durable; nothing is done then
   * @throws SqlException if a step fails; the caller discards the turn, which drops all of them
   */
  boolean run(SqliteTurn turn, MigrationPlan migrations) throws SqliteException {
    OpenDatabase database = turn.database();
    if (!database.isProvisional()) {
      if (!DatabaseEraser.isVacant(database.connection())) {
        return false;
      }
      commit(turn, migrations);
    }
    plan = migrations;
    return true;
  }

  /** Runs them again if the database was closed or saved since; called when a turn begins. */
  void resume(SqliteTurn turn) {
    MigrationPlan deferred = plan;
    if (deferred == null || turn.database().isProvisional()) {
      return;
    }
    boolean done = false;
    try {
      if (!run(turn, deferred)) {
        plan = null;
      }
      done = true;
    } catch (SqliteException e) {
      throw turn.failed("Running the migrations again", e);
    } finally {
      if (!done) {
        turn.discard();
      }
    }
  }

  /** Records that the object has something durable. */
  void end() {
    plan = null;
  }

  /**
   * Drops what the migrations made, because a committed turn deleted everything and left nothing
   * else: then there is nothing to seal. They run again with the next instance.
   *
   * @throws IOException if it cannot be dropped
   */
  void drop(SqliteTurn turn) throws IOException {
    OpenDatabase database = turn.database();
    if (!database.isProvisional()) {
      return;
    }
    plan = null;
    if (!turn.services().cache().revert(database)) {
      throw new IOException("unsaved migrations cannot be dropped");
    }
  }

  private static void commit(SqliteTurn turn, MigrationPlan migrations) throws SqliteException {
    OpenDatabase database = turn.database();
    database.beginProvisional();
    while (turn.runMigrations(migrations)) {
      // The following steps need another setting of foreign keys, and so another transaction.
      turn.commitLocally();
    }
    turn.commitLocally();
    try {
      database.provisionalIsWhole(turn.services().sealer());
    } catch (IOException e) {
      throw new SqliteException(10, "SQLITE_IOERR", "the log cannot be read: " + e, e);
    }
  }
}
