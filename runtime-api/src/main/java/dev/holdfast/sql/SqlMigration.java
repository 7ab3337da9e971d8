package dev.holdfast.sql;

/**
 * One step of how the tables of a namespace came to be what they are. Immutable.
 *
 * <p>A namespace has an ordered list of them; see {@link
 * dev.holdfast.NamespaceOptions#withMigrations}. New steps are added at the end; a step that has
 * run anywhere is never changed, since it will not run there again.
 *
 * <p>A table that others refer to is made anew as SQLite documents it, after {@code PRAGMA
 * foreign_keys = OFF}. If a step has that pragma, foreign keys are off for the whole step, {@code
 * ON DELETE CASCADE} and the like included; at its end all keys are checked, and one that is broken
 * fails the activation. A step with that pragma and nothing else is refused. Such steps, those
 * before and those after them are batches of their own: when one fails, what was run before it
 * stays run. Of an object that has nothing durable all steps are one batch, with its first write.
 *
 * @param name what the step does; told in errors, and checked against what was run; not empty
 * @param sql the statements; without parameters, not empty
 */
public record SqlMigration(String name, String sql) {

  /**
   * Checks the texts.
   *
   * @throws IllegalArgumentException if one is blank
   */
  public SqlMigration {
    if (name.isBlank() || sql.isBlank()) {
      throw new IllegalArgumentException("A migration needs a name and statements.");
    }
  }
}
