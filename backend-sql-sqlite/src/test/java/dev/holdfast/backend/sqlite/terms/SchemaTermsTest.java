package dev.holdfast.backend.sqlite.terms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.sql.SqlLimits;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many terms a statement is counted to have; {@code CompiledTextsTest} asks SQLite. */
final class SchemaTermsTest {

  private static final long FOREIGN = SqlLimits.FOREIGN.expandedTermsMax();

  @Test
  void namesLiteralsAndOperatorsAreTerms() {
    assertThat(terms("SELECT a + 1 FROM t")).isLessThan(10);
    assertThat(terms("SELECT a FROM t WHERE b = ? AND c IN (1, 2, 3)")).isLessThan(20);
  }

  @Test
  void columnOfASubqueryIsReplacedByItsExpression() {
    assertThat(terms(nested(1, "max(%s)", ", "))).isBetween(100L, 400L);
    assertThat(terms(nested(2, "max(%s)", ", "))).isBetween(10_000L, 20_000L);
    assertThat(terms(nested(3, "max(%s)", ", "))).isGreaterThan(1_000_000);
    assertThat(terms(nested(3, "%s", " + "))).isGreaterThan(1_000_000);
    assertThat(terms(nested(3, "coalesce(%s)", ", "))).isGreaterThan(1_000_000);
    assertThat(terms("EXPLAIN " + nested(3, "%s", " || "), new String[0])).isGreaterThan(1_000_000);
  }

  @Test
  void eachUseOfAViewCounts() {
    String[] views = new String[6];
    for (int view = 0; view < views.length; view++) {
      String below = view == 0 ? "t" : "v" + (view - 1);
      views[view] =
          "CREATE VIEW v"
              + view
              + " AS SELECT x.a FROM "
              + times(below + " AS x", 1, "")
              + ", "
              + times(below, 9, ", ");
    }
    assertThat(terms("SELECT a FROM v1", views)).isLessThan(FOREIGN);
    assertThat(terms("SELECT a FROM v5", views)).isGreaterThan(FOREIGN);
    assertThat(terms("SELECT 1 FROM t WHERE a IN v5", views)).isGreaterThan(FOREIGN);
    assertThat(terms("DELETE FROM t WHERE EXISTS (SELECT 1 FROM main.V5)", views))
        .isGreaterThan(FOREIGN);
  }

  /** Each name would be looked up in each of them. */
  @Test
  void joinOfMoreTablesThanSqliteAllowsIsNotCounted() {
    String joined = "t JOIN t USING (a) JOIN ".repeat(100_000);
    assertThat(terms("SELECT " + "a, ".repeat(100_000) + "a FROM " + joined + "t"))
        .isGreaterThan(SqlLimits.DEFAULT.expandedTermsMax());
    assertThat(terms("SELECT 1 FROM t" + " JOIN t".repeat(199))).isLessThan(FOREIGN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "WITH x(k) AS (SELECT max(A) FROM t), y AS (SELECT max(K) AS k FROM x) SELECT max(K) FROM"
            + " y",
        "SELECT max(A) AS k FROM t WHERE 1 > (SELECT max(K) AS l FROM t WHERE 1 > (SELECT max(L)))",
        "SELECT 1 FROM t WHERE a = 1 AND (b = A+0) AND c = B+0 AND d = C+0",
        "SELECT 1 FROM (SELECT a, b FROM t WHERE b = A+0 AND c = B+0) AS s WHERE s.b = C+0 AND a ="
            + " 1",
        "SELECT max(\"K\") FROM (SELECT max(\"k:1\", K) k FROM (SELECT 1 AS k, max(A) AS k FROM"
            + " (SELECT max(A) a FROM t)))",
        "SELECT max(K) FROM (SELECT max(q.'k', K) AS 'k' FROM (SELECT max(A) k FROM t) AS q)",
        "SELECT max(K) FROM ((SELECT max(A) AS k FROM (SELECT max(A) AS a FROM t)) AS x JOIN t) AS"
            + " z",
        "UPDATE t SET b = max(K) FROM (SELECT max(A) AS k FROM (SELECT max(A) AS a FROM t)) AS s",
        "INSERT INTO t SELECT max(K) FROM (SELECT max(A) AS k FROM (SELECT max(A) AS a FROM t))"
            + " WHERE 1 ON CONFLICT DO NOTHING",
        "SELECT FOUR(sum(a) OVER w) FROM t WINDOW w AS (PARTITION BY (max(A, A, A, A, A, A, A, A,"
            + " A)))",
        "SELECT max(A, A, A, A, A, A, A, A, A, A, A) AS k FROM t GROUP BY K",
        "SELECT (SELECT max(K) FROM (SELECT max(A) AS k FROM (SELECT max(A) AS a FROM t))) FROM t",
        "SELECT 1 FROM (SELECT DISTINCT max(A) AS k FROM (SELECT DISTINCT max(A) AS a FROM t))"
            + " WHERE max(K) > 1",
      })
  void everyFormInWhichNamesAreReplacedCounts(String form) {
    assertThat(terms(repeated(form))).as(repeated(form)).isGreaterThan(FOREIGN);
  }

