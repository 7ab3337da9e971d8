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
import dev.holdfast.spi.StoreTurn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attacks by SQL on the runtime's own data: a corpus, and random ones. */
final class AttackTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long SEED = Long.getLong("holdfast.seed", 20_261_122);
  private static final int ODD_ATTACKS = 1_500;
  private static final Object[] NONE = {};
  static final String KEY = "hidden-key";
  static final String VALUE = "hidden-value";

  private Path root;
  private SqliteHost host;
  private ObjectStore store;

  /** Writes what is attacked. */
  static void write(StoreTurn turn) {
    turn.put(bytes(KEY), bytes(VALUE));
    turn.exec(
        "CREATE TABLE t (v); INSERT INTO t VALUES (1), (2);"
            + "CREATE TABLE child (p REFERENCES t (v));"
            + "CREATE VIEW seen AS SELECT * FROM t;"
            + "CREATE VIRTUAL TABLE full_text USING fts5(a);"
            + "INSERT INTO full_text VALUES ('some words')",
        NONE);
  }

  @BeforeEach
  @BeforeTry
  void open() throws IOException {
    root = Files.createTempDirectory("attacks");
    host = new SqliteHost(root, 4);
    store = host.store(1);
    commit(store, AttackTest::write);
  }

  @AfterEach
  @AfterTry
  void close() throws IOException {
    host.close();
    try (var files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void corpusFindsNoWay() throws IOException {
    List<String> unexpected = new ArrayList<>();
    for (String attack : corpus()) {
      boolean mustFail = attack.startsWith("refused");
      String text = attack.substring(attack.indexOf(' ')).strip();
      boolean failed = attack(List.of(text.split(" ;; ")));
      if (mustFail && !failed) {
        unexpected.add(text);
      }
    }
    assertThat(unexpected).as("attacks that were not refused").isEmpty();
    assertThat(corpus()).hasSizeGreaterThanOrEqualTo(200);
  }

  /** In a process of its own: a successful attack may end it. */
  @Test
  void templatesFindNoWay() throws Exception {
    List<Attack> templates = new ArrayList<>(Attacks.templates());
    templates.addAll(Attacks.deadly());
    assertThat(templates).hasSizeGreaterThanOrEqualTo(1_000);
    int size = IS_LONG ? 100 : templates.size();
    long count = 0;
    for (int from = 0; from < templates.size(); from += size) {
      List<Attack> some = templates.subList(from, Math.min(from + size, templates.size()));
      List<Attack> attacks = new ArrayList<>(some);
      attacks.addAll(
          IS_LONG ? Attacks.allOdd(some) : Attacks.odd(some, ODD_ATTACKS, new Random(SEED)));

      Map<Integer, String> effects = new AttackedProcesses(root).run(true, attacks);

      assertThat(shown(attacks, effects)).as("seed %d", SEED).isEmpty();
      count += attacks.size();
    }
    report("%d attacks of %d templates found no way", count, templates.size());
  }

  /** Attacks that also find nothing without the guard would prove nothing. */
  @Test
  void mostTemplatesGetThroughWithoutTheGuard() throws Exception {
    List<Attack> attacks = new ArrayList<>();
    List<Attack> templates = Attacks.templates();
    for (int each = 0; each < templates.size(); each += IS_LONG ? 1 : 3) {
      attacks.add(templates.get(each));
    }
    Attack fatal =
        Attack.of(
            "SELECT * FROM full_text WHERE full_text MATCH 'some' AND rank MATCH"
                + " 'replicate(4294967297)' ORDER BY rank");
    attacks.add(fatal);

    Map<Integer, String> effects = new AttackedProcesses(root).run(false, attacks);

    List<Attack> stopped = new ArrayList<>(attacks);
    effects.keySet().forEach(each -> stopped.remove(attacks.get(each)));
    assertThat(stopped).as("of %d", attacks.size()).hasSizeLessThan(attacks.size() / 4);
    long harmful = effects.values().stream().filter(each -> !each.equals("ran")).count();
    assertThat(harmful).as("of %d", attacks.size()).isGreaterThan(attacks.size() / 2);
    assertThat(effects.get(attacks.size() - 1)).contains(AttackedProcesses.DIED);
    report(
        "without the guard %d of %d templates ran, %d did harm",
        effects.size(), attacks.size(), harmful);
  }

  private static void report(String form, Object... values) {
    if (IS_LONG) {
      System.out.println("AttackTest: " + String.format(form, values) + ", seed " + SEED);
    }
  }

  private static List<String> shown(List<Attack> attacks, Map<Integer, String> effects) {
    return effects.entrySet().stream()
        .map(each -> attacks.get(each.getKey()) + " -> " + each.getValue())
        .toList();
  }

  @Property(tries = 100)
  void randomTokensFindNoWay(@ForAll("soups") List<List<String>> soups) {
    attack(soups.stream().map(words -> String.join(" ", words)).toList());
  }

  @Property(tries = 100)
  void randomStatementsFindNoWay(@ForAll("statements") List<String> statements) {
    attack(statements);
  }

  /** Runs an attack in a turn of its own; {@return whether a step of it was refused} */
  private boolean attack(List<String> steps) {
    boolean failed = false;
    StoreTurn turn = store.beginTurn();
    List<String> before = pairs(turn);
    try {
      for (String step : steps) {
        try {
          for (String row : rows(turn, step.replace("\\n", "\n").replace("\\0", "\0"))) {
            assertThat(row).as("what was shown by %s", step).doesNotContain(KEY, VALUE);
            assertThat(row).doesNotContain(Arrays.toString(bytes(VALUE)));
          }
        } catch (SqlException e) {
          failed = true;
          assertThat(e.getMessage()).doesNotContain(KEY, VALUE);
        }
      }
      assertThat(pairs(turn)).as("hidden pairs after %s", steps).isEqualTo(before);
    } catch (StorageFailedException e) {
      // The turn is lost, with all its writes.
      failed = true;
    } finally {
      turn.discard();
    }
    List<String> after = pairs(store);
    assertThat(after).as("hidden pairs after %s", steps).isEqualTo(before);
    return failed;
  }

  private static List<String> corpus() throws IOException {
    try (InputStream in = AttackTest.class.getResourceAsStream("/sql/attacks.txt")) {
      assertThat(in).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .distinct()
          .toList();
    }
  }

  private static final String NAMES =
      "_cf_KV \"_cf_KV\" [_cf_KV] `_cf_kv` '_CF_KV' main._cf_KV t v key value seen child full_text"
          + " full_text_data sqlite_master sqlite_schema sqlite_stat4 temp.x x f rowid";

  private static final String WORDS =
      "SELECT * FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE VIEW TRIGGER INDEX"
          + " VIRTUAL USING fts5 fts5vocab ( ) , ; = ' \" AS ALTER RENAME TO DROP ANALYZE REINDEX"
          + " PRAGMA table_info optimize writable_schema WITH RECURSIVE UNION ALL JOIN ON BEGIN END"
          + " COMMIT ROLLBACK SAVEPOINT EXPLAIN QUERY PLAN ATTACH VACUUM 1 ? content= -- /* */ IN"
          + " EXISTS LIMIT ORDER BY AFTER REFERENCES TEMP IF NOT EXISTS RETURNING OR REPLACE . ||";

  @Provide
  Arbitrary<List<List<String>>> soups() {
    Arbitrary<String> word =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.of(NAMES.split(" "))),
            Tuple.of(3, Arbitraries.of(WORDS.split(" "))),
            Tuple.of(1, Arbitraries.of(WORDS.toLowerCase(Locale.ROOT).split(" "))));
    return word.list().ofMinSize(1).ofMaxSize(14).list().ofMinSize(1).ofMaxSize(3);
  }

  @Provide
  Arbitrary<List<String>> statements() {
    Arbitrary<String> name = Arbitraries.of(NAMES.split(" "));
    Arbitrary<String> template =
        Arbitraries.of(
            "SELECT * FROM %s a JOIN %s b",
            "SELECT (SELECT value FROM %s), (SELECT count(*) FROM %s)",
            "WITH %s AS (SELECT * FROM %s) SELECT * FROM x",
            "INSERT INTO %s SELECT * FROM %s",
            "INSERT INTO %s (v) SELECT key FROM %s",
            "UPDATE %s SET v = (SELECT max(value) FROM %s)",
            "DELETE FROM %s WHERE EXISTS (SELECT 1 FROM %s)",
            "CREATE VIEW x AS SELECT * FROM %s, %s",
            "CREATE TABLE x AS SELECT * FROM %s UNION SELECT * FROM %s",
            "CREATE TABLE x (v REFERENCES %s (%s))",
            "CREATE INDEX x ON %s (%s)",
            "CREATE TRIGGER x AFTER INSERT ON %s BEGIN INSERT INTO t SELECT value FROM %s; END",
            "CREATE VIRTUAL TABLE f USING fts5(%s, content=%s)",
            "CREATE VIRTUAL TABLE f USING fts5vocab(%s, %s)",
            "ALTER TABLE %s RENAME TO %s",
            "ALTER TABLE %s RENAME COLUMN v TO %s",
            "DROP TABLE %s; SELECT * FROM %s",
            "ANALYZE %s; SELECT * FROM sqlite_stat4 WHERE tbl = %s",
            "ANALYZE; SELECT * FROM sqlite_stat4; SELECT * FROM sqlite_stat1",
            "SELECT * FROM pragma_table_info(%s), %s",
            "PRAGMA table_info(%s); SELECT * FROM %s",
            "INSERT INTO f(f) VALUES ('rebuild'); SELECT * FROM f, %s, %s",
            "SELECT * FROM x",
            "INSERT INTO t VALUES (7)",
            "EXPLAIN SELECT * FROM %s, %s");
    return Combinators.combine(template, name, name)
        .as((text, first, second) -> String.format(text, first, second))
        .list()
        .ofMinSize(1)
        .ofMaxSize(4);
  }
}
