package dev.holdfast.embedded.operator;

import static dev.holdfast.embedded.operator.Accounts.about;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.value.TypedJson;
import dev.holdfast.operator.value.ValueNode;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of single keys, rows and alarms of objects of a running process, on both engines. */
final class ObjectEditsTest {

  private static final String SQL = "notes";
  private static final String KEYS = "pairs";

  /** Remembers in a field what it has stored. */
  interface Note {
    void put(String key, Object value);

    Object get(String key);

    List<String> rows();

    void fill(int rows);
  }

  private static final class NoteObject implements Note, AlarmHandler {

    private final ObjectContext context;
    private final Map<String, Object> remembered = new HashMap<>();

    NoteObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void put(String key, Object value) {
      remembered.put(key, value);
      context.storage().put(key, value);
    }

    @Override
    public Object get(String key) {
      return remembered.computeIfAbsent(
          key, each -> context.storage().get(each, Object.class).orElse("nothing"));
    }

    @Override
    public List<String> rows() {
      return context.storage().sql().exec("SELECT text FROM line").toList().stream()
          .map(row -> String.valueOf(row.get("text")))
          .toList();
    }

    @Override
    public void fill(int rows) {
      context
          .storage()
          .sql()
          .exec(
              "CREATE TABLE line (text UNIQUE, at); CREATE INDEX at ON line (at);"
                  + " CREATE TABLE pair (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID");
      for (int row = 0; row < rows; row++) {
        Object at = row % 3 == 0 ? null : row % 5;
        context.storage().sql().exec("INSERT INTO line VALUES (?, ?)", "row " + row, at);
        context.storage().sql().exec("INSERT INTO pair VALUES (?, ?)", row / 4, row);
      }
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  @TempDir private Path directory;

  private @Nullable ObjectRuntime opened;

  @BeforeEach
  void open() {
    opened =
        Holdfast.open(
            directory,
            new VirtualClock(),
            objects ->
                objects
                    .namespace(SQL, Note.class, NoteObject::new)
                    .namespace(
                        KEYS,
                        Note.class,
                        NoteObject::new,
                        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB))
                    .options(RuntimeOptions.DEFAULT));
  }

  @AfterEach
  void close() {
    runtime().close();
  }

  private ObjectRuntime runtime() {
    return Objects.requireNonNull(opened);
  }

  private Note note(String namespace) {
    return runtime().namespace(namespace, Note.class).getByName("a");
  }

  private List<Map<String, @Nullable Object>> ask(OperatorRequest request) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    new Operations(((Inspectable) runtime()).inspected()).perform(request, answers::add);
    return answers;
  }

  private void undo(String namespace, Map<String, @Nullable Object> answer) {
    ask(about("restore", namespace, "a").with("bookmark", answer.get("undo")));
  }

  @ParameterizedTest
  @ValueSource(strings = {SQL, KEYS})
  void aKeyIsSetAndUndone(String namespace) {
    note(namespace).put("balance", 3L);

    Map<String, @Nullable Object> answer =
        ask(about("put", namespace, "a")
                .with("key", "balance")
                .with("value", "{\"sum\": [1, true]}"))
            .getFirst();

    assertThat(note(namespace).get("balance")).hasToString("{sum=[1, true]}");
    undo(namespace, answer);
    assertThat(note(namespace).get("balance")).isEqualTo(3L);
  }

  @ParameterizedTest
  @ValueSource(strings = {SQL, KEYS})
  void aKeyIsRemovedAndUndone(String namespace) {
    note(namespace).put("balance", 3L);

    Map<String, @Nullable Object> answer =
        ask(about("remove", namespace, "a").with("key", "balance")).getFirst();

    assertThat(answer).containsEntry("removed", true);
    undo(namespace, answer);
    assertThat(note(namespace).get("balance")).isEqualTo(3L);
    assertThat(ask(about("remove", namespace, "a").with("key", "missing")).getFirst())
        .containsEntry("removed", false)
        .containsEntry("undo", null);
  }

