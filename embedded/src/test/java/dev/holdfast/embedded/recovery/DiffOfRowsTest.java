package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.Difference.Kind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Different rows whose keys look alike. */
final class DiffOfRowsTest {

  @TempDir private Path directory;

  /** {@return the difference that {@code changes} make to the state after {@code before}} */
  private List<Difference> diff(String before, String changes) {
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory, objects -> objects.namespace("things", Scripted.class, Scripted::of))) {
      var things = runtime.namespace("things", Scripted.class);
      String from = bookmarkAfter(things.getByName("a"), before);
      String to = bookmarkAfter(things.getByName("a"), changes);
      return runtime.recovery("things", things.idFromName("a")).diff(from, to);
    }
  }

  private static String bookmarkAfter(Scripted object, String statements) {
    Scripted.in(object, context -> context.storage().sql().exec(statements).toList());
    return Scripted.in(object, context -> context.storage().getCurrentBookmark());
  }

  @Test
  void rowsWithTheSameNullAsTheirKeyAreDifferentRows() {
    assertThat(
            diff(
                "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), (NULL, 2)",
                "UPDATE t SET v = 9 WHERE v = 1"))
        .containsExactly(new Difference(Kind.CHANGED, "t", "null"));
  }

  @Test
  void keysOfSeveralColumnsAreNotMixedUp() {
    assertThat(
            diff(
                "CREATE TABLE t (a TEXT, b TEXT, v, PRIMARY KEY (a, b));"
                    + " INSERT INTO t VALUES ('x, y', 'z', 1), ('x', 'y, z', 2)",
                "UPDATE t SET v = 9"))
        .hasSize(2);
  }

  @Test
  void keysOfAnotherTypeAreOtherKeys() {
    assertThat(
            diff(
                "CREATE TABLE t (k PRIMARY KEY, v); INSERT INTO t VALUES (1, 1), ('1', 2), (x'31',"
                    + " 3)",
                "UPDATE t SET v = v + 1"))
        .hasSize(3);
  }

  @Test
  void columnMayBeCalledRowid() {
    assertThat(
            diff(
                "CREATE TABLE t (rowid TEXT, v); INSERT INTO t VALUES ('same', 1), ('same', 2)",
                "UPDATE t SET v = 9 WHERE v = 1"))
        .containsExactly(new Difference(Kind.CHANGED, "t", "1"));
  }

  @Test
  void textsThatAreNoUtf8AreDistinguished() {
    assertThat(
            diff(
                "CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES (CAST(x'80' AS"
                    + " TEXT), 'a'), (CAST(x'81' AS TEXT), CAST(x'82' AS TEXT))",
                "UPDATE t SET v = CAST(x'83' AS TEXT) WHERE v <> 'a'"))
        .containsExactly(new Difference(Kind.CHANGED, "t", "\uFFFD"));
  }

  @Test
  void tableWithoutRowIdIsCompared() {
    assertThat(
            diff(
                "CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('a',"
                    + " 1)",
                "UPDATE t SET v = 9; INSERT INTO t VALUES ('b', 2)"))
        .containsExactly(
            new Difference(Kind.CHANGED, "t", "a"), new Difference(Kind.ADDED, "t", "b"));
  }

  @Test
  void valuesThatAColumnTakesForEqualAreDifferent() {
    assertThat(
            diff(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b, c);"
                    + " INSERT INTO t VALUES (1, 'x', 1, 0), (2, 'x', 1, '1'), (3, 'x', 1, x'31'),"
                    + " (4, 'x', NULL, 0), (5, 'same', NULL, x'00')",
                "UPDATE t SET a = 'X' WHERE id = 1; UPDATE t SET b = 1.0 WHERE id = 2;"
                    + " UPDATE t SET c = '1' WHERE id = 3; UPDATE t SET b = 0 WHERE id = 4"))
        .extracting(Difference::key)
        .containsExactly("1", "2", "3", "4");
  }

  @Test
  void keysThatACollationTakesForEqualAreOtherKeys() {
    assertThat(
            diff(
                "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID;"
                    + " INSERT INTO t VALUES ('a', 1), ('b', 1)",
                "UPDATE t SET k = 'A' WHERE k = 'a'"))
        .containsExactly(
            new Difference(Kind.ADDED, "t", "A"), new Difference(Kind.REMOVED, "t", "a"));
  }

  @Test
  void rowsOfATableThatWasMadeAgainAreCompared() {
    assertThat(
            diff(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1), (2, 2)",
                "ALTER TABLE t ADD COLUMN more"))
        .containsExactly(
            new Difference(Kind.CHANGED, Difference.SCHEMA, "table t"),
            new Difference(Kind.CHANGED, "t", "1"),
            new Difference(Kind.CHANGED, "t", "2"));
  }

  @Test
  void generatedColumnMayBeCalledRowid() {
    assertThat(
            diff(
                "CREATE TABLE t (v, rowid AS (1)); INSERT INTO t VALUES (1), (2)",
                "UPDATE t SET v = v + 7"))
        .containsExactly(
            new Difference(Kind.CHANGED, "t", "1"), new Difference(Kind.CHANGED, "t", "2"));
  }

  @Test
  void tableMayHaveAsManyColumnsAsTheLimit() {
    StringBuilder columns = new StringBuilder("c0");
    for (int each = 1; each < 100; each++) {
      columns.append(", c").append(each);
    }
    assertThat(
            diff(
                "CREATE TABLE t (" + columns + "); INSERT INTO t (c99) VALUES (1), (2)",
                "UPDATE t SET c99 = 9 WHERE c99 = 1; CREATE TABLE u ("
                    + columns
                    + ");"
                    + "INSERT INTO u (c1) VALUES (1)"))
        .containsExactly(
            new Difference(Kind.ADDED, Difference.SCHEMA, "table u"),
            new Difference(Kind.CHANGED, "t", "1"),
            new Difference(Kind.ADDED, "u", "1"));
  }

  @Test
  void zeroHasNoSign() {
    assertThat(
            diff(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 0.0), (2,"
                    + " 0.0)",
                "UPDATE t SET v = -0.0"))
        .isEmpty();
  }
}
