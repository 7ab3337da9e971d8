package dev.holdfast.backend.sqlite.sql;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.pairs;
import static dev.holdfast.backend.sqlite.Objects.rows;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.SqlTerms;
import dev.holdfast.sql.SqlLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The attacks as statements of an operator: none shows what is hidden, and those that read write
 * nothing.
 */
final class OperatorStatementsTest {

  private static final Object[] NONE = {};
  private static final String KEY = AttackTest.KEY;
  private static final String VALUE = AttackTest.VALUE;

  @TempDir private Path root;

  private SqliteHost host;
  private ObjectStore store;

  @BeforeEach
  void open() throws IOException {
    host = new SqliteHost(root, 4);
    store = host.store(1);
    commit(store, AttackTest::write);
  }

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void statementsThatMayNotWriteWriteNothing() throws IOException {
    run(new SqlTerms(_ -> SqlLimits.FOREIGN, /* mayWrite= */ false));
  }

  @Test
  void statementsOfAnOperatorWithoutLimitsWriteNothing() throws IOException {
    run(new SqlTerms(limits -> limits, /* mayWrite= */ false));
  }

  @Test
  void statementsThatMayWriteReachNothingHidden() throws IOException {
    run(new SqlTerms(_ -> SqlLimits.FOREIGN, /* mayWrite= */ true));
  }

  /** SQLite reads its schema again after a discarded change, by the limits of that moment. */
  @Test
  void aSchemaBeyondTheLimitsOfAnOperatorStaysWhole() {
    String columns =
        IntStream.range(0, 90)
            .mapToObj(each -> "c" + each + " DEFAULT '" + "x".repeat(300) + "'")
            .collect(Collectors.joining(", "));
    commit(store, turn -> turn.exec("CREATE TABLE wide (" + columns + ")", NONE));
    commit(store, turn -> turn.exec("INSERT INTO wide (c0) VALUES (7)", NONE));
    StoreTurn lost = store.beginTurn();
    lost.exec("CREATE TABLE more (a)", NONE);
    lost.discard();

    StoreTurn turn = store.beginTurn();
    SqlTerms terms = new SqlTerms(_ -> SqlLimits.FOREIGN, /* mayWrite= */ false);
    try (SqlRows rows = turn.exec("SELECT c0 FROM wide", NONE, terms)) {
      assertThat(rows.next()).containsExactly(7L);
    }
    turn.discard();
    assertThat(rows(store.beginTurn(), "SELECT c0 FROM wide")).containsExactly("7");
  }

  private void run(SqlTerms terms) throws IOException {
    Set<String> statements = statements();
    assertThat(statements).hasSizeGreaterThan(1_000);
    List<String> before = content();
    List<String> hidden = pairs(store);
    for (String statement : statements) {
      StoreTurn turn = store.beginTurn();
      try {
        run(turn, statement, terms);
        if (!terms.mayWrite()) {
          assertThat(turn.mayHaveWritten()).as(statement).isFalse();
        }
        assertThat(pairs(turn)).as(statement).isEqualTo(hidden);
        assertThat(rows(turn, "PRAGMA foreign_keys")).as(statement).containsExactly("1");
      } catch (StorageFailedException e) {
        // The turn is lost, with all its writes.
        assertThat(terms.mayWrite()).as(statement).isTrue();
      } finally {
        turn.discard();
      }
    }
    assertThat(content()).isEqualTo(before);
    assertThat(pairs(store)).isEqualTo(hidden);
  }

  private static void run(StoreTurn turn, String statement, SqlTerms terms) {
    try (SqlRows rows = turn.exec(statement, NONE, terms)) {
      for (Object[] row = rows.next(); row != null; row = rows.next()) {
        assertThat(Arrays.deepToString(row)).as(statement).doesNotContain(KEY, VALUE);
        assertThat(Arrays.deepToString(row)).doesNotContain(Arrays.toString(bytes(VALUE)));
      }
    } catch (SqlException e) {
      assertThat(e.getMessage()).doesNotContain(VALUE);
    }
  }

  private List<String> content() {
    StoreTurn turn = store.beginTurn();
    try {
      List<String> content = new ArrayList<>(rows(turn, "SELECT name, sql FROM sqlite_schema"));
      content.addAll(rows(turn, "SELECT * FROM t"));
      content.addAll(rows(turn, "SELECT * FROM child"));
      content.addAll(rows(turn, "SELECT * FROM full_text"));
      return content;
    } finally {
      turn.discard();
    }
  }

  /** The steps of all attacks, each alone. */
  private static Set<String> statements() throws IOException {
    Set<String> statements = new LinkedHashSet<>();
    try (InputStream in = AttackTest.class.getResourceAsStream("/sql/attacks.txt")) {
      assertThat(in).isNotNull();
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.substring(line.indexOf(' ')).strip())
          .forEach(text -> statements.addAll(List.of(text.split(" ;; "))));
    }
    List<Attack> attacks = new ArrayList<>(Attacks.templates());
    attacks.addAll(Attacks.deadly());
    for (Attack attack : attacks) {
      attack.steps().forEach(step -> statements.add(Attack.sql(step)));
    }
    return statements;
  }
}