  @ParameterizedTest
  @ValueSource(strings = {SQL, KEYS})
  void aDeletionIsUndoneThoughSomethingIsWrittenBehindIt(String namespace) {
    note(namespace).put("balance", 3L);
    InspectedRuntime inspected = ((Inspectable) runtime()).inspected();
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();

    new Operations(
            new InspectedRuntime(
                writingBefore("recovery", namespace),
                inspected.inspection(),
                inspected.lastPosition(),
                Map.of(),
                inspected.jobs()))
        .perform(about("delete", namespace, "a"), answers::add);
    note(namespace).put("balance", 5L);

    undo(namespace, answers.getFirst());
    assertThat(note(namespace).get("balance")).isEqualTo(3L);
  }

  /** {@return the runtime; before each call of a method of it, the object is written} */
  private ObjectRuntime writingBefore(String method, String namespace) {
    return (ObjectRuntime)
        Proxy.newProxyInstance(
            ObjectRuntime.class.getClassLoader(),
            new Class<?>[] {ObjectRuntime.class},
            (_, called, arguments) -> {
              if (called.getName().equals(method)) {
                note(namespace).put("balance", 4L);
              }
              return called.invoke(runtime(), arguments);
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{} {}",
        "01",
        "\"\u0001\"",
        "9007199254740993",
        "0.1000000000000000000001",
        "1e999",
        "{\"a\": 1, \"a\": 2}",
        "{\"$type\": \"Date\", \"value\": \"yesterday\"}",
        "{\"$type\": \"Uint16Array\", \"value\": \"00\"}",
        "{\"$type\": \"Map\", \"value\": [1]}",
        "{\"$type\": \"Thing\", \"value\": 1}",
        "{\"$type\": \"Set\", \"value\": [1, 1]}",
        "{\"$type\": \"Date\"}"
      })
  void whatCannotBeReadBackAlikeIsRefusedBeforeAnythingIsWritten(String json) {
    note(SQL).put("balance", 3L);

    assertThatThrownBy(() -> ask(about("put", SQL, "a").with("key", "balance").with("value", json)))
        .isInstanceOfSatisfying(
            OperatorException.class,
            e -> assertThat(e.reason()).isEqualTo(OperatorException.Reason.WRONG_REQUEST))
        .hasMessageContaining("cannot be stored");
    assertThat(note(SQL).get("balance")).isEqualTo(3L);
  }

  @Test
  void keysAndValuesThatAreTooLongAreRefused() {
    note(SQL).put("balance", 3L);

    assertThatThrownBy(
            () -> ask(about("put", SQL, "a").with("key", "k".repeat(2_049)).with("value", "1")))
        .hasMessageContaining("at most 2048 bytes");
    assertThatThrownBy(
            () ->
                ask(
                    about("put", SQL, "a")
                        .with("key", "balance")
                        .with("value", "\"" + "v".repeat(132_000) + "\"")))
        .hasMessageContaining("the limit is 131106");
    assertThatThrownBy(() -> ask(about("put", SQL, "nobody").with("key", "k").with("value", "1")))
        .hasMessageContaining("There is no object");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "-12",
        "1.5",
        "2.0",
        "\"a\\u0000\\ud800\\\"\"",
        "[]",
        "{}",
        "[1, [2.5, null]]",
        "{\"$type\": \"object\", \"value\": {\"$type\": 1}}",
        "{\"$type\": \"number\", \"value\": \"NaN\"}",
        "{\"$type\": \"number\", \"value\": \"-0\"}",
        "{\"$type\": \"BigInt\", \"value\": \"123456789012345678901234567890\"}",
        "{\"$type\": \"Date\", \"value\": \"2026-11-23T10:00:00Z\"}",
        "{\"$type\": \"Date\", \"value\": \"Invalid Date\"}",
        "{\"$type\": \"ArrayBuffer\", \"value\": \"00ff\"}",
        "{\"$type\": \"Uint8Array\", \"value\": \"00ff\"}",
        "{\"$type\": \"BigInt64Array\", \"value\": \"0000000000000000\"}",
        "{\"$type\": \"RegExp\", \"value\": \"/a+/g\"}",
        "{\"$type\": \"undefined\", \"value\": \"undefined\"}",
        "{\"$type\": \"Set\", \"value\": [1, \"one\"]}",
        "{\"$type\": \"Map\", \"value\": [[\"key\", {\"a\": 1}]]}"
      })
  void typedJsonSaysAllOfAValue(String json) {
    byte[] stored = TypedJson.read(json, null);
    String written = TypedJson.write(ValueNode.of(stored, 1_000));

    assertThat(written).isNotNull();
    assertThat(written.replaceAll("\\s+", "")).isEqualTo(json.replaceAll("\\s+", ""));
    assertThat(TypedJson.read(written, null)).isEqualTo(stored);
  }

