package dev.holdfast.sql;

/**
 * One step that creates or changes the tables of a namespace by statements. Immutable.
 *
 * <p>To rebuild a table to which others refer, use the procedure in the documentation of SQLite,
 * after {@code PRAGMA foreign_keys = OFF}. If a step has that pragma, foreign keys are off for the
 * whole step, including {@code ON DELETE CASCADE} and similar actions. At its end all foreign keys
 * are checked; a violation fails the activation. A step with only that pragma is refused. Such a
 * step, the steps before it and the steps after it are separate batches: when one fails, the
 * batches before it stay. For an object that has nothing durable all steps are one batch, with its
 * first write.
 *
 * @param name what the step does; errors name it, and it is compared with the steps that have run;
 *     not empty
 * @param sql the statements; without parameters, not empty
 */
public record SqlMigration(String name, String sql) implements Migration {

  /**
   * Checks the texts.
   *
   * @throws IllegalArgumentException if one is blank
   */
  public SqlMigration {
    if (name.isBlank()) {
      throw new IllegalArgumentException("A migration needs a name; it has the statements: " + sql);
    }
    if (sql.isBlank()) {
      throw new IllegalArgumentException("The migration \"" + name + "\" has no statements.");
    }
  }
}
