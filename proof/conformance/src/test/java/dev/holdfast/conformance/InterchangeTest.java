package dev.holdfast.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.conformance.value.ValueText;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.storage.ObjectStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects as files: those of the reference runtime come in, ours go out. */
final class InterchangeTest {

  private static final Path SAMPLE =
      Path.of(
          "src",
          "test",
          "resources",
          "conformance",
          "files",
          "sample-namespace",
          "83b3ec8940c356be83a9aa6a62aeb8e1a79d2663c7dd9aa7b17427747be1b7aa.sqlite");

  /** An object that shows what it has. */
  public interface Shelf {

    /** Stores a text. */
    void put(String key, String text);

    /** Runs statements. */
    void run(String sql);

    /** Returns all keys, each with the text of its value. */
    List<String> pairs();

    /** Returns the rows of a query. */
    List<String> rows(String sql);

    /** Sets the alarm, and a named one for the day after. */
    void setAlarms(Instant time);

    /** Returns the time of the alarm, and of the named one. */
    List<Optional<Instant>> alarms();

    /** Returns how often this instance was called. */
    int calls();
  }

  static final class ShelfObject implements Shelf, AlarmHandler {

    private final ObjectStorage storage;
    private final BlockingQueue<Instant> fired;
    private int calls;

    ShelfObject(ObjectContext context, BlockingQueue<Instant> fired) {
      this.storage = context.storage();
      this.fired = fired;
    }

    @Override
    public void put(String key, String text) {
      calls++;
      storage.put(key, text);
    }

    @Override
    public void run(String sql) {
      calls++;
      storage.sql().exec(sql);
    }

    @Override
    public List<String> pairs() {
      calls++;
      List<String> pairs = new ArrayList<>();
      storage
          .list(Object.class)
          .forEach((key, value) -> pairs.add(key + " = " + ValueText.of(value)));
      return pairs;
    }

    @Override
    public List<String> rows(String sql) {
      calls++;
      List<String> rows = new ArrayList<>();
      for (SqlRow row : storage.sql().exec(sql).toList()) {
        rows.add(row.values().toString());
      }
      return rows;
    }

    @Override
    public void setAlarms(Instant time) {
      storage.setAlarm(time);
      storage.schedules().at(NAMED, time.plus(ONE_DAY));
    }

    @Override
    public List<Optional<Instant>> alarms() {
      return List.of(storage.getAlarm(), storage.schedules().next(NAMED));
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      fired.add(alarm.scheduledTime());
    }

    @Override
    public int calls() {
      return ++calls;
    }
  }

  private static final String NAMED = "tomorrow";
  private static final Instant FAR_AWAY = Instant.parse("2100-01-01T00:00:00Z");
  private static final Duration ONE_DAY = Duration.ofDays(1);

  /** The times of alarms that ran. */
  private final BlockingQueue<Instant> fired = new LinkedBlockingQueue<>();

  @TempDir private Path directory;
  private ObjectRuntime runtime;

  @BeforeEach
  void open() {
    runtime =
        Holdfast.open(
            directory.resolve("data"),
            objects -> {
              for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
                objects.namespace(
                    kind.name(),
                    Shelf.class,
                    context -> new ShelfObject(context, fired),
                    NamespaceOptions.DEFAULT.withStorage(kind));
              }
            });
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private Shelf shelf(StorageKind kind, String name) {
    return runtime.namespace(kind.name(), Shelf.class).getByName(name);
  }

  private ObjectRecovery recovery(StorageKind kind, String name) {
    ObjectId id = runtime.namespace(kind.name(), Shelf.class).idFromName(name);
    return runtime.recovery(kind.name(), id);
  }

  // ---- In ---------------------------------------------------------------------------------

