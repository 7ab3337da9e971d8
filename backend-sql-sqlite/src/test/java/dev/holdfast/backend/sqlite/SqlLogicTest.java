package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.SqlException;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files in the format of sqllogictest: statements that succeed or fail, and queries with their
 * rows. The rows come from another build of SQLite. A turn ends every few statements.
 */
final class SqlLogicTest {

  private static final Object[] NONE = {};
  private static final int STATEMENTS_OF_A_TURN = 7;

  @TempDir private Path root;

  /** A statement with its expected result; rows are null if it returns none or must fail. */
  private record Step(String sql, boolean fails, boolean sorted, @Nullable List<String> rows) {}

  @ParameterizedTest
  @CsvSource({"expressions, 475", "tables, 191", "queries, 409"})
  void statementsDoWhatTheyDoElsewhere(String file, int size) throws IOException {
    List<Step> steps = steps(file);
    assertThat(steps).hasSize(size);
    SqliteHost host = new SqliteHost(root, 4);
    try {
      ObjectStore store = host.store(1);
      StoreTurn turn = store.beginTurn();
      turn.put(bytes("beside"), bytes("the tables"));
      int count = 0;
      for (Step step : steps) {
        check(turn, step);
        if (++count % STATEMENTS_OF_A_TURN == 0) {
          turn.seal();
          turn = store.beginTurn();
        }
      }
      turn.seal();
    } finally {
      host.close();
    }
  }

  private static void check(StoreTurn turn, Step step) {
    List<String> found = new ArrayList<>();
    boolean failed = false;
    try (SqlRows rows = turn.exec(step.sql(), NONE)) {
      for (@Nullable Object[] row = rows.next(); row != null; row = rows.next()) {
        found.add(
            String.join("|", Arrays.stream(row).map(SqlLogicTest::shown).toArray(String[]::new)));
      }
    } catch (SqlException e) {
      failed = true;
    }
    assertThat(failed).as(step.sql()).isEqualTo(step.fails());
    if (step.sorted()) {
      found.sort(null);
    }
    if (step.rows() != null) {
      assertThat(found).as(step.sql()).isEqualTo(step.rows());
    }
  }

  private static String shown(@Nullable Object value) {
    return switch (value) {
      case null -> "NULL";
      case String text -> "'" + text + "'";
      case byte[] blob -> "x'" + HexFormat.of().formatHex(blob) + "'";
      case Double number -> "R:" + number;
      default -> value.toString();
    };
  }

  private static List<Step> steps(String file) throws IOException {
    try (InputStream in = SqlLogicTest.class.getResourceAsStream("/sql/logic/" + file + ".test")) {
      assertThat(in).isNotNull();
      List<Step> steps = new ArrayList<>();
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String block : text.split("\n\n")) {
        List<String> lines = block.strip().lines().filter(line -> !line.startsWith("#")).toList();
        if (!lines.isEmpty()) {
          steps.add(step(lines));
        }
      }
      return steps;
    }
  }

  private static Step step(List<String> lines) {
    String kind = lines.getFirst();
    if (kind.startsWith("statement")) {
      return new Step(lines.get(1), kind.endsWith("error"), false, null);
    }
    List<String> rows = lines.subList(3, lines.size()).stream().map(SqlLogicTest::real).toList();
    return new Step(lines.get(1), false, kind.endsWith("rowsort"), rows);
  }

  /** Python and Java write some doubles differently. */
  private static String real(String row) {
    List<String> values = new ArrayList<>();
    for (String value : row.split("\\|", -1)) {
      boolean isReal = value.startsWith("R:");
      values.add(
          isReal
              ? "R:" + Double.parseDouble(value.substring(2).replace("inf", "Infinity"))
              : value);
    }
    return String.join("|", values);
  }
}
