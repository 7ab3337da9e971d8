package dev.holdfast.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.StorageKind;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.Difference.Kind;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * Random programs of writes on both storage engines. Each turn notes what the object has at its
 * end; afterwards each of these states, and the differences of any two, are as noted.
 */
class PastStatesModelTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final String OBJECT = "o";

  private static final List<String> NAMES = List.of("t", "T2", "\"u \"\"x\"");
  private static final List<String> KEYS = List.of("", "a", "a\0", "aa", "\u00e9", "\uFFFF");
  private static final List<String> VALUES =
      List.of(
          "NULL",
          "0",
          "1",
          "1.0",
          "2",
          "9007199254740993",
          "''",
          "'1'",
          "'a'",
          "'A'",
          "'a, b'",
          "x''",
          "x'61'",
          "CAST(x'80' AS TEXT)",
          "CAST(x'81' AS TEXT)",
          "'null'");

  /** How a table is made; the number in a comment survives a change of its name. */
  private record Definition(String columns, List<String> key, @Nullable String rowId) {}

  private static final List<Definition> DEFINITIONS =
      List.of(
          new Definition("(a, b)", List.of(), "rowid"),
          new Definition("(a INTEGER PRIMARY KEY, b)", List.of("a"), "rowid"),
          new Definition("(a TEXT PRIMARY KEY, b) WITHOUT ROWID", List.of("a"), null),
          new Definition("(a COLLATE NOCASE PRIMARY KEY, b COLLATE NOCASE)", List.of("a"), "rowid"),
          new Definition("(a, b, PRIMARY KEY (b, a))", List.of("b", "a"), "rowid"),
          new Definition("(a PRIMARY KEY, b, g AS (a || b) STORED)", List.of("a"), "rowid"),
          new Definition("(a, b, rowid AS (1))", List.of(), "_rowid_"),
          new Definition("(a, rowid, b, PRIMARY KEY (a, b))", List.of("a", "b"), "_rowid_"),
          new Definition("(a REAL, b INT)", List.of(), "rowid"),
          new Definition(
              "(a COLLATE NOCASE, b, PRIMARY KEY (a, b)) WITHOUT ROWID", List.of("a", "b"), null));

  private static final AtomicInteger DIRECTORIES = new AtomicInteger();
  private static @Nullable Path root;

  /** A write. */
  sealed interface Write {

    /** Sets a key; deletes it if the value is null. */
    record Put(String key, @Nullable String value) implements Write {}

    /** Deletes everything. */
    record DeleteAll() implements Write {}

    /** Sets the alarm, or deletes it. */
    record Alarm(long second) implements Write {}

    /** Runs a statement, which may fail. */
    record Sql(String statement) implements Write {}
  }

  /** What is noted of an entry: its key as it is shown, and its values. */
  private record Entry(String key, String values) {}

  /** What is noted of a state: the entries of each table by what makes them unique. */
  private record State(
      String bookmark, Map<String, Map<String, Entry>> tables, Map<String, List<String>> rows) {}

  @BeforeContainer
  static void makeRoot() throws IOException {
    root = Files.createTempDirectory("past-states");
  }

  @AfterContainer
  static void deleteRoot() throws IOException {
    try (Stream<Path> paths = Files.walk(Objects.requireNonNull(root))) {
      for (Path path : (Iterable<Path>) paths.sorted((a, b) -> b.compareTo(a))::iterator) {
        Files.delete(path);
      }
    }
  }

  @Property(tries = 20, seed = "4711", shrinking = ShrinkingMode.BOUNDED)
  void earlierStatesAndTheirDifferencesAreAsNoted(@ForAll("programs") List<List<Write>> program) {
    Path data = Objects.requireNonNull(root).resolve("d" + DIRECTORIES.incrementAndGet());
    try (ObjectRuntime runtime = open(data)) {
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        List<State> states = new ArrayList<>();
        for (List<Write> turn : program) {
          states.add(
              Scripted.in(
                  runtime.namespace(kind.name(), Scripted.class).getByName(OBJECT),
                  context -> {
                    turn.forEach(each -> write(context, kind, each));
                    return note(context, kind);
                  }));
        }
        for (State each : states) {
          requireSame(runtime, kind, each);
          for (State other : states) {
            requireSameDifferences(runtime, kind, each, other);
          }
        }
      }
    }
  }

  private static ObjectRuntime open(Path data) {
    return Holdfast.open(
        data,
        new VirtualClock(),
        objects -> {
          for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
            objects.namespace(
                kind.name(),
                Scripted.class,
                Scripted::withAlarm,
                NamespaceOptions.DEFAULT.withStorage(kind));
          }
        });
  }

  // ---- The object -----------------------------------------------------------------------

  private static void write(ObjectContext context, StorageKind kind, Write write) {
    switch (write) {
      case Write.Put(var key, var value) when value == null -> context.storage().delete(key);
      case Write.Put(var key, var value) -> context.storage().put(key, value);
      case Write.DeleteAll() -> {
        context.storage().deleteAll();
        context.storage().deleteAlarm();
      }
      case Write.Alarm(var second) when second == 0 -> context.storage().deleteAlarm();
      case Write.Alarm(var second) ->
          context.storage().setAlarm(Instant.parse("2200-01-01T00:00:00Z").plusSeconds(second));
      case Write.Sql(var statement) -> {
        if (kind == StorageKind.SQLITE) {
          try {
            context.storage().sql().exec(statement).toList();
          } catch (SqlException e) {
            // The table is not there, or the row breaks a rule: nothing was changed.
          }
        }
      }
    }
  }

  private static State note(ObjectContext context, StorageKind kind) {
    Map<String, Map<String, Entry>> tables = new TreeMap<>();
    Map<String, List<String>> rows = new LinkedHashMap<>();
    Map<String, Entry> keys = new TreeMap<>();
    context
        .storage()
        .list(String.class)
        .forEach((key, value) -> keys.put(key, new Entry(key, value)));
    tables.put(Difference.KEYS, keys);
    if (kind == StorageKind.SQLITE) {
      Map<String, Entry> schema = new TreeMap<>();
      tables.put(Difference.SCHEMA, schema);
      for (List<@Nullable Object> each :
          raw(
              context,
              "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_cf\\_%' ESCAPE"
                  + " '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")) {
        String shown = each.get(0) + " " + each.get(1);
        String sql = String.valueOf(each.get(2));
        schema.put(shown, new Entry(shown, sql));
        if ("table".equals(each.get(0))) {
          note(context, String.valueOf(each.get(1)), sql, tables, rows);
        }
      }
    }
    return new State(context.storage().getCurrentBookmark(), tables, rows);
  }

  private static void note(
      ObjectContext context,
      String name,
      String sql,
      Map<String, Map<String, Entry>> tables,
      Map<String, List<String>> rows) {
    Matcher number = Pattern.compile("/\\*(\\d+)\\*/").matcher(sql);
    assertThat(number.find()).isTrue();
    Definition definition = DEFINITIONS.get(Integer.parseInt(number.group(1)));
    String quoted = "\"" + name.replace("\"", "\"\"") + "\"";
    List<String> key =
        definition.key().isEmpty()
            ? List.of(Objects.requireNonNull(definition.rowId()))
            : definition.key();
    StringBuilder query = new StringBuilder("SELECT ");
    key.forEach(each -> query.append(each).append(", ").append(exact(each)).append(", "));
    String columns = "a, b" + (sql.contains("added") ? ", added" : "");
    query.append(definition.rowId() == null ? "NULL" : definition.rowId());
    query.append(", ");
    query.append(
        String.join(
            " || '|' || ", Stream.of(columns.split(", ")).map(each -> exact(each)).toList()));
    query.append(", ").append(columns).append(" FROM ").append(quoted);
    Map<String, Entry> entries = new TreeMap<>();
    List<String> shownRows = new ArrayList<>();
    for (List<@Nullable Object> row : raw(context, query.toString())) {
      List<String> shown = new ArrayList<>();
      StringBuilder identity = new StringBuilder();
      boolean isUnique = true;
      int at = 0;
      for (; at < 2 * key.size(); at += 2) {
        shown.add(plain(row.get(at)));
        identity.append(row.get(at + 1)).append('|');
        isUnique &= row.get(at) != null;
      }
      if (!isUnique) {
        identity.append(row.get(at));
      }
      Entry before =
          entries.put(
              identity.toString(),
              new Entry(String.join(", ", shown), String.valueOf(row.get(at + 1))));
      assertThat(before).isNull();
      shownRows.add(
          String.join(
              "|", row.subList(at + 2, row.size()).stream().map(each -> plain(each)).toList()));
    }
    tables.put(name, entries);
    rows.put(name, shownRows);
  }

  private static String exact(String column) {
    return "typeof(%1$s) || hex(CAST(%1$s AS BLOB))".formatted(column);
  }

  private static String plain(@Nullable Object value) {
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
  }

  private static List<List<@Nullable Object>> raw(ObjectContext context, String query) {
    return context.storage().sql().exec(query).raw().toList();
  }

  // ---- The comparisons --------------------------------------------------------------------

  private static void requireSameDifferences(
      ObjectRuntime runtime, StorageKind kind, State from, State to) {
    List<Difference> expected = new ArrayList<>();
    SortedSet<String> tables = new TreeSet<>(from.tables().keySet());
    tables.addAll(to.tables().keySet());
    for (String table : tables) {
      Map<String, Entry> before = from.tables().getOrDefault(table, Map.of());
      Map<String, Entry> after = to.tables().getOrDefault(table, Map.of());
      before.forEach(
          (identity, entry) -> {
            Entry now = after.get(identity);
            if (now == null || !now.values().equals(entry.values())) {
              expected.add(
                  new Difference(now == null ? Kind.REMOVED : Kind.CHANGED, table, entry.key()));
            }
          });
      after.forEach(
          (identity, entry) -> {
            if (!before.containsKey(identity)) {
              expected.add(new Difference(Kind.ADDED, table, entry.key()));
            }
          });
    }
    var objects = runtime.namespace(kind.name(), Scripted.class);
    assertThat(
            runtime
                .recovery(kind.name(), objects.idFromName(OBJECT))
                .diff(from.bookmark(), to.bookmark()))
        .as("%s", kind)
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  private static void requireSame(ObjectRuntime runtime, StorageKind kind, State state) {
    Map<String, String> keys = new TreeMap<>();
    state.tables().get(Difference.KEYS).forEach((key, entry) -> keys.put(key, entry.values()));
    Map<String, String> listed = new TreeMap<>();
    for (Map<String, @Nullable Object> each : ask(runtime, kind, state, "list", null)) {
      listed.put(
          (String) Objects.requireNonNull(each.get("key")),
          (String) StructuredClone.standard().decode((byte[]) each.get("value")));
    }
    assertThat(listed).isEqualTo(keys);
    state
        .rows()
        .forEach(
            (table, rows) ->
                assertThat(
                        ask(runtime, kind, state, "table", table).stream()
                            .skip(1)
                            .map(each -> shown((List<?>) each.get("row"), rows)))
                    .as("%s", table)
                    .containsExactlyInAnyOrderElementsOf(rows));
  }

  /** A column with the name of the row id is between the two others, and always empty. */
  private static String shown(@Nullable List<?> row, List<String> rows) {
    List<?> values = new ArrayList<>(Objects.requireNonNull(row));
    int columns = rows.getFirst().split("\\|", -1).length;
    if (values.size() > columns) {
      values.remove(1);
    }
    return String.join("|", values.stream().map(each -> plain(each)).toList());
  }

  private static List<Map<String, @Nullable Object>> ask(
      ObjectRuntime runtime, StorageKind kind, State state, String verb, @Nullable String table) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    new Operations(((Inspectable) runtime).inspected())
        .perform(
            OperatorRequest.of(verb)
                .with("namespace", kind.name())
                .with("object", OBJECT)
                .with("at", state.bookmark())
                .with("table", table),
            answers::add);
    return answers;
  }

  // ---- Programs -------------------------------------------------------------------------

  @Provide
  Arbitrary<List<List<Write>>> programs() {
    Arbitrary<String> names = Arbitraries.of(NAMES);
    Arbitrary<String> values = Arbitraries.of(VALUES);
    Arbitrary<Write> write =
        Arbitraries.frequencyOf(
            Tuple.of(
                8,
                Combinators.combine(
                        Arbitraries.of(KEYS), Arbitraries.of("1", "2", "long".repeat(300)))
                    .as(Write.Put::new)),
            Tuple.of(3, Arbitraries.of(KEYS).map(key -> new Write.Put(key, null))),
            Tuple.of(1, Arbitraries.just(new Write.DeleteAll())),
            Tuple.of(1, Arbitraries.longs().between(0, 3).map(Write.Alarm::new)),
            Tuple.of(
                10,
                Combinators.combine(names, Arbitraries.integers().between(0, 9))
                    .as(PastStatesModelTest::create)),
            Tuple.of(
                24,
                Combinators.combine(names, values, values)
                    .as(
                        (name, a, b) ->
                            sql("INSERT OR REPLACE INTO %s (a, b) VALUES (%s, %s)", name, a, b))),
            Tuple.of(
                6,
                Combinators.combine(names, values, values)
                    .as(
                        (name, a, b) ->
                            sql("UPDATE OR IGNORE %s SET b = %s WHERE a IS %s", name, b, a))),
            Tuple.of(
                3,
                Combinators.combine(names, values, values)
                    .as(
                        (name, a, b) ->
                            sql("UPDATE OR IGNORE %s SET a = %s WHERE b IS %s", name, a, b))),
            Tuple.of(
                6,
                Combinators.combine(names, values)
                    .as((name, a) -> sql("DELETE FROM %s WHERE a IS %s", name, a))),
            Tuple.of(1, names.map(name -> sql("DELETE FROM %s", name))),
            Tuple.of(2, names.map(name -> sql("DROP TABLE %s", name))),
            Tuple.of(1, names.map(name -> sql("CREATE INDEX i ON %s (b)", name))),
            Tuple.of(1, names.map(name -> sql("ALTER TABLE %s ADD COLUMN added DEFAULT 5", name))),
            Tuple.of(
                2,
                Combinators.combine(names, names)
                    .as((name, other) -> sql("ALTER TABLE %s RENAME TO %s", name, other))));
    return write.list().ofMinSize(1).ofMaxSize(12).list().ofMinSize(2).ofMaxSize(LONG ? 12 : 6);
  }

  private static Write create(String name, int number) {
    String columns = DEFINITIONS.get(number).columns();
    return sql("CREATE TABLE %s %s", name, "(/*" + number + "*/" + columns.substring(1));
  }

  private static Write sql(String format, Object... arguments) {
    return new Write.Sql(format.formatted(arguments));
  }
}
