package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.StatementRun;
import dev.holdfast.backend.sqlite.meter.RowCounter;
import dev.holdfast.backend.sqlite.meter.TableSizes;
import dev.holdfast.backend.sqlite.sql.Schema;

/**
 * An execution of a statement whose rows are counted. Confined to the object's turn.
 *
 * @param objects the connection of the object
 * @param schema as of the execution
 * @param steps counts large tables, which takes long
 * @param run counts instructions
 */
record CountedRun(ObjectConnection objects, Schema schema, StepRunner steps, StatementRun run)
    implements RowCounter.Execution {

  @Override
  public SqliteConnection connection() {
    return objects.connection();
  }

  @Override
  public long stepsRun() {
    return run.stepsRun();
  }

  @Override
  public long entries(int root) throws SqliteException {
    String table = schema.tableAt(root);
    if (table == null) {
      return 0;
    }
    TableSizes sizes = objects.sizes();
    Long known = sizes.of(table);
    return known != null ? known : steps.runElsewhere(() -> sizes.count(table));
  }
}
