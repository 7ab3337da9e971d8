package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.SqlException;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.sql.JavaMigration;
import dev.holdfast.sql.Migration;
import dev.holdfast.sql.MigrationStorage;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.sql.SqlResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Migrations that are code, beside others that are statements. */
class JavaMigrationTest {

  private static final SqlMigration TABLE =
      new SqlMigration("table", "CREATE TABLE line (name TEXT, price INTEGER)");
  private static final JavaMigration ROWS =
      new JavaMigration("rows", JavaMigrationTest::linesBecomeRows);
  private static final SqlMigration INDEX =
      new SqlMigration("index", "CREATE UNIQUE INDEX by_price ON line (price)");

  @TempDir private Path directory;
  private SqlLimits limits = SqlLimits.DEFAULT;
  private boolean newerAllowed;

  private static void linesBecomeRows(MigrationStorage storage) {
    storage
        .get("lines", new TypeRef<Map<String, Long>>() {})
        .orElse(Map.of())
        .forEach(
            (name, price) -> storage.sql().exec("INSERT INTO line VALUES (?, ?)", name, price));
    storage.put("count", storage.sql().exec("SELECT count(*) FROM line").raw().one().getFirst());
    storage.delete("lines");
  }

  private ObjectRuntime open(Migration... steps) {
    return open(RuntimeOptions.DEFAULT.openDatabasesMax(), steps);
  }

  private ObjectRuntime open(int databasesMax, Migration... steps) {
    NamespaceOptions options =
        NamespaceOptions.DEFAULT
            .withSqlLimits(limits)
            .withNewerMigrationsAllowed(newerAllowed)
            .withMigrations(List.of(steps));
    return Runtimes.open(
        directory.resolve("data"),
        objects ->
            objects
                .options(RuntimeOptions.DEFAULT.withOpenDatabasesMax(databasesMax))
                .namespace("db", Scripted.class, Scripted::of, options));
  }

  private static <T> T in(ObjectRuntime runtime, String name, Function<ObjectContext, T> code) {
    return Scripted.in(runtime.namespace("db", Scripted.class).getByName(name), code);
  }

  private <T> T in(Function<ObjectContext, T> code, Migration... steps) {
    try (ObjectRuntime runtime = open(steps)) {
      return in(runtime, "a", code);
    }
  }

  private static boolean putLines(ObjectContext context) {
    context.storage().put("lines", Map.of("cup", 12L, "tea", 3L));
    return true;
  }

  private static List<?> rows(ObjectContext context) {
    return context
        .storage()
        .sql()
        .exec("SELECT name, price FROM line ORDER BY name")
        .raw()
        .toList();
  }

  private static List<String> keys(ObjectContext context) {
    return List.copyOf(context.storage().list(Object.class).keySet());
  }

  @Test
  void codeTurnsValuesIntoRowsBetweenStatements() {
    in(JavaMigrationTest::putLines);

    in(
        context -> {
          assertThat(rows(context)).isEqualTo(List.of(List.of("cup", 12L), List.of("tea", 3L)));
          assertThat(keys(context)).containsExactly("count");
          context.storage().sql().exec("DELETE FROM line");
          return true;
        },
        TABLE,
        ROWS,
        INDEX);

    List<?> left = in(JavaMigrationTest::rows, TABLE, ROWS, INDEX);
    assertThat(left).as("the step ran once").isEmpty();
  }

  @Test
  void codeMayChangeTheSchemaWhereStatementsMayNot() {
    limits = SqlLimits.FOREIGN;
    long count =
        in(
            context ->
                context.storage().sql().exec("SELECT count(*) AS n FROM t").one().getLong("n"),
            new JavaMigration(
                "made", storage -> storage.sql().exec("CREATE TABLE t AS SELECT 1 AS x")));
    assertThat(count).isEqualTo(1);
  }