  @Test
  void fileOfTheReferenceIsImportedWithItsValuesAndTables() {
    recovery(StorageKind.SQLITE, "sample").importFrom(SAMPLE);

    Shelf shelf = shelf(StorageKind.SQLITE, "sample");
    assertThat(shelf.pairs()).hasSize(21);
    assertThat(shelf.pairs())
        .contains(
            "number = 42",
            "fraction = 0.1",
            "negativeZero = -0",
            "nothing = null",
            "big = 12345678901234567890n",
            "list = [1, \"two\", [3]]",
            "cycle = {name: \"self\", me: ^0}");
    assertThat(shelf.rows("SELECT count(*) FROM person")).containsExactly("[50]");
    assertThat(shelf.rows("SELECT count(*) FROM person INDEXED BY person_name WHERE name > ''"))
        .containsExactly("[50]");
    assertThat(shelf.rows("SELECT count(*) FROM note")).containsExactly("[1]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void alarmOfTheReferencesFileIsSet(StorageKind kind) throws Exception {
    Path file = directory.resolve("alarm.sqlite");
    make(
        file,
        "CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)",
        "INSERT INTO _cf_METADATA VALUES (1, " + FAR_AWAY.toEpochMilli() + "000000)");
    shelf(kind, "object").setAlarms(FAR_AWAY.plus(ONE_DAY));

    recovery(kind, "object").importFrom(file);

    assertThat(shelf(kind, "object").alarms())
        .containsExactly(Optional.of(FAR_AWAY), Optional.empty());
  }

  @Test
  void alarmOfTheSampleIsSet() {
    recovery(StorageKind.SQLITE, "sample").importFrom(SAMPLE);

    assertThat(shelf(StorageKind.SQLITE, "sample").alarms())
        .containsExactly(Optional.of(Instant.ofEpochMilli(4_102_444_800_000L)), Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void fileWithoutAlarmTakesTheAlarmAway(StorageKind kind) throws Exception {
    Path file = directory.resolve("none.sqlite");
    make(file, "CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
    shelf(kind, "object").setAlarms(FAR_AWAY);

    recovery(kind, "object").importFrom(file);

    assertThat(shelf(kind, "object").alarms()).containsExactly(Optional.empty(), Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void importedAlarmThatIsDueRuns(StorageKind kind) throws Exception {
    Path file = directory.resolve("due.sqlite");
    make(
        file,
        "CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)",
        "INSERT INTO _cf_METADATA VALUES (1, 1000000000)");

    recovery(kind, "object").importFrom(file);

    assertThat(fired.poll(5, TimeUnit.MINUTES)).isEqualTo(Instant.ofEpochMilli(1_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void alarmsGoOutAndComeBack(StorageKind kind) {
    Path file = directory.resolve("alarms.sqlite");
    shelf(kind, "from").setAlarms(FAR_AWAY);

    recovery(kind, "from").exportTo(file);
    for (StorageKind other : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      recovery(other, "to").importFrom(file);

      assertThat(shelf(other, "to").alarms())
          .as("on %s", other)
          .containsExactly(Optional.of(FAR_AWAY), Optional.of(FAR_AWAY.plus(ONE_DAY)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB);"
            + "INSERT INTO _cf_METADATA VALUES (1, -5000000)",
        "CREATE TABLE _cf_METADATA (wrong)",
        "CREATE TABLE _cf_ALARM (name TEXT PRIMARY KEY, state, due, scheduled, retries, schedule);"
            + "INSERT INTO _cf_ALARM VALUES ('a', 9, 1, 1, 0, '')",
        "CREATE TABLE _cf_ALARM (name TEXT PRIMARY KEY, state, due, scheduled, retries, schedule,"
            + " headers);INSERT INTO _cf_ALARM VALUES ('a', 1, 1, 1, 0, '', x'0001')",
      })
  void fileWithAnAlarmThatNoObjectCanHaveIsRefused(String statements) throws Exception {
    Path file = directory.resolve("bad.sqlite");
    make(file, statements.split(";", -1));
    shelf(StorageKind.SQLITE, "object").setAlarms(FAR_AWAY);

    assertThatThrownBy(() -> recovery(StorageKind.SQLITE, "object").importFrom(file))
        .isInstanceOf(ObjectFileException.class);

    assertThat(shelf(StorageKind.SQLITE, "object").alarms())
        .containsExactly(Optional.of(FAR_AWAY), Optional.of(FAR_AWAY.plus(ONE_DAY)));
  }

  @Test
  void importedFullTextIndexAnswersAndTakesRows() {
    recovery(StorageKind.SQLITE, "sample").importFrom(SAMPLE);

    Shelf shelf = shelf(StorageKind.SQLITE, "sample");
    shelf.run("INSERT INTO note (title, body) VALUES ('second', 'zebra crossing')");
    assertThat(shelf.rows("SELECT title FROM note WHERE note MATCH 'zebra'"))
        .containsExactly("[second]");
    shelf.run("INSERT INTO note (note) VALUES ('integrity-check')");
    assertThat(shelf.rows("SELECT count(*) FROM note")).containsExactly("[2]");
  }

  @Test
  void importReplacesWhatTheObjectHadAndItsInstance() {
    Shelf shelf = shelf(StorageKind.SQLITE, "sample");
    shelf.put("old", "value");
    shelf.run("CREATE TABLE person (other TEXT)");
    shelf.run("CREATE VIRTUAL TABLE gone USING fts5(text)");
    assertThat(shelf.calls()).isEqualTo(4);

    recovery(StorageKind.SQLITE, "sample").importFrom(SAMPLE);

    assertThat(shelf.calls()).isEqualTo(1);
    assertThat(shelf.pairs()).hasSize(21).noneMatch(pair -> pair.startsWith("old"));
    assertThat(shelf.rows("SELECT name FROM sqlite_schema WHERE name = 'gone'")).isEmpty();
    assertThat(shelf.rows("SELECT count(*) FROM person")).containsExactly("[50]");
  }

  @Test
  void importIsDurable() {
    recovery(StorageKind.SQLITE, "sample").importFrom(SAMPLE);
    List<String> before = shelf(StorageKind.SQLITE, "sample").pairs();

    close();
    open();

    assertThat(shelf(StorageKind.SQLITE, "sample").pairs()).isEqualTo(before);
    assertThat(shelf(StorageKind.SQLITE, "sample").rows("SELECT count(*) FROM person"))
        .containsExactly("[50]");
  }

  @Test
  void restoreTakesAnImportBackWithItsTablesAndAlarms() {
    ObjectRecovery past = recovery(StorageKind.SQLITE, "sample");
    Shelf shelf = shelf(StorageKind.SQLITE, "sample");
    shelf.put("old", "value");
    shelf.run("CREATE TABLE person (other TEXT)");
    shelf.setAlarms(FAR_AWAY.plus(ONE_DAY));
    String before = past.history(1).entries().getFirst().bookmark();
    past.importFrom(SAMPLE);
    String imported = past.history(1).entries().getFirst().bookmark();
    assertThat(past.diff(before, imported))
        .contains(
            new Difference(Difference.Kind.REMOVED, Difference.KEYS, "old"),
            new Difference(Difference.Kind.ADDED, Difference.KEYS, "number"));

    past.restoreOnNextSession(before);
    close();
    open();

    shelf = shelf(StorageKind.SQLITE, "sample");
    assertThat(shelf.pairs()).containsExactly("old = \"value\"");
    assertThat(shelf.rows("SELECT * FROM person")).isEmpty();
    assertThat(shelf.alarms())
        .containsExactly(
            Optional.of(FAR_AWAY.plus(ONE_DAY)), Optional.of(FAR_AWAY.plus(ONE_DAY).plus(ONE_DAY)));
    recovery(StorageKind.SQLITE, "sample").restoreOnNextSession(imported);
    close();
    open();
    shelf = shelf(StorageKind.SQLITE, "sample");
    assertThat(shelf.pairs()).hasSize(21);
    assertThat(shelf.rows("SELECT count(*) FROM person")).containsExactly("[50]");
    assertThat(shelf.alarms())
        .containsExactly(Optional.of(Instant.ofEpochMilli(4_102_444_800_000L)), Optional.empty());
  }

  @Test
  void fileWithTablesIsRefusedWhereThereIsNoSql() {
    shelf(StorageKind.ROCKSDB, "sample").put("kept", "value");

    assertThatThrownBy(() -> recovery(StorageKind.ROCKSDB, "sample").importFrom(SAMPLE))
        .isInstanceOf(ObjectFileException.class)
        .hasMessageContaining("has no SQL storage");
    assertThat(shelf(StorageKind.ROCKSDB, "sample").pairs()).containsExactly("kept = \"value\"");
  }

  @Test
  void tablesKeepTheirRowIdsCountersGeneratedColumnsAndTriggers() throws Exception {
    Path file = directory.resolve("odd.sqlite");
    make(
        file,
        "CREATE TABLE plain (a)",
        "INSERT INTO plain (rowid, a) VALUES (7, 'seven'), (99, 'ninety-nine')",
        "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, a)",
        "INSERT INTO counted VALUES (41, 'x')",
        "DELETE FROM counted",
        "CREATE TABLE computed (a INT, twice INT GENERATED ALWAYS AS (a * 2) STORED)",
        "INSERT INTO computed (a) VALUES (21)",
        "CREATE TABLE \"qu\"\"oted\" (rowid TEXT, \"or\"\"der\" TEXT PRIMARY KEY) WITHOUT ROWID",
        "INSERT INTO \"qu\"\"oted\" VALUES ('r', 'o')",
        "CREATE TABLE log (a)",
        "CREATE TRIGGER noted AFTER INSERT ON plain BEGIN INSERT INTO log VALUES (new.a); END",
        "CREATE VIEW shown AS SELECT a FROM plain");

    recovery(StorageKind.SQLITE, "odd").importFrom(file);

    Shelf shelf = shelf(StorageKind.SQLITE, "odd");
    assertThat(shelf.rows("SELECT rowid FROM plain")).containsExactly("[7]", "[99]");
    assertThat(shelf.rows("SELECT twice FROM computed")).containsExactly("[42]");
    assertThat(shelf.rows("SELECT * FROM \"qu\"\"oted\"")).containsExactly("[r, o]");
    assertThat(shelf.rows("SELECT * FROM log")).isEmpty();
    shelf.run("INSERT INTO plain (a) VALUES ('new')");
    assertThat(shelf.rows("SELECT * FROM log")).containsExactly("[new]");
    shelf.run("INSERT INTO counted (a) VALUES ('y')");
    assertThat(shelf.rows("SELECT id FROM counted")).containsExactly("[42]");
    assertThat(shelf.rows("SELECT count(*) FROM shown")).containsExactly("[3]");
  }

  @Test
  void fileThatIsNoDatabaseOrHasWhatNoObjectHasIsRefusedAndNothingChanges() throws Exception {
    Shelf shelf = shelf(StorageKind.SQLITE, "victim");
    shelf.put("kept", "value");
    shelf.run("CREATE TABLE kept (a)");
    Path noise = directory.resolve("noise");
    Files.write(noise, IntStream.range(0, 50_000).mapToObj(i -> "noise " + i).toList());
    Path cut = directory.resolve("cut.sqlite");
    Files.write(cut, java.util.Arrays.copyOf(Files.readAllBytes(SAMPLE), 20_000));
    Path longKey = directory.resolve("long-key.sqlite");
    make(longKey, PAIRS, "INSERT INTO _cf_KV VALUES (printf('%.2049c', 'k'), x'ff0f30')");
    Path largeValue = directory.resolve("large-value.sqlite");
    make(largeValue, PAIRS, "INSERT INTO _cf_KV VALUES ('k', zeroblob(131107))");
    Path otherPairs = directory.resolve("other-pairs.sqlite");
    make(otherPairs, "CREATE TABLE _cf_KV (name, data)");
    Path hidden = directory.resolve("hidden.sqlite");
    make(hidden, "CREATE TABLE _cf_OTHER (a)");
    Path module = directory.resolve("module.sqlite");
    make(module, "CREATE VIRTUAL TABLE v USING fts3(a)");
    Path wide = directory.resolve("wide.sqlite");
    make(wide, "CREATE TABLE w (" + columns(101) + ")");
    Path orphan = directory.resolve("orphan.sqlite");
    make(
        orphan,
        "CREATE TABLE p (id INTEGER PRIMARY KEY)",
        "CREATE TABLE c (p REFERENCES p (id))",
        "INSERT INTO c VALUES (5)");

    for (Path file :
        List.of(
            noise,
            cut,
            longKey,
            largeValue,
            otherPairs,
            hidden,
            module,
            wide,
            orphan,
            directory,
            directory.resolve("missing.sqlite"))) {
      assertThatThrownBy(() -> recovery(StorageKind.SQLITE, "victim").importFrom(file))
          .as(file.toString())
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(file.getFileName().toString());
      assertThat(shelf.pairs()).as(file.toString()).containsExactly("kept = \"value\"");
      assertThat(
              shelf.rows("SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'"))
          .as(file.toString())
          .containsExactly("[kept]");
    }
    assertThat(shelf.calls()).as("the instance was not reset").isGreaterThan(20);
  }

  @Test
  void fileWithTextInAnotherEncodingIsRefusedForThat() throws Exception {
    Path file = directory.resolve("utf16.sqlite");
    make(file, "PRAGMA encoding = 'UTF-16'", PAIRS);

    assertThatThrownBy(() -> recovery(StorageKind.SQLITE, "victim").importFrom(file))
        .isInstanceOf(ObjectFileException.class)
        .hasMessageContaining("UTF-16");
  }

  // ---- Out --------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void exportedFileHasTheValuesInTheReferencesFormat(StorageKind kind) throws Exception {
    shelf(kind, "out").put("key", "text");
    shelf(kind, "out").put("\ud800\udc00", "beyond");
    Path file = directory.resolve("out.sqlite");

    recovery(kind, "out").exportTo(file);

    assertThat(query(file, "SELECT key, hex(value) FROM _cf_KV ORDER BY key"))
        .containsExactly("key FF0F220474657874", "\ud800\udc00 FF0F22066265796F6E64");
    assertThat(query(file, "PRAGMA integrity_check")).containsExactly("ok");
    assertThat(entries()).containsExactlyInAnyOrder("data", "out.sqlite");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void exportOfAnObjectThatNeverWroteIsAnEmptyDatabase(StorageKind kind) throws Exception {
    Path file = directory.resolve("empty.sqlite");

    recovery(kind, "nobody").exportTo(file);

    assertThat(query(file, "PRAGMA integrity_check")).containsExactly("ok");
    recovery(kind, "nobody").importFrom(file);
    assertThat(shelf(kind, "nobody").pairs()).isEmpty();
  }

  @Test
  void whatWasExportedComesBackAlsoOnAnotherEngine() {
    Path file = directory.resolve("exchange.sqlite");
    recovery(StorageKind.SQLITE, "sample").importFrom(SAMPLE);
    shelf(StorageKind.SQLITE, "sample").run("DROP TABLE person; DROP TABLE note");
    recovery(StorageKind.SQLITE, "sample").exportTo(file);
    recovery(StorageKind.ROCKSDB, "other").importFrom(file);
    Path back = directory.resolve("back.sqlite");
    recovery(StorageKind.ROCKSDB, "other").exportTo(back);
    recovery(StorageKind.SQLITE, "again").importFrom(back);

    assertThat(shelf(StorageKind.ROCKSDB, "other").pairs())
        .isEqualTo(shelf(StorageKind.SQLITE, "sample").pairs())
        .isEqualTo(shelf(StorageKind.SQLITE, "again").pairs())
        .hasSize(21);
  }

  @Test
  void tablesComeBackFromAnExport() {
    Path file = directory.resolve("tables.sqlite");
    recovery(StorageKind.SQLITE, "sample").importFrom(SAMPLE);
    recovery(StorageKind.SQLITE, "sample").exportTo(file);
    recovery(StorageKind.SQLITE, "copy").importFrom(file);

    for (String query : List.of("SELECT * FROM person ORDER BY id", "SELECT rowid, * FROM note")) {
      assertThat(shelf(StorageKind.SQLITE, "copy").rows(query.replace(", photo", "")))
          .hasSameSizeAs(shelf(StorageKind.SQLITE, "sample").rows(query));
    }
    assertThat(shelf(StorageKind.SQLITE, "copy").pairs())
        .isEqualTo(shelf(StorageKind.SQLITE, "sample").pairs());
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void existingFileOrMissingDirectoryIsRefused(StorageKind kind) throws Exception {
    shelf(kind, "out").put("key", "text");
    Path existing = Files.writeString(directory.resolve("existing"), "precious");

    assertThatThrownBy(() -> recovery(kind, "out").exportTo(existing))
        .isInstanceOf(ObjectFileException.class)
        .hasMessageContaining("exists already");
    assertThatThrownBy(() -> recovery(kind, "out").exportTo(directory.resolve("no/where")))
        .isInstanceOf(ObjectFileException.class)
        .hasMessageContaining("no directory");
    assertThat(existing).hasContent("precious");
    assertThat(entries()).containsExactlyInAnyOrder("data", "existing");
  }

  @Test
  void exportIsNotHinderedByWhatAnotherOneLeftHalfWritten() throws Exception {
    shelf(StorageKind.SQLITE, "out").put("key", "text");
    Files.writeString(directory.resolve("out.sqlite.part"), "half a file");

    recovery(StorageKind.SQLITE, "out").exportTo(directory.resolve("out.sqlite"));

    assertThat(query(directory.resolve("out.sqlite"), "SELECT count(*) FROM _cf_KV"))
        .containsExactly("1");
    assertThat(entries()).containsExactlyInAnyOrder("data", "out.sqlite", "out.sqlite.part");
  }

  private static final String PAIRS =
      "CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID";

  private static String columns(int count) {
    return String.join(", ", IntStream.range(0, count).mapToObj(i -> "c" + i).toList());
  }

  private List<String> entries() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }

  private static void make(Path file, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.executeUpdate(sql);
      }
    }
  }

  private static List<String> query(Path file, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery(sql)) {
      int columns = results.getMetaData().getColumnCount();
      while (results.next()) {
        List<String> row = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          row.add(results.getString(column));
        }
        rows.add(String.join(" ", row));
      }
    }
    return rows;
  }
}
