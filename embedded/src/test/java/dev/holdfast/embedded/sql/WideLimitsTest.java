package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.sql.SqlLimits;
import java.nio.file.Path;
import java.util.Collections;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the engine does with objects whose namespace has wider limits than others. */
final class WideLimitsTest {

  private static final SqlLimits WIDE =
      SqlLimits.DEFAULT
          .withColumnsMax(2_000)
          .withCompoundSelectMax(500)
          .withExpressionDepthMax(1_000)
          .withStatementBytesMax(1_000_000)
          .withValueBytesMax(20 << 20);

  @TempDir private Path directory;

  private ObjectRuntime open(SqlLimits limits) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withSqlLimits(limits);
    return Holdfast.open(
        directory.resolve("data"),
        objects -> objects.namespace("db", Scripted.class, Scripted::of, options));
  }

  private static <T> T in(ObjectRuntime runtime, String name, Function<ObjectContext, T> code) {
    return Scripted.in(runtime.namespace("db", Scripted.class).getByName(name), code);
  }

  private static ObjectRecovery recovery(ObjectRuntime runtime, String name) {
    return runtime.recovery("db", runtime.namespace("db", Scripted.class).idFromName(name));
  }

  private static String bookmark(ObjectRuntime runtime) {
    return in(runtime, "a", context -> context.storage().getCurrentBookmark());
  }

  private static String exec(ObjectRuntime runtime, String name, String... statements) {
    return in(
        runtime,
        name,
        context -> {
          String last = "";
          for (String each : statements) {
            last = context.storage().sql().exec(each).toList().toString();
          }
          return last;
        });
  }

  private static String repeated(String text, int count, String separator) {
    return String.join(separator, Collections.nCopies(count, text));
  }

  @Test
  void objectWithWideDefinitionsIsOpenedComparedExportedAndImported() {
    Path file = directory.resolve("exported.sqlite");
    Path again = directory.resolve("again.sqlite");
    String[] schema = {
      "CREATE TABLE t (" + columns(2_000) + ")",
      "CREATE VIEW terms AS " + repeated("SELECT c1 FROM t", 6, " UNION ALL "),
      "CREATE VIEW deep AS SELECT " + repeated("c1", 900, " + ") + " AS sum FROM t",
      "CREATE VIEW long AS SELECT c1, '" + repeated("x", 200_000, "") + "' AS x FROM t",
      "CREATE TABLE big (b)",
      "INSERT INTO big VALUES (zeroblob(19000000))",
      "INSERT INTO t (c0, c1) VALUES (1, 2)"
    };
    String before;
    try (ObjectRuntime runtime = open(WIDE)) {
      exec(runtime, "a", schema);
      before = bookmark(runtime);
    }
    try (ObjectRuntime runtime = open(WIDE)) {
      in(
          runtime,
          "a",
          context -> {
            context.storage().put("key", "value"); // before any SQL
            return "";
          });
      exec(runtime, "a", "UPDATE t SET c1999 = 7", "UPDATE big SET b = zeroblob(18999999)");
      assertThat(recovery(runtime, "a").diff(before, bookmark(runtime)).toString()).contains("t");
      recovery(runtime, "a").exportTo(file);
      recovery(runtime, "b").importFrom(file);
      assertThat(exec(runtime, "b", "SELECT count(*), max(c1), max(c1999) FROM t")).contains("7");
      assertThat(exec(runtime, "b", "SELECT sum FROM deep")).contains("1800");
      recovery(runtime, "b").exportTo(again);
      recovery(runtime, "a").importFrom(again);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {99, 100})
  void tableOfAllColumnsThatAreAllowedIsCompared(int columns) {
    try (ObjectRuntime runtime = open(SqlLimits.DEFAULT)) {
      exec(
          runtime,
          "a",
          "CREATE TABLE t (" + columns(columns) + ")",
          "INSERT INTO t (c1) VALUES (1)");
      String before = bookmark(runtime);
      exec(runtime, "a", "UPDATE t SET c2 = 2");

      assertThat(recovery(runtime, "a").diff(before, bookmark(runtime)).toString()).contains("t");
      assertThat(exec(runtime, "a", "SELECT c2 FROM t")).contains("2");
    }
  }

  private static String columns(int count) {
    return IntStream.range(0, count).mapToObj(each -> "c" + each).collect(Collectors.joining(", "));
  }
}
