package dev.holdfast.backend.sqlite.sql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Texts in all forms in which SQLite copies expressions while it compiles, made by a grammar from a
 * seed. Every relation of it has the columns a and b, so that nearly all texts are correct.
 */
final class GeneratedTexts {

  private static final int[] FANS = {1, 1, 1, 1, 1, 1, 2, 2, 3, 5, 10, 30, 100};
  private static final int CHAIN_MAX = 60;
  private static final int LENGTH_MAX = 16 << 10;

  private final Random random;
  private int names;
  private List<String> relations = new ArrayList<>(List.of("t", "u"));

  GeneratedTexts(long seed) {
    random = new Random(seed);
  }

  /** {@return statements of a schema; not all are accepted} */
  List<String> schema() {
    List<String> schema =
        new ArrayList<>(
            List.of(
                "CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER)",
                "CREATE TABLE u (a INTEGER PRIMARY KEY, b UNIQUE, CHECK ("
                    + value("a", "b")
                    + "))"));
    int views = random.nextInt(6);
    for (int view = 0; view < views; view++) {
      String name = "v" + view;
      schema.add("CREATE VIEW " + name + " AS " + select(random.nextInt(3), ""));
      relations.add(name);
    }
    if (random.nextBoolean()) {
      schema.add(generated());
      relations.add("g");
    }
    if (random.nextBoolean()) {
      schema.add("CREATE INDEX i ON t (" + value("a", "b") + ") WHERE " + value("a", "c"));
    }
    if (random.nextInt(3) == 0) {
      schema.add(
          "CREATE TRIGGER r AFTER INSERT ON u BEGIN INSERT INTO t (a, b) "
              + select(2, "")
              + "; DELETE FROM t WHERE a IN (SELECT a FROM "
              + relation()
              + "); END");
    }
    return schema;
  }

  private String generated() {
    StringBuilder table = new StringBuilder("CREATE TABLE g (a INTEGER");
    String last = "a";
    int columns = random.nextInt(4);
    for (int column = 0; column < columns; column++) {
      table.append(", g").append(column).append(" AS (").append(value(last, last)).append(')');
      last = "g" + column;
    }
    return table + ", b AS (" + value(last, "a") + "))";
  }

  /** {@return a statement} */
  String statement() {
    String text;
    do {
      String explain = random.nextInt(8) == 0 ? "EXPLAIN " : "";
      text =
          explain
              + switch (random.nextInt(10)) {
                case 0 -> "INSERT INTO t (a, b) " + select(depth(), "") + " RETURNING *";
                case 1 ->
                    "INSERT INTO u (a, b) VALUES (1, 2)"
                        + repeated(" ON CONFLICT (a) DO UPDATE SET b = " + value("b", "a"), fan());
                case 2 -> "UPDATE t SET b = " + value("a", "b") + " WHERE " + condition("t.", "");
                case 3 ->
                    "UPDATE t SET b = "
                        + value("s.a", "s.b")
                        + " FROM ("
                        + select(depth(), "")
                        + ") AS s WHERE "
                        + condition("s.", "");
                case 4 -> "DELETE FROM t WHERE a IN (" + select(depth(), "") + ")";
                case 5 -> commons() + select(depth(), "");
                default -> select(depth(), "");
              };
    } while (text.length() > LENGTH_MAX);
    return text;
  }

  private int depth() {
    return Math.min(random.nextInt(6), random.nextInt(6));
  }

  private int fan() {
    return FANS[random.nextInt(FANS.length)];
  }

  private String relation() {
    return relations.get(random.nextInt(relations.size()));
  }