  @Test
  void failureNamesStepObjectAndReasonAndChangesNothing() {
    in(JavaMigrationTest::putLines);
    JavaMigration failing =
        new JavaMigration(
            "checked",
            storage -> {
              storage.put("half", 1L);
              storage.sql().exec("DELETE FROM line");
              throw new IOException("no price list");
            });

    assertThatThrownBy(() -> in(JavaMigrationTest::rows, TABLE, ROWS, failing))
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining(
            "its migrations failed: Migration 3 \"checked\" failed, and nothing was changed:"
                + " java.io.IOException: no price list")
        .cause()
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("[object db/")
        .hasCauseInstanceOf(IOException.class);
    assertThat(in(JavaMigrationTest::keys)).containsExactly("lines");
  }

  @Test
  void failureOfAStatementNamesTheStatement() {
    JavaMigration failing =
        new JavaMigration("lost", storage -> storage.sql().exec("SELECT * FROM lots"));

    assertThatThrownBy(() -> in(JavaMigrationTest::rows, TABLE, failing))
        .hasMessageContaining(
            "Migration 2 \"lost\" failed, and nothing was changed. The statement \"SELECT * FROM"
                + " lots\" failed: no such table: lots");
  }

  @Test
  void codeThatCatchesItsFailureGoesOnWithoutTheStatement() {
    in(
        context -> {
          assertThat(rows(context)).isEqualTo(List.of(List.of("cup", 1L)));
          context.storage().put("written", true);
          return true;
        },
        TABLE,
        new JavaMigration(
            "caught",
            storage -> {
              assertThatThrownBy(() -> storage.sql().exec("INSERT INTO line VALUES (1, 2, 3)"))
                  .isInstanceOf(SqlException.class);
              storage.sql().exec("INSERT INTO line VALUES ('cup', 1)");
            }));
  }

  @Test
  void objectThatIsOnlyReadIsMigratedEachTimeAndDoesNotExist() {
    AtomicInteger runs = new AtomicInteger();
    JavaMigration seed =
        new JavaMigration(
            "seed",
            storage -> {
              runs.incrementAndGet();
              storage.put("seed", 7L);
              storage.sql().exec("INSERT INTO line VALUES ('tea', 3)");
            });
    for (int opening = 1; opening <= 2; opening++) {
      try (ObjectRuntime runtime = open(TABLE, seed)) {
        assertThat(in(runtime, "a", JavaMigrationTest::keys)).containsExactly("seed");
        assertThat(in(runtime, "a", JavaMigrationTest::rows)).hasSize(1);
        assertThat(runtime.namespace("db", Scripted.class).list(ObjectListOptions.ALL).items())
            .isEmpty();
      }
      assertThat(runs.get()).isEqualTo(opening);
    }
    in(
        context -> {
          context.storage().put("written", true);
          return true;
        },
        TABLE,
        seed);
    assertThat(in(JavaMigrationTest::keys, TABLE, seed)).containsExactly("seed", "written");
    assertThat(runs.get()).isEqualTo(3);
  }

  @Test
  void stepOfAnObjectWithoutDataRunsAgainWhenItsDatabaseWasClosed() {
    AtomicInteger runs = new AtomicInteger();
    JavaMigration seed =
        new JavaMigration(
            "seed",
            storage -> {
              runs.incrementAndGet();
              storage.sql().exec("INSERT INTO line VALUES ('tea', ?)", storage.keys("").size());
            });
    try (ObjectRuntime runtime = open(1, TABLE, seed)) {
      assertThat(in(runtime, "a", JavaMigrationTest::rows)).hasSize(1);
      assertThat(in(runtime, "b", JavaMigrationTest::rows)).hasSize(1);
      assertThat(in(runtime, "a", JavaMigrationTest::rows)).hasSize(1);
      assertThat(runs.get()).isEqualTo(3);
    }
  }

  @Test
  void stepMustNotWaitForOtherObjects() {
    AtomicReference<ObjectRuntime> open = new AtomicReference<>();
    JavaMigration calling =
        new JavaMigration("calling", _ -> in(open.get(), "b", JavaMigrationTest::keys));
    try (ObjectRuntime runtime = open(TABLE, calling)) {
      open.set(runtime);
      assertThatThrownBy(() -> in(runtime, "a", JavaMigrationTest::keys))
          .hasMessageContaining("\"calling\" failed")
          .hasMessageContaining("A migration must not wait, and so call no object");
    }
  }

