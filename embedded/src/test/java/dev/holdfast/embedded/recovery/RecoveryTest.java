package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.Difference.Kind;
import org.junit.jupiter.api.Test;

/** Point-in-time recovery of objects on SQLite: the contract, and their tables. */
class RecoveryTest extends HistoryContract {

  @Override
  StorageKind storage() {
    return StorageKind.SQLITE;
  }

  @Test
  void tablesAreAsTheyWereAtTheBookmark() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String before = put(thing, "key", "first");
      sql(thing, "CREATE TABLE t (a); INSERT INTO t VALUES (1)");

      String undo = restore(thing, before);
      assertThat(one(thing, "SELECT count(*) AS a FROM sqlite_schema WHERE name = 't'"))
          .isEqualTo(0L);
      restore(thing, undo);
      assertThat(one(thing, "SELECT a FROM t")).isEqualTo(1L);
    }
  }

  @Test
  void rowsAndTablesThatDifferAreListed() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String from =
          sql(
              thing,
              "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'x'), (2,"
                  + " 'y')");
      String to = sql(thing, "UPDATE t SET a = 'z' WHERE id = 2; CREATE INDEX i ON t (a)");
      assertThat(past(runtime, "a").diff(from, to))
          .containsExactly(
              new Difference(Kind.ADDED, Difference.SCHEMA, "index i"),
              new Difference(Kind.CHANGED, "t", "2"));
    }
  }

  private static Object one(Anything thing, String query) {
    return thing.<Object>run(context -> context.storage().sql().exec(query).one().get("a"));
  }

  private static String sql(Anything thing, String statements) {
    return thing.run(
        context -> {
          context.storage().sql().exec(statements);
          return context.storage().getCurrentBookmark();
        });
  }
}