  @Test
  void aTypeIsGivenBesideTheValue() {
    assertThat(StructuredClone.standard().decode(TypedJson.read("\"12\"", "BigInt")))
        .hasToString("12");
    assertThatThrownBy(() -> TypedJson.read("12", "Date")).hasMessageContaining("written as text");
  }

  @ParameterizedTest
  @ValueSource(strings = {SQL, KEYS})
  void alarmsAreSetAndCancelled(String namespace) {
    note(namespace).put("balance", 3L);
    OperatorRequest set = about("alarm-set", namespace, "a").with("at", "2031-01-01T00:00:00Z");

    Map<String, @Nullable Object> armed = ask(set).getFirst();
    ask(set.with("alarm", "report"));

    assertThat(ask(about("alarms", namespace, null)))
        .extracting(each -> each.get("alarm") + " " + each.get("due"))
        .containsExactlyInAnyOrder(" 2031-01-01T00:00:00Z", "report 2031-01-01T00:00:00Z");
    assertThat(ask(about("alarm-cancel", namespace, "a").with("alarm", "report")).getFirst())
        .containsEntry("cancelled", true);
    assertThat(ask(about("alarm-cancel", namespace, "a").with("alarm", "report")).getFirst())
        .containsEntry("cancelled", false);
    undo(namespace, armed);
    assertThat(ask(about("alarms", namespace, null))).isEmpty();
    assertThatThrownBy(() -> ask(set.with("at", "1960-01-01T00:00:00Z")))
        .hasMessageContaining("between 1970");
    assertThatThrownBy(() -> ask(set.with("alarm", "n".repeat(129))))
        .hasMessageContaining("at most 128 bytes");
  }

