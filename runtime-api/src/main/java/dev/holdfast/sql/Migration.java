package dev.holdfast.sql;

/**
 * One step that brings the storage of an object up to date: statements ({@link SqlMigration}) or
 * code ({@link JavaMigration}). Immutable.
 *
 * <p>A namespace has an ordered list of steps; see {@link
 * dev.holdfast.NamespaceOptions#withMigrations}. Add new steps at the end. Never change a step that
 * has run anywhere: it does not run there again.
 */
public sealed interface Migration permits SqlMigration, JavaMigration {

  /** {@return what the step does; compared with the steps that an object has run; not blank} */
  String name();
}
