package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.sql.SqlMigration;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Migrations of the tables of a namespace. */
final class MigrationStepsTest {

  @TempDir private Path directory;
  private SqlObject object;

  @BeforeEach
  void make() {
    object = new SqlObject(directory);
  }

  private static final SqlMigration TABLE =
      new SqlMigration("people", "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)");
  private static final SqlMigration COLUMN =
      new SqlMigration(
          "age", "ALTER TABLE person ADD COLUMN age INTEGER; UPDATE person SET age = 1");

  private static NamespaceOptions migrated(SqlMigration... migrations) {
    return NamespaceOptions.DEFAULT.withMigrations(List.of(migrations));
  }

  /** An object that was only read has no durable tables. */
  private static void write(ObjectContext context) {
    context.storage().put("written", true);
  }

  @Test
  void migrationsRunOncePerObjectInOrder() {
    try (ObjectRuntime runtime = object.open(migrated(TABLE))) {
      SqlObject.in(
          runtime,
          context ->
              context.storage().sql().exec("INSERT INTO person (name) VALUES ('Ada'), ('Bob')"));
    }
    try (ObjectRuntime runtime = object.open(migrated(TABLE, COLUMN))) {
      SqlObject.in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT age FROM person").raw().toList())
                  .containsExactly(List.of(1L), List.of(1L)));
      SqlObject.in(runtime, context -> context.storage().sql().exec("UPDATE person SET age = 30"));
    }
    try (ObjectRuntime runtime = object.open(migrated(TABLE, COLUMN))) {
      SqlObject.in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT age FROM person").raw().toList())
                  .containsExactly(List.of(30L), List.of(30L)));
    }
  }

  @Test
  void failingMigrationLeavesTheObjectAsItWas() {
    SqlMigration broken =
        new SqlMigration("broken", "CREATE TABLE other (v); INSERT INTO missing VALUES (1)");
    try (ObjectRuntime runtime = object.open(migrated(TABLE))) {
      SqlObject.in(
          runtime,
          context -> context.storage().sql().exec("INSERT INTO person (name) VALUES ('Ada')"));
    }
    try (ObjectRuntime runtime = object.open(migrated(TABLE, COLUMN, broken))) {
      assertThatThrownBy(() -> SqlObject.in(runtime, context -> {}))
          .isInstanceOf(InstanceResetException.class)
          .cause()
          .isInstanceOf(SqlException.class)
          .hasMessageContaining("Migration 3 \"broken\" failed, and nothing was changed")
          .hasMessageContaining("no such table: missing");
    }
    try (ObjectRuntime runtime = object.open(migrated(TABLE, COLUMN))) {
      SqlObject.in(
          runtime,
          context ->
              assertThat(
                      context
                          .storage()
                          .sql()
                          .exec("SELECT name FROM sqlite_schema WHERE name IN ('other', 'person')")
                          .raw()
                          .toList())
                  .containsExactly(List.of("person")));
    }
  }

  @Test
  void migrationsThatWereChangedAreRefused() {
    try (ObjectRuntime runtime = object.open(migrated(TABLE, COLUMN))) {
      SqlObject.in(runtime, MigrationStepsTest::write);
    }
    SqlMigration changed = new SqlMigration("people", "CREATE TABLE person (id)");
    assertActivationFails(migrated(changed, COLUMN), "has run another migration 1, \"people\"");
    assertActivationFails(migrated(COLUMN, TABLE), "has run another migration 1, \"people\"");
    assertActivationFails(migrated(TABLE), "has run 2 migrations, but only 1 are given");
  }

  /** The engine might have noted the sum of the text as a version before did. */
  @Test
  void migrationThatIsOnlyFormattedAnewIsTheSame() {
    SqlMigration first = new SqlMigration("t", "CREATE TABLE t (a, b DEFAULT 'x  y');\nSELECT 1");
    SqlMigration again =
        new SqlMigration(
            "t", "-- one table\r\nCREATE TABLE t (\r\n\ta,b  DEFAULT 'x  y');\r\n  SELECT 1\r\n");
    SqlMigration other = new SqlMigration("t", "CREATE TABLE t (a, b DEFAULT 'x y'); SELECT 1");
    try (ObjectRuntime runtime = object.open(migrated(first))) {
      SqlObject.in(runtime, MigrationStepsTest::write);
    }
    try (ObjectRuntime runtime = object.open(migrated(again))) {
      SqlObject.in(runtime, MigrationStepsTest::write);
    }
    assertActivationFails(migrated(other), "has run another migration 1, \"t\"");
  }

  @Test
  void migrationsThatAreForgottenAreMissedByTheFirstStatement() {
    try (ObjectRuntime runtime = object.open(migrated(TABLE, COLUMN))) {
      SqlObject.in(runtime, MigrationStepsTest::write);
    }
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      assertThatThrownBy(() -> SqlObject.in(runtime, context -> exec(context, "SELECT 1")))
          .isInstanceOf(SqlException.class)
          .hasMessageContaining("has run 2 migrations, and none are given");
    }
    NamespaceOptions allowed = NamespaceOptions.DEFAULT.withNewerMigrationsAllowed(true);
    try (ObjectRuntime runtime = object.open(allowed)) {
      SqlObject.in(runtime, context -> exec(context, "SELECT 1"));
    }
  }

  private static void exec(ObjectContext context, String sql) {
    context.storage().sql().exec(sql);
  }

  private void assertActivationFails(NamespaceOptions options, String why) {
    try (ObjectRuntime runtime = object.open(options)) {
      assertThatThrownBy(() -> SqlObject.in(runtime, context -> {}))
          .cause()
          .hasMessageContaining(why);
    }
  }

  private static final SqlMigration FAMILIES =
      new SqlMigration(
          "families",
          "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p ON DELETE"
              + " CASCADE); INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)");
  private static final String ANEW =
      "CREATE TABLE q (id INTEGER PRIMARY KEY, more); INSERT INTO q SELECT id, 1 FROM p;"
          + " DROP TABLE p; ALTER TABLE q RENAME TO p";

  private List<?> childrenAfter(String sql) {
    try (ObjectRuntime runtime = object.open(migrated(FAMILIES))) {
      SqlObject.in(runtime, MigrationStepsTest::write);
    }
    AtomicReference<List<?>> children = new AtomicReference<>();
    try (ObjectRuntime runtime = object.open(migrated(FAMILIES, new SqlMigration("next", sql)))) {
      SqlObject.in(
          runtime,
          context -> children.set(context.storage().sql().exec("SELECT p FROM c").raw().toList()));
    }
    return children.get();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PRAGMA foreign_keys = OFF",
        "pragma main.foreign_keys=no",
        "PRAGMA foreign_keys /* while p is gone */ = OFF",
        "PRAGMA foreign_keys -- while p is gone\n = 'off'",
        "PRAGMA/**/foreign_keys(0)",
        "PRAGMA \"foreign_keys\" = false",
        "PRAGMA [Foreign_Keys] = 00",
        "PRAGMA foreign_keys = offline",
        "PRAGMA foreign_keys = 1024"
      })
  void tableIsRebuiltWithoutTheRowsThatReferToIt(String off) {
    assertThat(childrenAfter(off + "; " + ANEW + "; PRAGMA foreign_keys = ON"))
        .isEqualTo(List.of(List.of(1L)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-- no need for PRAGMA foreign_keys = OFF\nDELETE FROM p",
        "CREATE TABLE doc (x); INSERT INTO doc VALUES ('PRAGMA foreign_keys = OFF'); DELETE FROM p",
        "PRAGMA foreign_keys = ON; DELETE FROM p",
        "PRAGMA foreign_keys = 1; DELETE FROM p"
      })
  void keysStayOnWhereNothingSwitchesThemOff(String sql) {
    assertThat(childrenAfter(sql)).isEmpty();
  }

  /** It would have no effect, and the step that relies on it would delete the referring rows. */
  @Test
  void switchAsAStepOfItsOwnIsRefused() {
    try (ObjectRuntime runtime = object.open(migrated(FAMILIES))) {
      SqlObject.in(runtime, MigrationStepsTest::write);
    }
    assertActivationFails(
        migrated(
            FAMILIES,
            new SqlMigration("off", "PRAGMA foreign_keys = OFF;"),
            new SqlMigration("anew", ANEW),
            new SqlMigration("on", "PRAGMA foreign_keys = ON;")),
        "holds for its own step, and there is nothing else in it");
    try (ObjectRuntime runtime = object.open(migrated(FAMILIES))) {
      SqlObject.in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT p FROM c").raw().one())
                  .isEqualTo(List.of(1L)));
    }
  }

  @Test
  void deleteAllLetsMigrationsRunAgain() {
    try (ObjectRuntime runtime = object.open(migrated(TABLE))) {
      SqlObject.in(runtime, context -> context.storage().deleteAll());
    }
    try (ObjectRuntime runtime = object.open(migrated(TABLE))) {
      SqlObject.in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT * FROM person").toList()).isEmpty());
    }
  }

  @Test
  void migrationsNeedSql() {
    assertThatThrownBy(() -> object.open(migrated(TABLE).withStorage(StorageKind.ROCKSDB)))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("has no SQL");
  }

  // ---- Transactions -------------------------------------------------------------------------
}