  @Test
  void storageOfAStepEndsWithIt() {
    List<MigrationStorage> kept = new ArrayList<>();
    List<SqlResult<?>> cursors = new ArrayList<>();
    JavaMigration keeping =
        new JavaMigration(
            "keeping",
            storage -> {
              kept.add(storage);
              cursors.add(storage.sql().exec("SELECT 1 UNION SELECT 2 UNION SELECT 3"));
            });
    in(
        _ -> {
          MigrationStorage storage = kept.getFirst();
          assertThatThrownBy(() -> storage.put("k", 1L)).isInstanceOf(MisuseException.class);
          assertThatThrownBy(() -> storage.keys("")).isInstanceOf(MisuseException.class);
          assertThatThrownBy(storage::sql)
              .isInstanceOf(MisuseException.class)
              .hasMessageContaining("when its step has ended");
          assertThatThrownBy(() -> cursors.getFirst().toList()).isInstanceOf(MisuseException.class);
          return true;
        },
        TABLE,
        keeping);
  }

  @Test
  void cursorThatIsLeftOpenDoesNotHinderTheNextStep() {
    in(JavaMigrationTest::putLines);
    JavaMigration open =
        new JavaMigration("open", storage -> storage.sql().exec("SELECT * FROM line").next());
    SqlMigration drop =
        new SqlMigration(
            "rebuild",
            "PRAGMA foreign_keys = OFF; CREATE TABLE other AS SELECT * FROM line; DROP TABLE line;"
                + " ALTER TABLE other RENAME TO line");
    assertThat(in(JavaMigrationTest::rows, TABLE, ROWS, open, drop)).hasSize(2);
  }

  @Test
  void stepThatWasTextIsNotTheOneThatIsCode() {
    in(
        context -> {
          context.storage().put("written", true);
          return true;
        },
        TABLE);
    JavaMigration sameName = new JavaMigration("table", _ -> {});
    assertThatThrownBy(() -> in(JavaMigrationTest::keys, sameName))
        .hasMessageContaining("has run another migration 1, \"table\"");
  }

  @Test
  void operatorsTryAndRunStepsThatAreCode() {
    try (ObjectRuntime runtime = open()) {
      in(runtime, "a", JavaMigrationTest::putLines);
      in(
          runtime,
          "bad",
          context -> {
            context.storage().put("lines", Map.of("cup", 1L, "tea", 1L));
            return true;
          });
    }
    try (ObjectRuntime runtime = open(TABLE, ROWS, INDEX)) {
      long before = runtime.statistics().journal().lastPosition();
      MigrationReport tried = runtime.admin().migrateAll("db", MigrationOptions.DEFAULT.asDryRun());
      assertThat(tried.migrated()).isEqualTo(1);
      assertThat(tried.failures())
          .singleElement()
          .satisfies(failure -> assertThat(failure.name()).contains("bad"))
          .satisfies(failure -> assertThat(failure.message()).contains("Migration 3 \"index\""));
      assertThat(runtime.statistics().journal().lastPosition()).isEqualTo(before);

      assertThat(runtime.admin().migrateAll("db", MigrationOptions.DEFAULT).migrated())
          .isEqualTo(1);
      assertThat(runtime.admin().versions("db"))
          .containsExactly(Map.entry("", 1L), Map.entry("index", 1L));
    }
    assertThat(in(JavaMigrationTest::rows, TABLE, ROWS, INDEX)).hasSize(2);
  }

  /** Its instance has read that there is no such key, and its storage did not write it. */
  @Test
  void liveObjectSeesTheKeysThatAnOperatorsMigrationWrote() {
    JavaMigration seed = new JavaMigration("seed", storage -> storage.put("seed", 7L));
    try (ObjectRuntime runtime = open(seed)) {
      in(
          runtime,
          "a",
          context -> {
            context.storage().deleteAll();
            context.storage().put("own", 1L);
            assertThat(context.storage().get("seed", Long.class)).isEmpty();
            return true;
          });
      assertThat(runtime.admin().migrateAll("db", MigrationOptions.DEFAULT).migrated())
          .isEqualTo(1);
      long seeded =
          in(runtime, "a", context -> context.storage().get("seed", Long.class).orElse(0L));
      assertThat(seeded).isEqualTo(7);
    }
  }