  /** Each capital letter becomes a hundred names. */
  private static String repeated(String form) {
    String text =
        form.replace("FOUR(sum(a) OVER w)", "max(" + times("sum(a) OVER w", 120, ", ") + ")");
    for (String name : List.of("A", "B", "C", "K", "L")) {
      String separator = text.contains(name + "+0") ? " + " : ", ";
      text =
          text.replaceAll(
              "\\b" + name + "\\b(?![a-z])", times(name.toLowerCase(Locale.ROOT), 100, separator));
    }
    return text;
  }

  @Test
  void triggersOfAChangedTableCount() {
    String body = nested(2, "max(%s)", ", ");
    String[] triggers =
        IntStream.range(0, 30)
            .mapToObj(
                number ->
                    "CREATE TRIGGER r"
                        + number
                        + " AFTER INSERT ON t BEGIN INSERT INTO u "
                        + body
                        + "; END")
            .toArray(String[]::new);
    assertThat(terms("INSERT INTO t VALUES (1)", triggers)).isGreaterThan(FOREIGN);
    assertThat(terms("INSERT INTO u VALUES (1)", triggers)).isLessThan(100);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT max(WITH) FROM (SELECT max(WITH) AS \"with\" FROM (SELECT max(WITH) AS 'with'))",
        "SELECT max(like((WITH), 1)) FROM (SELECT max(CAST(with like (WITH) AS text)) AS \"with\""
            + " FROM (SELECT max(WITH) AS 'with'))",
        "DELETE FROM t WHERE with > (SELECT max(K) FROM (SELECT max(A) AS k FROM (SELECT max(A)"
            + " AS a)))",
        "SELECT window isnull AS q, max(K) FROM (SELECT 1 AS window, max(A) AS k FROM (SELECT"
            + " max(A) AS a FROM t))",
      })
  void keywordsThatAreNamesHideNothing(String form) {
    String text = repeated(form.replaceAll("\\bWITH\\b", times("with", 100, ", ")));
    assertThat(terms(text)).as(text).isGreaterThan(FOREIGN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a IN (1)",
        "a IN (max(1, 2))",
        "a = '1'",
        "'1' = a",
        "a = \"text\"",
        "a = (1 ISNULL)",
        "a = 1 COLLATE binary",
        "a = CAST(1 AS integer)",
        "a = true",
        "CASE WHEN 1 OR 1 THEN 1 END AND a = 1"
      })
  void equationsWithConstantsCount(String equation) {
    String text =
        repeated("SELECT 1 FROM t WHERE " + equation + " AND (b = A+0) AND c = B+0 AND d = C+0");
    assertThat(terms(text)).as(text).isGreaterThan(FOREIGN);
  }

  @Test
  void viewsOfManyNestedSelectsAreCountedWithoutEnd() {
    String[] views = new String[250];
    for (int view = 0; view < views.length; view++) {
      views[view] =
          "CREATE VIEW v"
              + view
              + " AS "
              + times("SELECT * FROM (", 140, "")
              + "SELECT * FROM v"
              + (view + 1)
              + times(")", 140, "");
    }
    assertThat(terms("SELECT * FROM v0", views)).isGreaterThan(FOREIGN);
  }

  @Test
  void deepUseOfAViewLeavesItsOtherUses() {
    SchemaTerms schema =
        SchemaTerms.of(
            List.of(
                new SchemaTerms.Definition("view", "v", "v", "CREATE VIEW v AS SELECT a FROM w"),
                new SchemaTerms.Definition("view", "w", "w", "CREATE VIEW w AS SELECT a FROM t")));
    for (int levels = 140; levels < 160; levels++) {
      String deep =
          times("SELECT * FROM (", levels, "") + "SELECT * FROM v" + times(")", levels, "");
      schema.terms(SqlLexer.tokens(deep));
    }
    assertThat(schema.terms(SqlLexer.tokens("SELECT a FROM v"))).isLessThan(100);
  }

