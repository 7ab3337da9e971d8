package dev.holdfast.backend.sqlite.turn;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.sql.SqlLimits;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What bounds a search in a full-text table. Each refused statement ran for seconds to minutes
 * within one instruction, with a row of 7,900 equal tokens.
 */
final class SearchBoundsTest {

  private static final String FOX = "The quick brown fox jumps over the lazy dog. ".repeat(100);
  private static final String SAME = "a ".repeat(7_900);

  @TempDir private Path root;
  private SqliteHost host;
  private StoreTurn turn;

  @BeforeEach
  void open() {
    host = new SqliteHost(root, 2);
    ObjectStore store = host.backend.store(Objects.object(1), SqlLimits.FOREIGN);
    commit(
        host.backend.store(Objects.object(1), SqlLimits.FOREIGN.withSchemaChanges(true)),
        made -> {
          rows(made, "CREATE VIRTUAL TABLE ft USING fts5(a)");
          rows(made, "CREATE VIRTUAL TABLE outside USING fts5(a, b, content='')");
          rows(made, "CREATE VIRTUAL TABLE parts USING fts5(a, tokenize='trigram')");
          rows(made, "CREATE TABLE queries (q)");
          rows(made, "INSERT INTO queries VALUES ('a')");
          rows(made, "INSERT INTO ft VALUES (?), (?)", FOX, SAME);
        });
    turn = store.beginTurn();
  }

  @AfterEach
  void close() {
    turn.discard();
    host.close();
  }

  private void refuses(String sql, Object... bindings) {
    assertThatThrownBy(() -> rows(turn, sql, bindings))
        .as(sql)
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("statementTimeMax");
  }

