package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlMigration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps that bring the tables of an object up to date before any of its code runs. */
class SqlMigrationTest {

  private static final SqlMigration TABLE =
      new SqlMigration("people", "CREATE TABLE person (name); INSERT INTO person VALUES ('Ada')");
  private static final SqlMigration COLUMN =
      new SqlMigration("age", "ALTER TABLE person ADD COLUMN age");
  private static final SqlMigration BROKEN =
      new SqlMigration("broken", "INSERT INTO missing VALUES (1)");

  @TempDir private Path directory;

  private <T> T in(
      ObjectFactory<Scripted> factory,
      Function<ObjectContext, T> code,
      SqlMigration... migrations) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withMigrations(List.of(migrations));
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory, objects -> objects.namespace("db", Scripted.class, factory, options))) {
      return Scripted.in(runtime.namespace("db", Scripted.class).getByName("a"), code);
    }
  }

  /** An object that was only read has no durable tables. */
  private static boolean write(ObjectContext context) {
    context.storage().put("written", true);
    return true;
  }

  private static List<String> columns(ObjectContext context) {
    return context.storage().sql().exec("SELECT * FROM person").columnNames();
  }

  @Test
  void factorySeesTheTablesOfItsMigrations() {
    List<List<String>> seen = new ArrayList<>();

    in(
        context -> {
          seen.add(columns(context));
          return Scripted.of(context);
        },
        _ -> true,
        TABLE,
        COLUMN);

    assertThat(seen).containsExactly(List.of("name", "age"));
  }

  @Test
  void failingStepTakesTheStepsOfItsActivationAlong() {
    in(Scripted::of, SqlMigrationTest::write, TABLE);

    assertThatThrownBy(() -> in(Scripted::of, _ -> true, TABLE, COLUMN, BROKEN))
        .isInstanceOf(InstanceResetException.class);

    // If more steps were recorded than are given, this would be refused.
    List<String> columns = in(Scripted::of, SqlMigrationTest::columns, TABLE);
    assertThat(columns).containsExactly("name");
  }

  @Test
  void errorOfTheCallNamesTheStepThatFailed() {
    assertThatThrownBy(() -> in(Scripted::of, _ -> true, TABLE, BROKEN))
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("its migrations failed: Migration 2 \"broken\" failed")
        .hasMessageContaining("no such table: missing");
  }

  @Test
  void objectThatIsOnlyReadDoesNotExist() {
    assertThat(listedAfter(SqlMigrationTest::columns)).isEmpty();
    assertThat(listedAfter(context -> context.storage().get("k", Long.class).isPresent()))
        .isEmpty();
    assertThat(
            listedAfter(
                context -> {
                  context.storage().put("k", 1);
                  return true;
                }))
        .hasSize(1);
    assertThat(
            listedAfter(
                context -> {
                  context.storage().deleteAll();
                  return true;
                }))
        .isEmpty();
    assertThat(listedAfter(SqlMigrationTest::columns)).isEmpty();
    assertThat(listedAfter(context -> context.storage().sql().databaseSize())).isEmpty();
  }

  @Test
  void forkTakesThePlaceOfAnObjectThatWasOnlyRead() {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withMigrations(List.of(TABLE));
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory, objects -> objects.namespace("db", Scripted.class, Scripted::of, options))) {
      ObjectNamespace<Scripted> namespace = runtime.namespace("db", Scripted.class);
      assertThat(Scripted.in(namespace.getByName("b"), SqlMigrationTest::columns)).hasSize(1);
      String bookmark =
          Scripted.in(
              namespace.getByName("a"),
              context -> {
                context.storage().put("k", "of a");
                return context.storage().getCurrentBookmark();
              });
      runtime.recovery("db", namespace.idFromName("a")).fork(bookmark, "b");
      Optional<String> forked =
          Scripted.in(
              namespace.getByName("b"), context -> context.storage().get("k", String.class));
      assertThat(forked).hasValue("of a");
      assertThat(namespace.list(ObjectListOptions.ALL).items()).hasSize(2);
    }
  }

  /** The objects of the namespace after a turn of one, which may wait, and after a restart. */
  private List<?> listedAfter(Function<ObjectContext, ?> code) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withMigrations(List.of(TABLE, COLUMN));
    List<List<?>> listed = new ArrayList<>();
    for (boolean runs : List.of(true, false)) {
      try (ObjectRuntime runtime =
          Runtimes.open(
              directory,
              objects -> objects.namespace("db", Scripted.class, Scripted::of, options))) {
        ObjectNamespace<Scripted> namespace = runtime.namespace("db", Scripted.class);
        if (runs) {
          Object _ = Scripted.in(namespace.getByName("a"), code::apply);
        }
        listed.add(namespace.list(ObjectListOptions.ALL).items());
      }
    }
    assertThat(listed.get(1)).isEqualTo(listed.get(0));
    return listed.get(0);
  }

  @Test
  void notesOfTheStepsAreHiddenFromStatements() {
    in(
        Scripted::of,
        context -> {
          for (String attack :
              List.of(
                  "SELECT * FROM _cf_MIGRATION",
                  "SELECT * FROM \"_CF_migration\"",
                  "DELETE FROM _cf_MIGRATION",
                  "DROP TABLE _cf_MIGRATION",
                  "ALTER TABLE _cf_MIGRATION RENAME TO mine")) {
            assertThatThrownBy(() -> context.storage().sql().exec(attack))
                .as(attack)
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("prohibited");
          }
          return true;
        },
        TABLE);

    List<String> columns = in(Scripted::of, SqlMigrationTest::columns, TABLE, COLUMN);
    assertThat(columns).containsExactly("name", "age");
  }

  private static final SqlMigration FAMILIES =
      new SqlMigration(
          "families",
          "CREATE TABLE p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1); CREATE TABLE c (id"
              + " INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE); INSERT INTO c VALUES (1,"
              + " 1), (2, 1)");

  /** As SQLite's documentation describes. */
  private static SqlMigration rebuilt(String rows) {
    return new SqlMigration(
        "rebuild",
        "PRAGMA foreign_keys = OFF; CREATE TABLE p2 (id INTEGER PRIMARY KEY, extra); INSERT INTO p2"
            + " (id) "
            + rows
            + "; DROP TABLE p; ALTER TABLE p2 RENAME TO p; PRAGMA foreign_keys = ON");
  }

  private static long count(ObjectContext context) {
    return (Long) context.storage().sql().exec("SELECT count(*) FROM c").one().values().getFirst();
  }

  @Test
  void migrationThatSwitchesForeignKeysOffToRebuildATableKeepsItsChildren() {
    in(Scripted::of, SqlMigrationTest::write, FAMILIES);

    List<Long> atCreation = new ArrayList<>();
    List<Long> counts =
        in(
            context -> {
              // The constructor, too, has foreign keys that are enforced.
              context.storage().sql().exec("INSERT INTO p (id) VALUES (2)");
              context.storage().sql().exec("INSERT INTO c (p) VALUES (2)");
              context.storage().sql().exec("DELETE FROM p WHERE id = 2");
              atCreation.add(count(context));
              return Scripted.of(context);
            },
            context -> {
              long before = count(context);
              context.storage().sql().exec("DELETE FROM p");
              return List.of(before, count(context));
            },
            FAMILIES,
            rebuilt("SELECT id FROM p"));

    assertThat(atCreation).containsExactly(2L);
    assertThat(counts).as("before and after the parent is deleted").containsExactly(2L, 0L);
  }

  @Test
  void migrationThatLeavesABrokenForeignKeyBehindIsRefused() {
    in(Scripted::of, SqlMigrationTest::write, FAMILIES);

    assertThatThrownBy(() -> in(Scripted::of, _ -> true, FAMILIES, rebuilt("SELECT id + 5 FROM p")))
        .isInstanceOf(InstanceResetException.class)
        .rootCause()
        .hasMessageContaining("row 1 of table c, which refers to p");

    long count = in(Scripted::of, SqlMigrationTest::count, FAMILIES);
    assertThat(count).isEqualTo(2);
  }

  /** An object that was not used in between runs all of them in one activation. */
  @Test
  void stepsBesideOneThatSwitchesForeignKeysOffRunWithThem() {
    in(Scripted::of, SqlMigrationTest::write, FAMILIES);

    long count =
        in(
            Scripted::of,
            SqlMigrationTest::count,
            FAMILIES,
            new SqlMigration("none", "DELETE FROM p"),
            rebuilt("SELECT id FROM p"),
            new SqlMigration("more", "INSERT INTO p (id) VALUES (3)"));

    assertThat(count).isZero();
  }
}
