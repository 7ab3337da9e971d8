package dev.holdfast.embedded.sql;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A separate process that runs statements which try to take all time, memory and disk, and prints
 * what each took. They run in turns of one object under {@link SqlLimits#FOREIGN}, or without
 * limits.
 */
final class ForeignStatements {

  private static final String NUMBERS =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n%s) ";

  private static final String LONG_TEXT = "replace(hex(zeroblob(%d)), '00', 'a')";

  static final String DONE = "done";
  static final long MEBIBYTES_MAX = 100;
  static final long MEBIBYTES_OF_FILES_MAX = 64;

  /** How long a statement may take to react to a reset. */
  private static final Duration UNTIL_KILLED = Duration.ofMillis(500);

  /** No limits except the size of values: two mebibytes are the reference's. */
  private static final SqlLimits FREE =
      SqlLimits.DEFAULT
          .withValueBytesMax(2 << 20)
          .withStatementStepsMax(Long.MAX_VALUE)
          .withStatementTimeMax(Duration.ofDays(365))
          .withMemoryBytesMax(Long.MAX_VALUE)
          .withTemporaryBytesMax(Long.MAX_VALUE)
          .withDatabaseBytesMax(Long.MAX_VALUE);

  private ForeignStatements() {}

  /**
   * Prints what each statement took, one line each.
   *
   * @param arguments a directory; FOREIGN, or OPERATOR for statements of an operator on objects
   *     without limits, or OFF for no limits, where a statement that takes more than the bounds is
   *     stopped; the limit or the bound of time; the step {@code n}, to run every n-th statement;
   *     the number of the first
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    boolean isFree = arguments[1].equals("OFF");
    boolean isOperators = arguments[1].equals("OPERATOR");
    Duration timeMax = Duration.parse(arguments[2]);
    int every = Integer.parseInt(arguments[3]);
    int from = Integer.parseInt(arguments[4]);
    SqlLimits limits = isFree ? FREE : SqlLimits.FOREIGN.withStatementTimeMax(timeMax);
    StatementWatch.Bounds bounds =
        isFree
            ? new StatementWatch.Bounds(timeMax.toMillis(), MEBIBYTES_MAX, MEBIBYTES_OF_FILES_MAX)
            : null;
    List<String> statements = statements(limits.valueBytesMax());
    SqlLimits ofObjects = isOperators ? FREE : limits;
    AtomicInteger at = new AtomicInteger();
    // Without limits: not what is tested, and slow where much else runs.
    try (ObjectRuntime runtime = open(directory, FREE)) {
      fill(runtime);
    }
    try (ObjectRuntime runtime = open(directory, ofObjects);
        StatementWatch watch =
            new StatementWatch(
                directory, bounds, took -> stop(runtime, took, timeMax, at, statements))) {
      for (int number = from; number < statements.size(); number++) {
        if (number % every == 0) {
          at.set(number);
          watch.begin();
          String answer =
              isOperators
                  ? operate(runtime, statements.get(number))
                  : run(runtime, statements.get(number), isFree);
          say(number, watch.end(), statements.get(number), answer);
        }
      }
    }
    System.out.println(DONE);
  }

  private static ObjectRuntime open(Path directory, SqlLimits limits) {
    NamespaceOptions options =
        NamespaceOptions.DEFAULT
            .withSqlLimits(limits)
            .withMigrations(
                List.of(
                    new SqlMigration(
                        "tables",
                        "CREATE TABLE t (id INTEGER PRIMARY KEY, v, w); CREATE INDEX i ON t (w);"
                            + " CREATE VIRTUAL TABLE ft USING fts5(a)")));
    return Holdfast.open(
        directory, objects -> objects.namespace("db", Scripted.class, Scripted::of, options));
  }

  private static void fill(ObjectRuntime runtime) {
    for (int round = 0; round < 10; round++) {
      run(runtime, "SELECT count(*) FROM t", false);
      run(
          runtime,
          NUMBERS.formatted(" WHERE i < 1000")
              + "INSERT INTO t SELECT NULL, randomblob(20), i % 7 FROM n",
          false);
      String filled =
          run(
              runtime,
              NUMBERS.formatted(" WHERE i < 2000")
                  + "INSERT INTO ft SELECT 'a' || (i % 500) || ' b a' || hex(randomblob(3)) || '"
                  + " ab ac aa' FROM n",
              false);
      if (!filled.equals("0 rows")) {
        throw new IllegalStateException(filled);
      }
    }
  }

  private static void say(int number, StatementWatch.Took took, String statement, String answer) {
    // One write: a line of the log in the middle would hide it.
    System.out.print(
        "%d took %d ms %d MiB %d MiB of files: %.90s -> %.100s%n"
            .formatted(
                number,
                took.millis(),
                took.memoryMebibytes(),
                took.filesMebibytes(),
                statement.replace('\n', ' '),
                answer));
  }

  /** By a reset; if SQLite does not react, by ending the process. */
  private static void stop(
      ObjectRuntime runtime,
      StatementWatch.Took took,
      Duration timeMax,
      AtomicInteger at,
      List<String> statements) {
    runtime.admin().reset("db", runtime.namespace("db", Scripted.class).idFromName("a"));
    if (took.millis() > timeMax.plus(UNTIL_KILLED).toMillis()) {
      say(at.get(), took, statements.get(at.get()), "the process was ended");
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }

  private static String run(ObjectRuntime runtime, String statement, boolean isReadOneByOne) {
    String[] answer = new String[1];
    try {
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            try {
              SqlCursor cursor = sql.exec(statement);
              answer[0] = (isReadOneByOne ? count(cursor) : cursor.toList().size()) + " rows";
            } catch (SqlException e) {
              answer[0] = e.getMessage();
            }
          });
    } catch (StorageFailedException | InstanceResetException e) {
      return "reset: " + e.getMessage();
    }
    return String.valueOf(answer[0]);
  }

  /** Both operations: the one that reads refuses what writes. */
  private static String operate(ObjectRuntime runtime, String statement) {
    Operations operations = new Operations(((Inspectable) runtime).inspected());
    String id = runtime.namespace("db", Scripted.class).idFromName("a").toString();
    StringBuilder answer = new StringBuilder();
    for (String verb : List.of("sql", "exec")) {
      OperatorRequest request =
          OperatorRequest.of(verb)
              .with("namespace", "db")
              .with("object", id)
              .with("sql", statement)
              .with("foreign", true);
      List<Object> answers = new ArrayList<>();
      try {
        operations.perform(request, answers::add);
        answer.append(answers.size()).append(" answers ");
      } catch (OperatorException e) {
        answer.append(e.getMessage()).append(' ');
      }
    }
    return answer.toString().replace('\n', ' ');
  }

  private static long count(SqlCursor cursor) {
    long count = 0;
    for (Iterator<SqlRow> rows = cursor.iterator(); rows.hasNext(); rows.next()) {
      count++;
    }
    return count;
  }

  /** The attack set. */
  static List<String> statements(int valueBytes) {
    List<String> all = new ArrayList<>();
    String text = LONG_TEXT.formatted(valueBytes / 2 - 100);
    String numbers = NUMBERS.formatted("");
    String blob = "zeroblob(%d)".formatted(valueBytes - 100);
    // Time between instructions.
    all.add(numbers + "SELECT count(*) FROM n");
    all.add(numbers + "SELECT i FROM n");
    all.add("SELECT count(*) FROM t a, t b, t c, t d");
    all.add(numbers + "INSERT INTO t SELECT NULL, 1, i FROM n");
    all.add("UPDATE t SET v = (SELECT count(*) FROM t a, t b)");
    all.add("SELECT count(*) FROM t a WHERE (SELECT count(*) FROM t b, t c WHERE b.v < a.v) > 1");
    // Time within instructions.
    String set = "replace(hex(zeroblob(%d)), '0', 'b') || 'a'".formatted(valueBytes / 26);
    for (String function : List.of("trim", "ltrim", "rtrim")) {
      all.add("SELECT " + function + "(" + text + ", " + set + ")");
      all.add(numbers + "SELECT sum(length(" + function + "(" + text + ", " + set + "))) FROM n");
      all.add(
          "WITH x(a, b) AS MATERIALIZED (SELECT "
              + text
              + ", "
              + set
              + ") SELECT "
              + ("length(" + function + "(a, b || random())) + ").repeat(90)
              + "1 FROM x");
    }
    String half = LONG_TEXT.formatted(valueBytes / 4);
    all.add(numbers + "SELECT sum(instr(" + text + ", " + half + " || 'b')) FROM n");
    all.add(numbers + "SELECT sum(length(replace(" + text + ", " + half + " || 'b', ''))) FROM n");
    String members = NUMBERS.formatted(" WHERE i < " + valueBytes / 12);
    all.add(
        members
            + ", o(o) AS MATERIALIZED (SELECT json_group_object(i, i) FROM n),"
            + " m(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM m)"
            + " SELECT sum(length(json_patch(o.o, o.o))) FROM o, m");
    all.add(numbers + "SELECT sum(" + text + " LIKE '%a%a%a%a%a%a%a%b') FROM n");
    all.add(numbers + "SELECT sum(" + text + " GLOB '*[^b]*[^b]*[^b]*[^b]b') FROM n");
    for (String operator : List.of(" OR ", " AND ", " NOT ", " + ")) {
      String query = String.join(operator, Collections.nCopies(190, "a*"));
      all.add("SELECT count(*) FROM ft WHERE ft MATCH '" + query + "'");
      all.add("SELECT rowid FROM ft WHERE ft MATCH '" + query + "' ORDER BY rank");
    }
    all.add("SELECT count(*) FROM ft WHERE ft MATCH 'NEAR(" + "b ".repeat(1_000) + ", 9999)'");
    all.add("SELECT count(*) FROM ft WHERE ft MATCH '" + "a* OR ".repeat(1_500) + "b*'");
    all.add("SELECT highlight(ft, 0, " + text + ", 'y') FROM ft WHERE ft MATCH 'a* OR b*'");
    all.add("SELECT snippet(ft, 0, " + text + ", 'y', 'z', 64) FROM ft WHERE ft MATCH 'a* OR b*'");
    all.add("INSERT INTO ft VALUES (" + text.replace("'a'", "'a '") + ")");
    String many = "a OR ".repeat(3) + "a";
    all.add("SELECT snippet(ft, 0, 'x', 'y', 'z', 64) FROM ft WHERE ft MATCH '" + many + "'");
    all.add("SELECT bm25(ft) FROM ft WHERE ft MATCH '" + "a OR ".repeat(1_500) + "a'");
    all.add("SELECT rowid FROM ft WHERE ft MATCH 'NEAR(" + "a ".repeat(1_500) + ", 9)'");
    // Memory.
    all.add("SELECT " + (blob + ", ").repeat(99) + "1");
    all.add("SELECT " + ("randomblob(" + (valueBytes - 100) + "), ").repeat(99) + "1");
    all.add("SELECT max(" + (text + ", ").repeat(100) + "1)");
    String nested = "max(" + ("randomblob(" + (valueBytes - 1) + "), ").repeat(100) + "1)";
    all.add("SELECT " + (nested + ", ").repeat(5) + "1");
    all.add("SELECT " + ("max(" + "randomblob(16000),".repeat(60) + "1), ").repeat(12) + "1");
    all.add(numbers + "SELECT group_concat(" + text + ") FROM n");
    all.add(numbers + "SELECT json_group_array(i) FROM n");
    all.add(numbers + "SELECT group_concat(i) OVER (ORDER BY i) FROM n");
    all.add(
        "SELECT "
            + "(SELECT group_concat(v) FROM (SELECT v FROM t ORDER BY random())), ".repeat(60)
            + "1");
    all.add("SELECT " + "(SELECT count(*) FROM (SELECT DISTINCT v FROM t a)), ".repeat(90) + "1");
    all.add(
        "SELECT 1 WHERE "
            + "1 IN (SELECT v FROM t WHERE w = 3 UNION SELECT 2) OR ".repeat(90)
            + "0");
    all.add("SELECT count(*) FROM json_tree('" + "[".repeat(900) + "]".repeat(900) + "')");
    all.add(
        members
            + ", o(o) AS MATERIALIZED (SELECT json_group_array(i) FROM n)"
            + " SELECT count(*) FROM o, json_each(o.o) a, json_each(o.o) b, json_each(o.o) c");
    all.add("SELECT printf('%*d', 2000000000, 1), printf('%.*c', 2000000000, 'x')");
    all.add("SELECT count(*) FROM t a LEFT JOIN t b USING (v) LEFT JOIN t c USING (v)");
    all.add("DELETE FROM t WHERE id IN (SELECT a.id FROM t a, t b) AND v IN (SELECT v FROM t)");
    // Files.
    all.add(numbers + "SELECT " + blob + " AS v FROM n ORDER BY v, i");
    all.add(numbers + "SELECT randomblob(" + (valueBytes - 100) + ") AS v FROM n ORDER BY v");
    all.add(numbers + "SELECT DISTINCT randomblob(1000) FROM n");
    all.add(numbers + "SELECT count(*) FROM n GROUP BY randomblob(1000)");
    all.add("SELECT a.v || b.v AS x FROM t a, t b, t c ORDER BY x");
    all.add(numbers + "SELECT i, randomblob(1000) FROM n UNION SELECT 1, 2");
    all.add("WITH x AS MATERIALIZED (SELECT a.v FROM t a, t b, t c) SELECT count(*) FROM x, x y");
    all.add(
        numbers
            + "SELECT sum(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),"
            + " randomblob(1000) FROM n");
    all.add(numbers + "INSERT INTO t SELECT NULL, randomblob(16000), i FROM n");
    all.add(numbers + "INSERT INTO ft SELECT hex(randomblob(4000)) FROM n");
    all.add("UPDATE t SET v = randomblob(16000)");
    all.add("UPDATE t SET v = randomblob(16000) WHERE id < 1500");
    all.add("INSERT INTO ft SELECT a FROM ft");
    return all;
  }
}