  private static String or(String word, int times) {
    return String.join(" OR ", Collections.nCopies(times, word));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT snippet(ft, 0, '<b>', '</b>', '...', 16) FROM ft WHERE ft MATCH ?",
        "SELECT highlight(ft, 0, '<b>', '</b>') FROM ft WHERE ft MATCH ?",
        "SELECT highlight(ft, 0, '<i class=\"' || ?2 || '\">', '</i>') FROM ft WHERE ft MATCH ?1",
        "SELECT bm25(ft), snippet(ft, 0, '[', ']', '', 64) FROM ft(?) ORDER BY rank LIMIT 3",
        "SELECT rowid FROM ft WHERE a MATCH ? || '*' ORDER BY bm25(ft, 2.0)",
        "SELECT bm25(ft) FROM ft WHERE ft MATCH '(' || ?1 || ') AND (\"' || ?2 || '\" OR dog)'"
      })
  void ordinarySearchIsAnswered(String sql) {
    for (String query : new String[] {"fox", "quick brown fox jumps over", "\"lazy dog\" OR fox"}) {
      assertThat(sql.contains("?2") ? rows(turn, sql, query, "fox") : rows(turn, sql, query))
          .as(query)
          .hasSize(1);
    }
  }

  @Test
  void longestRowIsShownInASnippet() {
    rows(turn, "UPDATE ft SET a = ?2 WHERE a = ?1", FOX, FOX.repeat(3) + FOX.substring(2_250));

    assertThat(
            rows(
                turn,
                "SELECT snippet(ft, 0, '', '', '', 3), bm25(ft) < 0 FROM ft(?) ORDER BY rank",
                "the lazy dog jumps over OR brown"))
        .containsExactly("jumps over the|1");
  }

  @Test
  void rowOfEqualTokensIsMarkedForASingleWord() {
    assertThat(rows(turn, "SELECT snippet(ft, 0, '', '', '', 8) FROM ft WHERE ft MATCH 'a'"))
        .containsExactly("a a a a a a a a");
  }

  @Test
  void snippetComparesNoMoreMatchesThanItHasTimeFor() {
    String sql = "SELECT snippet(ft, 0, 'x', 'y', 'z', 64) FROM ft WHERE ft MATCH ";

    refuses(sql + "'" + or("a", 4) + "'");
    refuses(sql + "?", or("a", 4));
    refuses(sql + "? || ' OR a OR a'", or("a", 2));
    refuses(sql + "'a OR A* OR á OR a'");
    refuses("SELECT " + "length(snippet(ft, 0, '', '', '', 8)) + ".repeat(9) + "1 FROM ft('a')");
    assertThat(rows(turn, sql + "'fox OR fox'")).as("a word of three letters").hasSize(1);
  }

  @Test
  void shorterRowsAreSearchedWithMoreTerms() {
    rows(turn, "DELETE FROM ft");
    rows(turn, "INSERT INTO ft VALUES (?)", "a ".repeat(1_000));

    assertThat(rows(turn, "SELECT snippet(ft, 0, '', '', '', 8) FROM ft(?)", or("a", 4)))
        .hasSize(1);
  }

  @Test
  void highlightMakesNoLongerResultThanItHasTimeFor() {
    String sql = "SELECT length(highlight(ft, 0, ?, ?)) FROM ft WHERE ft MATCH 'a'";

    refuses(sql, "x".repeat(50), "y");
    refuses(sql, "x", "y".repeat(16_000));
    refuses("SELECT highlight(ft, 0, hex(zeroblob(50)), '') FROM ft WHERE ft MATCH 'a'");
    assertThat(rows(turn, sql, "", "")).containsExactly("" + SAME.length());
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          NEAR(%s, 10) | 1000
          "%s"         | 7000
          %s           | 1000
          """,
      delimiter = '|',
      quoteCharacter = '\'')
  void queryHasNoMoreTermsThanItHasTimeFor(String form, int times) {
    String sql = "SELECT rowid FROM ft WHERE ft MATCH ?";

    refuses(sql, form.formatted("a ".repeat(times)));
    refuses("SELECT bm25(ft) FROM ft WHERE ft MATCH ?", form.formatted("a ".repeat(times)));
    assertThat(rows(turn, sql, form.formatted("a ".repeat(50)))).hasSize(1);
  }

  /** Neither its length nor its words are known before it runs. */
  @Test
  void queryThatIsComputedMeansShorterValuesOrIsRefused() {
    assertThat(rows(turn, "SELECT ft.rowid FROM queries, ft WHERE ft MATCH q")).hasSize(1);
    refuses("SELECT snippet(ft, 0, '', '', '', 8) FROM queries, ft WHERE ft MATCH q");
    rows(turn, "UPDATE queries SET q = ?", "a ".repeat(1_000));
    assertThatThrownBy(() -> rows(turn, "SELECT ft.rowid FROM queries, ft WHERE ft MATCH q"))
        .hasMessageContaining("too big");
  }

  /** Its index may have as much of a row as all columns together, of which no text is read. */
  @Test
  void tableWithoutContentHasMoreMatchesInARow() {
    String sql = "SELECT length(snippet(outside, %d, '', '', '', 8)) FROM outside(?)";
    rows(turn, "INSERT INTO outside (rowid, a, b) VALUES (1, ?1, ?1)", SAME);

    assertThat(rows(turn, sql.formatted(0), "a")).hasSize(1);
    refuses(sql.formatted(-1), "a");
    refuses(sql.formatted(0), "a a");
  }

  @Test
  void partsOfWordsAreFound() {
    rows(turn, "INSERT INTO parts VALUES (?)", FOX);
    String marked = "SELECT highlight(parts, 0, '[', ']') LIKE '%q[uick] br%' FROM parts ";

    assertThat(rows(turn, marked + "WHERE parts MATCH ?", "uick")).containsExactly("1");
    assertThat(rows(turn, marked + "WHERE a LIKE '%' || ? || '%'", "uick")).containsExactly("1");
    refuses(marked + "WHERE a LIKE '%' || ? || '%'", "uick ".repeat(100));
  }
}
