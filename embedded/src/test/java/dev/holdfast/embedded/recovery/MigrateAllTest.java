package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.storage.ListOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Operators migrate all objects of a namespace. */
class MigrateAllTest extends RecoveryFixture {

  private static final SqlMigration TABLE =
      new SqlMigration(
          "tables",
          "CREATE TABLE parent (id INTEGER PRIMARY KEY, a);"
              + "CREATE TABLE child (p REFERENCES parent ON DELETE CASCADE)");

  /** Succeeds only for objects without a row that has no value. */
  private static final SqlMigration STRICT =
      new SqlMigration(
          "strict",
          "CREATE TABLE other (a NOT NULL); INSERT INTO other SELECT a FROM parent;"
              + "DROP TABLE other");

  /** Would delete the children if foreign keys were not off. */
  private static final SqlMigration REBUILD =
      new SqlMigration(
          "rebuild",
          "PRAGMA foreign_keys = OFF; CREATE TABLE built (id INTEGER PRIMARY KEY, a, b);"
              + "INSERT INTO built SELECT id, a, 1 FROM parent; DROP TABLE parent;"
              + "ALTER TABLE built RENAME TO parent");

  private static final SqlMigration LAST =
      new SqlMigration("last", "INSERT INTO child SELECT id FROM parent WHERE b = 1");

  @Override
  StorageKind storage() {
    return StorageKind.SQLITE;
  }

  private static NamespaceOptions with(SqlMigration... steps) {
    return NamespaceOptions.DEFAULT.withMigrations(List.of(steps));
  }

  private static void fill(ObjectRuntime runtime, String name, String value) {
    thing(runtime, name)
        .run(
            context ->
                context
                    .storage()
                    .sql()
                    .exec(
                        "INSERT INTO parent (a) VALUES ("
                            + value
                            + ");INSERT INTO child SELECT id FROM parent")
                    .rowsWritten());
  }

  private static long children(ObjectRuntime runtime, String name) {
    return thing(runtime, name)
        .run(
            context ->
                context.storage().sql().exec("SELECT count(*) AS n FROM child").one().getLong("n"));
  }

  @Test
  void allObjectsAreMigratedAndTheCodeOfNoneRuns() {
    try (ObjectRuntime runtime = open(with(TABLE))) {
      fill(runtime, "a", "1");
      fill(runtime, "b", "2");
    }
    constructorWrites = true;
    try (ObjectRuntime runtime = open(with(TABLE, STRICT, REBUILD, LAST))) {
      MigrationReport report = runtime.admin().migrateAll("things", MigrationOptions.DEFAULT);

      assertThat(report).isEqualTo(new MigrationReport(2, 0, 0, List.of(), Optional.empty()));
      assertThat(runtime.admin().versions("things")).containsExactly(Map.entry("last", 2L));
      assertThat(runtime.admin().keys("things", id(runtime, "a"), ListOptions.ALL)).isEmpty();
    }
    constructorWrites = false;
    try (ObjectRuntime runtime = open(with(TABLE, STRICT, REBUILD, LAST))) {
      assertThat(children(runtime, "a")).isEqualTo(2);
      assertThat(runtime.admin().migrateAll("things", MigrationOptions.DEFAULT).current())
          .isEqualTo(2);
    }
  }

  private static ObjectId id(ObjectRuntime runtime, String name) {
    return runtime.namespace("things", Scripted.class).idFromName(name);
  }

  @Test
  void dryRunFindsWhatWouldFailAndChangesNothing() {
    try (ObjectRuntime runtime = open(with(TABLE))) {
      fill(runtime, "bad", "NULL");
      fill(runtime, "good", "1");
    }
    try (ObjectRuntime runtime = open(with(TABLE, REBUILD, STRICT, LAST))) {
      long before = runtime.statistics().journal().lastPosition();

      MigrationReport report =
          runtime.admin().migrateAll("things", MigrationOptions.DEFAULT.asDryRun());

      assertThat(report.migrated()).isEqualTo(1);
      assertThat(report.failed()).isEqualTo(1);
      assertThat(report.failures())
          .singleElement()
          .satisfies(
              failure -> {
                assertThat(failure.name()).contains("bad");
                assertThat(failure.id()).isEqualTo(id(runtime, "bad").toString());
                assertThat(failure.message())
                    .contains(
                        "Migration 3 \"strict\" failed, and nothing was changed. The statement"
                            + " \"INSERT INTO other SELECT a FROM parent")
                    .contains("NOT NULL constraint failed")
                    .contains("things/");
              });
      assertThat(runtime.statistics().journal().lastPosition()).isEqualTo(before);
      assertThat(runtime.admin().versions("things")).containsExactly(Map.entry("tables", 2L));
    }
    try (ObjectRuntime runtime = open(with(TABLE))) {
      assertThat(children(runtime, "good")).isEqualTo(1);
      assertThat(children(runtime, "bad")).isEqualTo(1);
      fill(runtime, "good", "2");
    }
  }

  @Test
  void objectThatFailsStaysAsItWasAndTheOthersAreMigrated() {
    try (ObjectRuntime runtime = open(with(TABLE))) {
      fill(runtime, "bad", "NULL");
      fill(runtime, "good", "1");
    }
    try (ObjectRuntime runtime = open(with(TABLE, STRICT))) {
      MigrationReport report = runtime.admin().migrateAll("things", MigrationOptions.DEFAULT);
      assertThat(report.migrated()).isEqualTo(1);
      assertThat(report.failed()).isEqualTo(1);
      assertThat(runtime.admin().versions("things"))
          .containsExactly(Map.entry("tables", 1L), Map.entry("strict", 1L));
    }
  }

  @Test
  void runThatHasEndedEarlyContinuesAtItsCursor() {
    try (ObjectRuntime runtime = open(with(TABLE))) {
      for (String name : List.of("a", "b", "c")) {
        fill(runtime, name, "1");
      }
    }
    try (ObjectRuntime runtime = open(with(TABLE, STRICT))) {
      Thread.currentThread().interrupt();
      MigrationReport first = runtime.admin().migrateAll("things", MigrationOptions.DEFAULT);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(first.migrated()).isEqualTo(1);

      List<MigrationReport> reports = new ArrayList<>();
      MigrationReport rest =
          runtime
              .admin()
              .migrateAll(
                  "things",
                  MigrationOptions.DEFAULT
                      .withCursor(first.cursor().orElseThrow())
                      .withProgress(reports::add));

      assertThat(rest.migrated()).isEqualTo(2);
      assertThat(rest.cursor()).isEmpty();
      assertThat(reports).singleElement().satisfies(last -> assertThat(last.cursor()).isPresent());
      assertThat(runtime.admin().versions("things")).containsExactly(Map.entry("strict", 3L));
      assertThatThrownBy(
              () ->
                  runtime
                      .admin()
                      .migrateAll("things", MigrationOptions.DEFAULT.withCursor("other")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Not a cursor");
    }
  }

  @Test
  void objectsThatHaveHadOtherStepsAreReported() {
    try (ObjectRuntime runtime = open(with(TABLE, STRICT))) {
      fill(runtime, "a", "1");
    }
    try (ObjectRuntime runtime = open(with(TABLE))) {
      MigrationReport report =
          runtime.admin().migrateAll("things", MigrationOptions.DEFAULT.asDryRun());
      assertThat(report.failures())
          .singleElement()
          .satisfies(failure -> assertThat(failure.message()).contains("newer version"));
    }
  }
}
