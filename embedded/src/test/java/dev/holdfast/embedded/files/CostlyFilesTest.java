package dev.holdfast.embedded.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.sql.SqlLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Foreign files whose own expressions would take all time or memory when they are evaluated. */
final class CostlyFilesTest {

  private static final String NUMBERS =
      "INSERT INTO t (a) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n"
          + " WHERE i < %d) SELECT %s FROM n";

  /** Each would take hours, or gigabytes. */
  private static final List<List<String>> COSTLY =
      List.of(
          // Searches of a long text in a long text.
          table(
              "a, CHECK (instr(hex(zeroblob(a)), hex(zeroblob(a / 2)) || 'x') = 0)", 1, "4000000"),
          table("a, CHECK (trim(hex(zeroblob(a)), hex(zeroblob(a)) || 'x') = '')", 1, "4000000"),
          table(
              "a, b AS (replace(hex(zeroblob(a)), '00', a)) NOT NULL, CHECK ("
                  + "length(replace(replace(b, '0', b), '1', b)) > 0)",
              1,
              "3000000"),
          // Columns, each of which names the one before.
          chained(6, 30, "hex(zeroblob(a))"),
          chained(6, 30, "printf('%4000000d', a)"),
          chained(20, 8, "a"),
          // Many rows with a long program each.
          table(
              "a, CHECK (" + repeated("coalesce(length(hex(zeroblob(a))), 0) + ", 90) + "0 >= 0)",
              4_000,
              "400000"),
          List.of(
              "CREATE TABLE t (a)",
              NUMBERS.formatted(3_000, "400000"),
              "CREATE INDEX i ON t (a)",
              "PRAGMA writable_schema=ON",
              "UPDATE sqlite_schema SET sql='CREATE INDEX i ON t ("
                  + repeated("length(hex(zeroblob(a))) + ", 90)
                  + "a)' WHERE name='i'"));

  @TempDir private Path directory;

  private static List<String> table(String columns, int rows, String value) {
    return List.of(
        "CREATE TABLE t (a)",
        NUMBERS.formatted(rows, value),
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_schema SET sql='CREATE TABLE t ("
            + columns.replace("'", "''")
            + ")' WHERE name='t'");
  }

  private static List<String> chained(int columns, int names, String first) {
    StringBuilder table = new StringBuilder("a, g0 AS (" + first + ")");
    for (int column = 1; column < columns; column++) {
      table.append(", g" + column + " AS (" + repeated("g" + (column - 1) + " || ", names) + "'')");
    }
    return table(table + ", CHECK (g" + (columns - 1) + " <> '')", 1, "100000");
  }

  private static String repeated(String text, int count) {
    return String.join("", Collections.nCopies(count, text));
  }

  private Path file(List<String> statements) throws Exception {
    Path file = directory.resolve("costly.sqlite");
    Files.deleteIfExists(file);
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
    return file;
  }

  private ObjectRuntime open(SqlLimits limits) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withSqlLimits(limits);
    return Holdfast.open(
        directory.resolve("data"),
        objects ->
            objects
                .options(RuntimeOptions.DEFAULT.withCloseTimeout(Duration.ofMillis(100)))
                .namespace("db", Scripted.class, Scripted::withAlarm, options));
  }

  private static ObjectRecovery recovery(ObjectRuntime runtime) {
    return runtime.recovery("db", runtime.namespace("db", Scripted.class).idFromName("a"));
  }

  private static Object rows(ObjectRuntime runtime) {
    return Scripted.in(
        runtime.namespace("db", Scripted.class).getByName("a"),
        context -> context.storage().sql().exec("SELECT count(*) FROM mine").one().toString());
  }

  private static void make(ObjectRuntime runtime) {
    Scripted.in(
        runtime.namespace("db", Scripted.class).getByName("a"),
        context -> {
          context.storage().sql().exec("CREATE TABLE mine (a); INSERT INTO mine VALUES (1)");
          return "";
        });
  }

  @Test
  void fileWhoseExpressionsTakeTooMuchIsRefusedAndChangesNothing() throws Exception {
    List<String> accepted = new ArrayList<>();
    try (ObjectRuntime runtime =
        open(SqlLimits.DEFAULT.withStatementTimeMax(Duration.ofMillis(300)))) {
      make(runtime);
      Object before = rows(runtime);
      for (List<String> statements : COSTLY) {
        try {
          recovery(runtime).importFrom(file(statements));
          accepted.add(statements.toString());
        } catch (HoldfastException e) {
          assertThat(rows(runtime)).isEqualTo(before);
        }
      }
    }
    assertThat(accepted).isEmpty();
  }

  /** Of a row of many tokens a search would read millions of matches within one instruction. */
  @Test
  void fileWithTooManyTokensInARowIsRefused() throws Exception {
    String row = "INSERT INTO ft (rowid, a) VALUES (7, replace(hex(zeroblob(%d)), '00', 'a '))";
    // Without the bound of time: a loaded machine would meet it first.
    SqlLimits limits =
        SqlLimits.FOREIGN.withSchemaChanges(true).withStatementTimeMax(Duration.ofDays(1));
    try (ObjectRuntime runtime = open(limits)) {
      make(runtime);
      for (String options : List.of("a", "a, content=''", "a, content=nothing")) {
        String table = "CREATE VIRTUAL TABLE ft USING fts5(" + options + ")";

        assertThatThrownBy(
                () -> recovery(runtime).importFrom(file(List.of(table, row.formatted(10_000)))))
            .isInstanceOf(HoldfastException.class)
            .hasMessageContaining("tokens in the row 7 of the full text table ft");
      }
      assertThat(rows(runtime)).asString().contains("1");
      recovery(runtime)
          .importFrom(
              file(
                  List.of(
                      "CREATE TABLE mine (a)",
                      "INSERT INTO mine VALUES (2)",
                      "CREATE VIRTUAL TABLE ft USING fts5(a)",
                      row.formatted(7_000))));
      assertThat(rows(runtime)).asString().contains("1");
    }
  }

  /** The file would be checked for hours; the object is reset and the runtime closed meanwhile. */
  @Test
  void resetAndCloseEndAnImport() throws Exception {
    Path file = file(COSTLY.get(6));
    ObjectRuntime runtime = open(SqlLimits.DEFAULT.withStatementTimeMax(Duration.ofDays(365)));
    try (runtime) {
      make(runtime);
      Thread reset = importing(runtime, file);
      while (reset.isAlive()) {
        runtime.admin().reset("db", runtime.namespace("db", Scripted.class).idFromName("a"));
        reset.join(Duration.ofMillis(20));
      }
      assertThat(rows(runtime)).asString().contains("1");
      importing(runtime, file).join(Duration.ofMillis(100));
    }
  }

  private static Thread importing(ObjectRuntime runtime, Path file) {
    return Thread.ofPlatform()
        .start(
            () ->
                assertThatThrownBy(() -> recovery(runtime).importFrom(file))
                    .isInstanceOf(HoldfastException.class));
  }
}