  @Test
  void importTriesTheStepsOnTheFile() {
    Path file = directory.resolve("a.sqlite");
    JavaMigration picky =
        new JavaMigration(
            "picky",
            storage -> {
              if (storage.keys("li").equals(List.of("lines"))) {
                throw new IllegalStateException("lines are of no use");
              }
            });
    try (ObjectRuntime runtime = open(TABLE)) {
      in(runtime, "a", JavaMigrationTest::putLines);
      runtime.recovery("db", id(runtime)).exportTo(file);
    }
    in(
        context -> {
          context.storage().deleteAll();
          return true;
        });
    try (ObjectRuntime runtime = open(TABLE, picky)) {
      assertThatThrownBy(() -> runtime.recovery("db", id(runtime)).importFrom(file))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining("lines are of no use");
    }
    try (ObjectRuntime runtime = open(TABLE, ROWS)) {
      runtime.recovery("db", id(runtime)).importFrom(file);
      assertThat(in(runtime, "a", JavaMigrationTest::rows)).hasSize(2);
    }
  }

  @Test
  void importOnAVirtualThreadTriesTheStepsToo() throws InterruptedException {
    Path file = directory.resolve("a.sqlite");
    try (ObjectRuntime runtime = open(TABLE)) {
      in(runtime, "a", JavaMigrationTest::putLines);
      runtime.recovery("db", id(runtime)).exportTo(file);
    }
    try (ObjectRuntime runtime = open(TABLE, ROWS)) {
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  runtime.recovery("db", id(runtime)).importFrom(file);
                } catch (Throwable e) {
                  failure.set(e);
                }
              })
          .join();
      assertThat(failure.get()).isNull();
      assertThat(in(runtime, "a", JavaMigrationTest::rows)).hasSize(2);
    }
  }

  private static ObjectId id(ObjectRuntime runtime) {
    return runtime.namespace("db", Scripted.class).idFromName("a");
  }

  @Test
  void olderVersionUsesObjectsOfANewerOneIfThatIsAllowed() {
    in(JavaMigrationTest::putLines, TABLE, ROWS, INDEX);
    assertThatThrownBy(() -> in(JavaMigrationTest::rows, TABLE))
        .hasMessageContaining("withNewerMigrationsAllowed");

    newerAllowed = true;
    try (ObjectRuntime older = open(TABLE, ROWS)) {
      in(
          older,
          "a",
          context -> context.storage().sql().exec("INSERT INTO line VALUES ('tea', 1)").toList());
      in(older, "b", JavaMigrationTest::putLines);
      assertThat(older.admin().versions("db"))
          .containsExactly(Map.entry("rows", 1L), Map.entry("index", 1L));
      assertThat(older.admin().migrateAll("db", MigrationOptions.DEFAULT).current()).isEqualTo(2);
    }
    assertThatThrownBy(() -> in(JavaMigrationTest::rows, INDEX))
        .as("the steps that both know must be the same")
        .hasMessageContaining("has run another migration 1");

    newerAllowed = false;
    try (ObjectRuntime newer = open(TABLE, ROWS, INDEX)) {
      assertThat(in(newer, "a", JavaMigrationTest::rows)).hasSize(1);
      assertThatCode(() -> in(newer, "b", JavaMigrationTest::keys)).doesNotThrowAnyException();
      assertThat(newer.admin().migrateAll("db", MigrationOptions.DEFAULT).current()).isEqualTo(2);
      assertThat(newer.admin().versions("db")).containsExactly(Map.entry("index", 2L));
    }
  }

  @Test
  void stepNeedsAName() {
    assertThatThrownBy(() -> new JavaMigration(" ", _ -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs a name");
  }
}
