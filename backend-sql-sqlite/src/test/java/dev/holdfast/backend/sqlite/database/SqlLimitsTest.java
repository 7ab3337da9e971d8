package dev.holdfast.backend.sqlite.database;

import static dev.holdfast.backend.sqlite.Objects.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.spi.StoreTurn;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The default limits: those of the reference. */
final class SqlLimitsTest {

  private static final String TOO_BIG = "string or blob too big: SQLITE_TOOBIG";

  @TempDir private Path root;

  static Stream<Arguments> limits() {
    return Stream.of(
        limit(list(100, "1"), list(101, "1"), "too many columns"),
        limit("SELECT 1 AS a WHERE ?100 IS NULL", "SELECT ?101", "variable number must be"),
        limit(compound(5), compound(6), "too many terms in compound SELECT"),
        limit("SELECT 1" + "+1".repeat(98), "SELECT 1" + "+1".repeat(101), "Expression tree"),
        limit(like(50), like(51), "LIKE or GLOB pattern too complex"),
        limit(padded(100_000), padded(100_001), "statement too long: SQLITE_TOOBIG"),
        limit("SELECT length(zeroblob(8388640))", "SELECT zeroblob(8388643)", TOO_BIG),
        limit("SELECT " + max(127), "SELECT " + max(128), "too many arguments"),
        limit(triggers(10), triggers(11), "triggers nested too deep"));
  }

  private static Arguments limit(String within, String beyond, String why) {
    return Arguments.of(within, beyond, why);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void statementAtTheLimitRunsAndOneBeyondIsRefused(String within, String beyond, String why) {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      StoreTurn turn = host.store(1).beginTurn();
      Object[] bindings = new Object[within.contains("?100") ? 100 : 0];
      rows(turn, within, bindings);
      assertThatThrownBy(() -> rows(turn, beyond))
          .isInstanceOf(SqlException.class)
          .hasMessageContaining(why);
      turn.discard();
    }
  }

  /** Pages in memory are bounded, and the rest goes to files that are deleted at once. */
  @Test
  void sortsAndPagesHaveABoundInMemory() throws SqliteException {
    SqliteConnection connection =
        ObjectConnection.open(SqliteLibrary.jdbc(), root.resolve("object.sqlite")).connection();
    try {
      long file = 1;
      assertThat(setting(connection, "temp_store")).isEqualTo(file);
      assertThat(setting(connection, "cache_size")).as("KiB, negative").isEqualTo(-512);
      assertThat(setting(connection, "cache_spill")).as("pages").isPositive();
    } finally {
      connection.close();
    }
  }

  private static long setting(SqliteConnection connection, String name) throws SqliteException {
    SqliteStatement query = connection.prepare("PRAGMA " + name);
    try {
      query.start();
      return query.integer(0);
    } finally {
      query.close();
    }
  }

  private static String list(int count, String what) {
    return "SELECT "
        + IntStream.range(0, count).mapToObj(_ -> what).collect(Collectors.joining(","));
  }

  private static String compound(int terms) {
    return IntStream.range(0, terms)
        .mapToObj(i -> "SELECT " + i)
        .collect(Collectors.joining(" UNION "));
  }

  private static String like(int length) {
    return "SELECT 'a' LIKE '" + "a".repeat(length) + "'";
  }

  private static String padded(int length) {
    return "SELECT 1" + " ".repeat(length - "SELECT 1".length());
  }

  private static String max(int arguments) {
    return list(arguments, "1").replace("SELECT ", "max(") + ")";
  }

  /** Tables whose triggers each fill the next table. */
  private static String triggers(int depth) {
    StringBuilder sql = new StringBuilder();
    for (int number = 0; number <= depth; number++) {
      sql.append("CREATE TABLE d%d_%d (v);".formatted(depth, number));
    }
    for (int number = 0; number < depth; number++) {
      sql.append(
          "CREATE TRIGGER tr%1$d_%2$d AFTER INSERT ON d%1$d_%2$d BEGIN INSERT INTO d%1$d_%3$d VALUES (1); END;"
              .formatted(depth, number, number + 1));
    }
    return sql + "INSERT INTO d%d_0 VALUES (1)".formatted(depth);
  }
}