  private String commons() {
    List<String> known = relations;
    relations = new ArrayList<>(known);
    List<String> commons = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int common = 0; common < count; common++) {
      String name = "c" + common;
      commons.add(name + " (a, b) AS (" + select(random.nextInt(2), "") + ")");
      relations.add(name);
    }
    // The names stay known: used elsewhere, they are errors.
    return "WITH " + String.join(", ", commons) + " ";
  }

  /**
   * @param outer a prefix of a column outside; empty if there is none
   */
  private String select(int depth, String outer) {
    int arms = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 1;
    List<String> cores = new ArrayList<>();
    for (int arm = 0; arm < arms; arm++) {
      cores.add(core(depth, outer));
    }
    String all = String.join(pick(" UNION ALL ", " UNION ALL ", " UNION ", " EXCEPT "), cores);
    return arms == 1 || random.nextBoolean() ? all : all + " ORDER BY 1, 2";
  }

  private String core(int depth, String outer) {
    String name = "s" + names++;
    String prefix = name + ".";
    StringBuilder core = new StringBuilder(random.nextInt(6) == 0 ? "SELECT DISTINCT " : "SELECT ");
    String window = random.nextInt(8) == 0 ? "w" : "";
    if (random.nextInt(6) == 0) {
      core.append("*");
    } else {
      String a = random.nextBoolean() && !outer.isEmpty() ? outer + "a" : prefix + "a";
      core.append(value(a, prefix + "b"));
      if (!window.isEmpty()) {
        core.append(repeated(" + sum(" + prefix + "a) OVER w", Math.min(fan(), CHAIN_MAX)));
      }
      core.append(" AS a, ").append(value(prefix + "b", prefix + "a")).append(" AS b");
    }
    core.append(" FROM ");
    core.append(depth == 0 ? relation() : "(" + select(depth - 1, outer) + ")");
    core.append(" AS ").append(name);
    if (random.nextInt(5) == 0) {
      String other = "s" + names++;
      core.append(
          switch (random.nextInt(4)) {
            case 0 -> " NATURAL JOIN " + relation();
            case 1 -> " FULL JOIN " + relation() + " AS " + other + " USING (a)";
            case 2 ->
                " LEFT JOIN ("
                    + select(Math.max(0, depth - 1), "")
                    + ") AS "
                    + other
                    + " ON "
                    + condition(prefix, other + ".");
            default -> repeated(", " + relation(), 1 + random.nextInt(3));
          });
    }
    if (random.nextInt(2) == 0) {
      core.append(" WHERE ").append(condition(prefix, outer));
      if (depth > 0 && random.nextInt(4) == 0) {
        core.append(" AND ").append(prefix).append("a IN (");
        core.append(select(random.nextInt(depth), prefix)).append(")");
      }
    }
    if (random.nextInt(8) == 0) {
      core.append(" GROUP BY ").append(repeated(pick("1, ", "a, ", prefix + "b, "), fan() % 60));
      core.append("2 HAVING ").append(value("b", "a"));
    }
    if (!window.isEmpty()) {
      core.append(" WINDOW w AS (PARTITION BY ");
      core.append(repeated(value(prefix + "a", prefix + "b") + ", ", fan() % 30));
      core.append("1)");
    }
    return core.toString();
  }

  private String condition(String prefix, String other) {
    String a = prefix + "a";
    String b = prefix + "b";
    String c = other.isEmpty() ? "b" : other + "a";
    return switch (random.nextInt(5)) {
      case 0 -> a + " = 1 AND " + b + " = " + value(a, a) + " AND " + value(b, a) + " > 1";
      case 1 -> "((" + a + " = " + value(c, c) + ") AND " + b + " = " + value(a, c) + ")";
      case 2 -> value(a, c) + " > 0 OR " + value(b, a) + " BETWEEN " + value(a, b) + " AND 7";
      case 3 -> "(" + a + ", " + b + ") = (" + value(c, a) + ", 2)";
      default -> value(a, c) + " > 1";
    };
  }

  /** {@return an expression that names columns, one of them often} */
  private String value(String often, String once) {
    int count = fan();
    if (count == 1) {
      return pick(often, once, often + " + " + once);
    }
    return switch (random.nextInt(5)) {
      case 0 -> listed("max", often, once, count);
      case 1 -> listed("coalesce", often, once, count);
      case 2 ->
          "(" + repeated(often + pick(" + ", " || "), Math.min(count, CHAIN_MAX)) + once + ")";
      case 3 -> "CASE " + repeated("WHEN " + often + " > 1 THEN " + once + " ", count / 2) + "END";
      default -> listed("concat", "(" + often + " BETWEEN 1 AND " + once + ")", once, count / 3);
    };
  }

  private static String listed(String function, String often, String once, int count) {
    return function + "(" + repeated(often + ", ", Math.max(1, count)) + once + ")";
  }

  private static String repeated(String text, int count) {
    return String.join("", Collections.nCopies(count, text));
  }

  private String pick(String... texts) {
    return texts[random.nextInt(texts.length)];
  }
}