  @Test
  void conditionsOfAJoinCountForItsPairsOfTables() {
    String names =
        IntStream.range(0, 60).mapToObj(i -> "t AS t" + i).collect(Collectors.joining(", "));
    String conditions =
        IntStream.range(0, 600)
            .mapToObj(i -> "t%d.a = t%d.b".formatted(i % 60, i * 7 % 59))
            .collect(Collectors.joining(" AND "));
    assertThat(terms("SELECT 1 FROM " + names + " WHERE " + conditions)).isGreaterThan(FOREIGN);
    assertThat(terms("SELECT 1 FROM t AS t1, t AS t2 WHERE " + conditions)).isLessThan(10_000);
    String view = "CREATE VIEW v AS SELECT t1.a, t2.b FROM " + names;
    assertThat(terms("SELECT 1 FROM v AS t0 WHERE " + conditions, view)).isGreaterThan(FOREIGN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "(1)", "+1", "- -1", "1 COLLATE binary", "((1)) DESC"})
  void numberOfAColumnCounts(String number) {
    String text =
        "SELECT max(%s) FROM t ORDER BY %s"
            .formatted(times("a", 1_100, ", "), times(number, 100, ", "));
    assertThat(terms(text)).as(text).isGreaterThan(FOREIGN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "begin INSERT ON t",
        "\"r\" AFTER INSERT ON t WHEN new.begin > 0",
        "begin AFTER INSERT ON t FOR EACH ROW"
      })
  void bodyOfATriggerCountsFromItsBegin(String head) {
    String trigger =
        "CREATE TRIGGER " + head + " BEGIN INSERT INTO u " + nested(3, "max(%s)", ", ") + "; END";
    assertThat(terms("INSERT INTO t VALUES (1)", trigger)).isGreaterThan(FOREIGN);
  }

  @Test
  void usefulStatementsHaveFewTerms() {
    String columns =
        IntStream.range(0, 100).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
    String table = "CREATE TABLE w (" + columns + ")";
    String wide = "CREATE VIEW v AS SELECT *, c1 + c2 * c3 AS sum FROM w WHERE c4 = 1";
    assertThat(terms("SELECT * FROM v JOIN w USING (c0) WHERE sum > 1 ORDER BY sum", table, wide))
        .isLessThan(10_000);
    assertThat(
            terms(
                "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9),"
                    + " m AS (SELECT i, i * i AS j FROM n) SELECT * FROM m AS x JOIN m AS y"
                    + " ON x.j = y.i WHERE x.i = 1 AND y.j = x.i + y.i"))
        .isLessThan(1_000);
    assertThat(
            terms(
                "SELECT t0.a FROM t AS t0 "
                    + IntStream.range(1, 20)
                        .mapToObj(i -> "LEFT JOIN t t%d ON t%d.b = t%d.a ".formatted(i, i, i - 1))
                        .collect(Collectors.joining())
                    + "JOIN t AS u ON u.a = t0.a INNER JOIN t AS x ON x.a = u.a"
                    + " WHERE t0.c = ? AND u.d = 'text' AND t1.e = 5"))
        .isLessThan(10_000);
    assertThat(terms("INSERT INTO w VALUES " + times("(1, 2, 3)", 1_000, ", "), table))
        .isLessThan(10_000);
  }

  @Test
  void textsThatEndAnywhereAreCounted() {
    String text =
        "WITH a(b) AS (SELECT c FROM (d JOIN e) AS f) INSERT INTO g SELECT * FROM a, json_each(h.i)"
            + " WINDOW w AS (ORDER BY 1) ON CONFLICT (j) DO UPDATE SET k = l WHERE m = n RETURNING"
            + " *, o.*";
    for (int end = 1; end <= text.length(); end++) {
      assertThat(terms(text.substring(0, end))).isNotNegative();
      assertThat(terms(text.substring(end))).isNotNegative();
    }
    assertThat(terms(times("(SELECT ", 20_000, ""))).isNotNegative();
    assertThat(terms("SELECT 1 FROM " + times("(", 30_000, ""))).isGreaterThan(FOREIGN);
    assertThat(terms("SELECT 1 WHERE " + times("(a AND ", 20_000, ""))).isNotNegative();
    assertThat(terms(times("SELECT 1 IN (SELECT ", 2_000, ""))).isGreaterThan(FOREIGN);
  }

  private static String nested(int levels, String form, String separator) {
    String text = "SELECT a FROM t";
    for (int level = 0; level < levels; level++) {
      String names = times("a", 100, separator);
      text = "SELECT " + form.formatted(names) + " AS a FROM (" + text + ")";
    }
    return text;
  }

  private static String times(String text, int count, String separator) {
    return String.join(separator, Collections.nCopies(count, text));
  }

  private static long terms(String sql, String... schema) {
    List<SchemaTerms.Definition> definitions =
        Arrays.stream(schema)
            .map(
                text -> {
                  String[] words = text.split(" ");
                  String type = words[1].toLowerCase(Locale.ROOT);
                  // Every trigger here is on t.
                  String table = type.equals("trigger") ? "t" : words[2];
                  return new SchemaTerms.Definition(type, words[2], table, text);
                })
            .toList();
    String statement = sql.startsWith("EXPLAIN ") ? sql.substring(8) : sql;
    return SchemaTerms.of(definitions).terms(SqlLexer.tokens(statement));
  }
}
