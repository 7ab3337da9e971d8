package dev.holdfast.embedded.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Foreign files: the effects of their schemas when they are read, and long afterwards. */
final class HostileFilesTest {

  private static final String PAIRS =
      "CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID";

  /** Not possible by a statement: a text in the schema that SQLite has not written. */
  private static final String PLANT =
      "PRAGMA writable_schema=ON ;; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)"
          + " VALUES (%s)";

  private static final List<String> REFUSED =
      List.of(
          "CREATE TRIGGER tr AFTER INSERT ON _cf_KV BEGIN SELECT RAISE(IGNORE); END",
          "CREATE TRIGGER tr BEFORE INSERT ON _cf_KV BEGIN SELECT RAISE(IGNORE); END",
          "CREATE TABLE stolen (v) ;; CREATE TRIGGER tr AFTER INSERT ON _cf_KV BEGIN"
              + " INSERT INTO stolen VALUES (new.value); END",
          "CREATE UNIQUE INDEX u ON _cf_KV (1)",
          "CREATE INDEX u ON _cf_KV (value)",
          "CREATE TABLE c (k TEXT REFERENCES _cf_KV (key))",
          "CREATE TABLE c (k TEXT REFERENCES \"_CF_KV\" (key) ON DELETE CASCADE)",
          "CREATE VIEW w AS SELECT * FROM _cf_KV",
          "CREATE VIEW w AS SELECT * FROM \uFEFF_cf_KV",
          "CREATE VIEW w AS SELECT * FROM '_cf_KV'",
          "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM _cf_KV; END",
          "CREATE TABLE x (a DEFAULT '_cf_KV')",
          "CREATE VIRTUAL TABLE f USING fts5(value, content='_cf_KV')",
          "CREATE VIRTUAL TABLE f USING fts4(value)",
          "CREATE VIRTUAL TABLE f USING fts5(a) ;;"
              + " INSERT INTO f(f, rank) VALUES ('rank', 'replicate(4294967297)')",
          "CREATE VIRTUAL TABLE f USING fts5(a) ;;"
              + " CREATE TRIGGER tr AFTER INSERT ON f_data BEGIN SELECT 1; END",
          "CREATE VIEW w AS SELECT replicate('x', 4294967297)",
          "CREATE VIEW w AS SELECT load_extension('x')",
          "CREATE TABLE c (a CHECK (replicate(a, 4294967297) > ''))",
          "CREATE TABLE c (a, b DEFAULT (padl('x', 4294967297)))",
          "CREATE VIEW w AS SELECT * FROM 'dbstat'",
          "CREATE VIEW w AS SELECT * FROM 'pragma_database_list'",
          "CREATE TABLE u (v UNIQUE ON CONFLICT ROLLBACK)",
          PLANT.formatted(
              "'view', 'w', 'w', 0, 'CREATE VIEW w AS SELECT 1; PRAGMA user_version=7'"),
          PLANT.formatted("'view', 'w', 'w', 0, 'CREATE VIEW w AS SELECT 1; DROP TABLE _cf_KV'"),
          PLANT.formatted("'view', 'w', 'w', 0, 'CREATE TEMP VIEW w AS SELECT 1'"),
          PLANT.formatted("'view', 'w', 'w', 0, 'create view w as select 1'"),
          PLANT.formatted(
              "'trigger', 'tr', 't', 0,"
                  + " 'CREATE TEMP TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END'"),
          PLANT.formatted("'view', 'sqlite_w', 'sqlite_w', 0, 'CREATE VIEW sqlite_w AS SELECT 1'"));

  @TempDir private Path directory;

  private static <T> T in(ObjectRuntime runtime, Function<ObjectContext, T> code) {
    return Scripted.in(runtime.namespace("db", Scripted.class).getByName("a"), code);
  }

  private static ObjectRecovery recovery(ObjectRuntime runtime) {
    return runtime.recovery("db", runtime.namespace("db", Scripted.class).idFromName("a"));
  }

  private Path file(int number, String statements) throws Exception {
    Path file = directory.resolve("hostile-" + number + ".sqlite");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute(PAIRS);
      statement.execute("CREATE TABLE t (v)");
      for (String each : statements.split(" ;; ")) {
        statement.execute(each);
      }
    }
    return file;
  }

  @Test
  void fileWithAHandOnTheHiddenTableOrMoreThanTablesIsRefused() throws Exception {
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory.resolve("data"),
            objects -> objects.namespace("db", Scripted.class, Scripted::withAlarm))) {
      put(runtime, "before");
      for (String statements : REFUSED) {
        Path file = file(REFUSED.indexOf(statements), statements);

        assertThatThrownBy(() -> recovery(runtime).importFrom(file))
            .as(statements)
            .isInstanceOf(ObjectFileException.class);

        assertThat(get(runtime)).as(statements).isEqualTo("before");
        Files.delete(file);
      }
      Path good = file(REFUSED.size(), "CREATE VIEW w AS SELECT count(*) FROM t");
      recovery(runtime).importFrom(good);
      put(runtime, "after");
      assertThat(get(runtime)).isEqualTo("after");
    }
  }

  private static void put(ObjectRuntime runtime, String value) {
    in(
        runtime,
        context -> {
          context.storage().put("key", value);
          return "";
        });
  }

  private static Object get(ObjectRuntime runtime) {
    return in(runtime, context -> context.storage().get("key", String.class).orElseThrow());
  }
}
