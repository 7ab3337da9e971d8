package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlMigration;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Foreign statements, under the limits for them. */
final class ForeignSchemaTest {

  private static final SqlMigration TABLES =
      new SqlMigration(
          "tables",
          """
          PRAGMA case_sensitive_like = OFF;
          CREATE TABLE t (v);
          CREATE VIRTUAL TABLE f USING fts5(a);
          INSERT INTO f(f, rank) VALUES ('rank', 'bm25(2.0)');
          INSERT INTO f VALUES ('some words'), ('more words');
          CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO f(a) VALUES (new.v); END
          """);

  @TempDir private Path directory;

  private static Object run(ObjectRuntime runtime, String sql) {
    return Scripted.in(
        runtime.namespace("db", Scripted.class).getByName("a"),
        context -> context.storage().sql().exec(sql).toList().size());
  }

  @Test
  void onlyMigrationsChangeTheSchemaAndConfigureFullTextTables() {
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            objects ->
                objects.namespace(
                    "db",
                    Scripted.class,
                    Scripted::withAlarm,
                    NamespaceOptions.DEFAULT
                        .withSqlLimits(SqlLimits.FOREIGN)
                        .withMigrations(List.of(TABLES))))) {
      assertThat(run(runtime, "INSERT INTO t VALUES ('words of t')")).isEqualTo(0);
      assertThat(run(runtime, "SELECT * FROM f('words') ORDER BY rank")).isEqualTo(3);
      assertThat(run(runtime, "SELECT bm25(f, 2.0) FROM f WHERE f MATCH 'some'")).isEqualTo(1);
      assertThat(run(runtime, "PRAGMA table_info(t)")).isEqualTo(1);
      assertThat(run(runtime, "PRAGMA foreign_keys")).isEqualTo(1);
      for (String sql :
          List.of(
              "CREATE TABLE u (v)",
              "CREATE INDEX i ON t (v)",
              "SELECT 1; CREATE VIEW w AS SELECT 1",
              "ALTER TABLE t ADD COLUMN w",
              "DROP TABLE t",
              "DROP TRIGGER tr",
              "ANALYZE",
              "REINDEX",
              "PRAGMA optimize",
              "PRAGMA foreign_keys = OFF",
              "EXPLAIN PRAGMA ignore_check_constraints = ON",
              "INSERT INTO f(f) VALUES ('optimize')",
              "INSERT INTO f(f, rank) VALUES ('pgsz', 64)",
              "INSERT INTO f(f, rank) VALUES ('rank', 'bm25(1.0)')",
              "SELECT * FROM f('words', 'bm25(1.0)')",
              "SELECT * FROM f WHERE f MATCH 'words' AND rank MATCH 'bm25(1.0)'")) {
        assertThatThrownBy(() -> run(runtime, sql))
            .as(sql)
            .isInstanceOf(SqlException.class)
            .hasMessageContaining("SqlLimits.schemaChanges");
      }
      assertThat(run(runtime, "PRAGMA foreign_keys")).isEqualTo(1);
    }
  }
}