  @Test
  void aStatementWritesAndIsUndone() {
    note(SQL).fill(3);

    Map<String, @Nullable Object> answer =
        ask(about("exec", SQL, "a").with("sql", "DELETE FROM line WHERE text = 'row 1'"))
            .getFirst();

    assertThat(note(SQL).rows()).containsExactly("row 0", "row 2");
    undo(SQL, answer);
    assertThat(note(SQL).rows()).containsExactly("row 0", "row 1", "row 2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM line; DELETE FROM line",
        "DELETE FROM line; -- again",
        "DROP TABLE line",
        "CREATE TABLE more (a)",
        "PRAGMA foreign_keys = OFF",
        "INSERT OR FAIL INTO line VALUES ('new', 1), ('row 0', 2)",
        "INSERT INTO line VALUES ('row 0', 2)",
        "DELETE FROM _cf_KV",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)"
            + " INSERT INTO line SELECT i, i FROM n",
        "nonsense"
      })
  void aStatementThatFailsChangesNothing(String statement) {
    note(SQL).fill(3);

    assertThatThrownBy(() -> ask(about("exec", SQL, "a").with("sql", statement)))
        .isInstanceOf(OperatorException.class);
    assertThat(note(SQL).rows()).containsExactly("row 0", "row 1", "row 2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1; DELETE FROM line",
        "WITH x AS (SELECT 1) DELETE FROM line",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)"
            + " INSERT INTO line SELECT i, i FROM n",
        "PRAGMA foreign_keys = OFF",
        "PRAGMA optimize",
        "DELETE FROM line",
        "CREATE TEMP TABLE x (a)"
      })
  void theReadingOperationRefusesWhatWritesBeforeItRuns(String statement) {
    note(SQL).fill(3);
    note(SQL).put("field", "kept");

    for (boolean isForeign : new boolean[] {false, true}) {
      assertThatThrownBy(
              () -> ask(about("sql", SQL, "a").with("sql", statement).with("foreign", isForeign)))
          .isInstanceOf(OperatorException.class);
    }
    assertThat(note(SQL).rows()).hasSize(3);
  }

  @Test
  void aForeignStatementIsAnsweredWithItsPlanAndRowsRead() {
    note(SQL).fill(30);

    List<Map<String, @Nullable Object>> answers =
        ask(
            about("sql", SQL, "a")
                .with("sql", "SELECT count(*) AS n FROM line WHERE at = 1")
                .with("foreign", true));

    assertThat(answers.getFirst())
        .containsEntry("columns", List.of("n"))
        .containsEntry("plan", List.of("SEARCH line USING COVERING INDEX at (at=?)"));
    assertThat((Long) answers.getFirst().get("rowsRead")).isBetween(1L, 10L);
    assertThat(answers.get(1)).containsEntry("row", List.of(4L));
    assertThatThrownBy(() -> ask(about("sql", KEYS, "a").with("sql", "SELECT 1")))
        .isInstanceOf(OperatorException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "line null false",
        "line at false",
        "line at true",
        "line text true",
        "pair null false",
        "pair a true"
      })
  void pagesOfRowsFollowEachOther(String order) {
    note(SQL).fill(30);
    String[] words = order.split(" ");
    OperatorRequest request =
        about("table", SQL, "a")
            .with("table", words[0])
            .with("sort", words[1].equals("null") ? null : words[1])
            .with("descending", Boolean.valueOf(words[2]));
    List<Object> whole = rows(ask(request));

    List<Object> paged = new ArrayList<>();
    OperatorRequest next = request.with("limit", 4L);
    for (int page = 0; next != null; page++) {
      List<Map<String, @Nullable Object>> answers = ask(next);
      paged.addAll(rows(answers));
      Object after = answers.getFirst().get("next");
      next = after == null ? null : request.with("limit", 4L).with("after", after);
      assertThat(page).isLessThan(8);
    }

    assertThat(paged).hasSize(30).isEqualTo(whole);
  }

  private static List<Object> rows(List<Map<String, @Nullable Object>> answers) {
    return new ArrayList<>(
        answers.subList(1, answers.size()).stream().map(each -> each.get("row")).toList());
  }

  @Test
  void aTableSaysItsColumnsAndIndexes() {
    note(SQL).fill(1);

    Map<String, @Nullable Object> about =
        ask(about("table", SQL, "a").with("table", "line").with("schema", true)).getFirst();

    assertThat(about.get("columns"))
        .hasToString(
            "[{name=text, type=, notNull=false, primaryKey=0},"
                + " {name=at, type=, notNull=false, primaryKey=0}]");
    assertThat(about.get("indexes"))
        .hasToString(
            "[{name=at, unique=false, columns=[at]},"
                + " {name=sqlite_autoindex_line_1, unique=true, columns=[text]}]");
    assertThatThrownBy(() -> ask(about("table", SQL, "a").with("table", "missing")))
        .hasMessageContaining("no table");
    assertThatThrownBy(() -> ask(about("table", SQL, "a").with("table", "_cf_KV")))
        .isInstanceOf(OperatorException.class);
    assertThatThrownBy(
            () -> ask(about("table", SQL, "a").with("table", "line").with("sort", "1; --")))
        .hasMessageContaining("no column");
  }

  @ParameterizedTest
  @ValueSource(strings = {SQL, KEYS})
  void aBoundedAnswerCountsSomeKeysOnly(String namespace) {
    for (int key = 0; key < 1_100; key++) {
      note(namespace).put("key " + key, "value");
    }

    assertThat(ask(about("object", namespace, "a")).getFirst()).containsEntry("keys", 1_100L);
    assertThat(ask(about("object", namespace, "a").with("bounded", true)).getFirst())
        .containsEntry("keys", 1_000L)
        .containsEntry("more", true);
  }

  @ParameterizedTest
  @ValueSource(strings = {SQL, KEYS})
  void aHistoryIsPurged(String namespace) {
    note(namespace).put("balance", 3L);
    Map<String, @Nullable Object> changed =
        ask(about("put", namespace, "a").with("key", "balance").with("value", "4")).getFirst();

    // The bytes go in the background, by the clock; the history is gone at once.
    assertThat(ask(about("purge", namespace, "a")).getFirst()).containsKey("erased");

    assertThat(note(namespace).get("balance")).isEqualTo(4L);
    assertThatThrownBy(() -> undo(namespace, changed)).isInstanceOf(OperatorException.class);
  }
}
