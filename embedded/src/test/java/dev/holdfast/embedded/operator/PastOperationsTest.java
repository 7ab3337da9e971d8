package dev.holdfast.embedded.operator;

import static dev.holdfast.embedded.operator.Accounts.about;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.spi.inspect.Inspection;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operations that show the past, on both storage engines. */
final class PastOperationsTest {

  private static final List<String> NAMESPACES = List.of("sqlite", "rocks");

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();

  private ObjectRuntime open() {
    return Holdfast.open(
        directory,
        clock,
        objects ->
            objects
                .options(RuntimeOptions.DEFAULT.withOperatorSocket())
                .namespace("sqlite", Scripted.class, Scripted::withAlarm)
                .namespace(
                    "rocks",
                    Scripted.class,
                    Scripted::withAlarm,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private void write(
      ObjectRuntime runtime, String namespace, String name, Consumer<ObjectStorage> code) {
    clock.advance(Duration.ofSeconds(10));
    Scripted.in(
        runtime.namespace(namespace, Scripted.class).getByName(name),
        context -> {
          code.accept(context.storage());
          return name;
        });
  }

  private static OperatorService inProcess(ObjectRuntime runtime) {
    return new Operations(((Inspectable) runtime).inspected());
  }

  /** What an operation has answered, and its note. */
  private record Answered(List<Map<String, @Nullable Object>> all, @Nullable String note) {

    Object value(int of, String member) {
      return decoded(all.get(of).get(member));
    }
  }

  private static Answered ask(OperatorService operations, OperatorRequest request) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    String note = operations.perform(request, answers::add);
    return new Answered(answers, note);
  }

  private static Object decoded(@Nullable Object stored) {
    Object value = StructuredClone.standard().decode((byte[]) stored);
    assertThat(value).isNotNull();
    return value;
  }

  /** Five states of an object: two keys, one changed, one removed, one added, all deleted. */
  private void tell(ObjectRuntime runtime, String namespace) {
    write(
        runtime,
        namespace,
        "a",
        storage -> {
          storage.put("changed", "old");
          storage.put("removed", "gone");
          storage.setAlarm(Accounts.ALARM);
          if (namespace.equals("sqlite")) {
            storage.sql().exec("CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)");
            storage.sql().exec("INSERT INTO line VALUES (1, 'one'), (2, 'two'), (3, NULL)");
          }
        });
    write(runtime, namespace, "a", storage -> storage.put("changed", "new"));
    write(
        runtime,
        namespace,
        "a",
        storage -> {
          storage.delete("removed");
          storage.put("added", 5L);
          storage.deleteAlarm();
          if (namespace.equals("sqlite")) {
            storage.sql().exec("UPDATE line SET text = 'TWO' WHERE id = 2");
            storage.sql().exec("DELETE FROM line WHERE id = 3");
          }
        });
    write(runtime, namespace, "a", storage -> storage.deleteAll());
  }

  private static List<String> bookmarks(OperatorService operations, String namespace) {
    return ask(operations, about("history", namespace, "a")).all().reversed().stream()
        .map(each -> (String) each.get("bookmark"))
        .toList();
  }

  @Test
  void anObjectIsShownAsItWas() throws Exception {
    try (ObjectRuntime runtime = open()) {
      NAMESPACES.forEach(each -> tell(runtime, each));
      NAMESPACES.forEach(each -> checkPast(inProcess(runtime), each));
      OperatorService socket = OperatorConnection.find(directory).orElseThrow();
      NAMESPACES.forEach(each -> checkPast(socket, each));
    }
    try (StoppedDirectory stopped = StoppedDirectory.read(directory)) {
      OperatorService operations = new Operations(stopped.inspected());
      NAMESPACES.forEach(each -> checkPast(operations, each));
    }
  }

  private static void checkPast(OperatorService operations, String namespace) {
    List<String> states = bookmarks(operations, namespace);
    assertThat(states).hasSize(4);
    OperatorRequest get = about("get", namespace, "a").with("key", "changed");
    assertThat(ask(operations, get.with("at", states.get(0))).value(0, "value")).isEqualTo("old");
    assertThat(ask(operations, get.with("at", states.get(1))).value(0, "value")).isEqualTo("new");
    assertThatThrownBy(() -> ask(operations, get.with("at", states.get(3))))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("had no key");

    OperatorRequest list = about("list", namespace, "a").with("at", states.get(0));
    assertThat(ask(operations, list).all())
        .extracting(each -> each.get("key"))
        .containsExactly("changed", "removed");
    Answered page = ask(operations, list.with("limit", 1L));
    assertThat(page.all()).extracting(each -> each.get("key")).containsExactly("changed");
    assertThat(page.note()).contains("--after 'changed'");
    assertThat(ask(operations, list.with("limit", 1L).with("after", "changed")).note()).isNull();
    assertThat(ask(operations, list.with("prefix", "re")).all()).hasSize(1);

    Map<String, @Nullable Object> object =
        ask(operations, about("object", namespace, "a").with("at", states.get(0))).all().getFirst();
    assertThat(object).containsEntry("keys", 2L).containsEntry("at", states.get(0));
    assertThat((Long) object.get("bytes")).isPositive();
    assertThat((List<?>) object.get("alarms")).hasSize(1);
    assertThat(ask(operations, about("object", namespace, "a").with("at", states.get(3))).all())
        .singleElement()
        .satisfies(each -> assertThat(each).containsEntry("keys", 0L));
    String time = (String) object.get("changed");
    assertThat(ask(operations, get.with("at", time)).value(0, "value")).isEqualTo("old");
  }

  @Test
  void rowsAreShownAsTheyWere() {
    try (ObjectRuntime runtime = open()) {
      tell(runtime, "sqlite");
      OperatorService operations = inProcess(runtime);
      OperatorRequest rows =
          about("table", "sqlite", "a")
              .with("table", "line")
              .with("at", bookmarks(operations, "sqlite").get(1));

      Answered page = ask(operations, rows.with("limit", 2L));
      assertThat(page.all().getFirst())
          .containsEntry("columns", List.of(Map.of("name", "id"), Map.of("name", "text")))
          .containsEntry("next", "2");
      assertThat(page.all().subList(1, 3))
          .extracting(each -> each.get("row"))
          .containsExactly(List.of(1L, "one"), List.of(2L, "two"));
      assertThat(ask(operations, rows.with("after", "2")).all()).hasSize(2);
      assertThat(ask(operations, rows.with("after", "2")).all().getFirst())
          .doesNotContainKey("next");
      assertThatThrownBy(() -> ask(operations, rows.with("after", "x")))
          .hasMessageContaining("not the end of a page");
      for (String none : List.of("lines", "sqlite_schema", "_cf_KV", "line\" --", "")) {
        assertThatThrownBy(() -> ask(operations, rows.with("table", none)))
            .hasMessageContaining("no table");
      }
    }
  }

  @Test
  void twoMomentsAreComparedWithTheirValues() {
    try (ObjectRuntime runtime = open()) {
      for (String namespace : NAMESPACES) {
        tell(runtime, namespace);
        OperatorService operations = inProcess(runtime);
        List<String> states = bookmarks(operations, namespace);
        OperatorRequest diff = about("diff", namespace, "a").with("from", states.get(0));

        Answered found = ask(operations, diff.with("to", states.get(2)));
        List<String> keys = new ArrayList<>();
        found.all().forEach(each -> keys.add(each.get("kind") + " " + each.get("key")));
        assertThat(keys).startsWith("added added", "changed changed", "removed removed");
        assertThat(decoded(found.all().get(0).get("after"))).isEqualTo(5L);
        assertThat(found.all().get(0).get("before")).isNull();
        assertThat(found.value(1, "before")).isEqualTo("old");
        assertThat(found.value(1, "after")).isEqualTo("new");
        assertThat(found.value(2, "before")).isEqualTo("gone");
        assertThat(found.all().getLast())
            .containsEntry("table", "_cf_alarms")
            .containsEntry("kind", "removed");
        if (namespace.equals("sqlite")) {
          assertThat(keys.subList(3, 5)).containsExactly("changed 2", "removed 3");
          assertThat(found.all().get(3))
              .containsEntry("before", Map.of("id", 2L, "text", "two"))
              .containsEntry("after", Map.of("id", 2L, "text", "TWO"));
        }
        Answered limited = ask(operations, diff.with("to", states.get(2)).with("limit", 2L));
        assertThat(limited.all())
            .extracting(each -> each.get("key"))
            .containsExactly("added", "changed");
        assertThat(limited.note()).contains("more differences");
        assertThat(ask(operations, diff).all())
            .as("to the present")
            .extracting(each -> each.get("kind"))
            .doesNotContain("added", "changed");
        assertThat(ask(operations, diff.with("to", states.get(0))).all()).isEmpty();
      }
    }
  }

  @Test
  void changesAreCountedByTime() {
    try (ObjectRuntime runtime = open()) {
      for (String namespace : NAMESPACES) {
        for (int each = 0; each < 2_500; each++) {
          String value = "value " + each;
          write(runtime, namespace, "a", storage -> storage.put("key", value));
        }
        OperatorService operations = inProcess(runtime);
        OperatorRequest timeline = about("timeline", namespace, "a");

        List<Map<String, @Nullable Object>> all =
            ask(operations, timeline.with("intervals", 10L)).all();
        assertThat(all).hasSize(10);
        assertThat(sum(all, "changes")).isEqualTo(2_500);
        assertThat(sum(all, "bytes")).isPositive();
        Map<String, @Nullable Object> third = all.get(2);
        List<Map<String, @Nullable Object>> zoomed =
            ask(
                    operations,
                    timeline.with("since", third.get("from")).with("until", third.get("to")))
                .all();
        assertThat(sum(zoomed, "changes")).isEqualTo(third.get("changes"));
        String state = (String) third.get("bookmark");
        assertThat(
                ask(operations, about("get", namespace, "a").with("key", "key").with("at", state))
                    .value(0, "value"))
            .isEqualTo("value 749");
        assertThat(ask(operations, about("timeline", namespace, "nobody")).all()).isEmpty();
      }
      assertThat(sum(ask(inProcess(runtime), OperatorRequest.of("timeline")).all(), "changes"))
          .isGreaterThanOrEqualTo(5_000);
      assertThat(
              ask(
                      inProcess(runtime),
                      OperatorRequest.of("timeline")
                          .with("since", Instant.ofEpochMilli(Long.MIN_VALUE + 1).toString())
                          .with("until", Instant.ofEpochMilli(Long.MAX_VALUE - 1).toString()))
                  .all())
          .hasSizeLessThanOrEqualTo(60);
      assertThat(ask(inProcess(runtime), OperatorRequest.of("writers")).all())
          .extracting(each -> each.get("namespace") + "/" + each.get("name"))
          .containsExactlyInAnyOrder("sqlite/a", "rocks/a");
    }
  }

  @Test
  void manyTablesAreComparedAlsoWhereSomeAreNew() {
    int many = "long".equals(System.getProperty("holdfast.tests")) ? 1_000 : 200;
    try (ObjectRuntime runtime = open()) {
      write(runtime, "sqlite", "a", storage -> tables(storage, "old", many));
      String before = newest(runtime);
      write(
          runtime,
          "sqlite",
          "a",
          storage -> {
            tables(storage, "new", 20);
            for (int each = 0; each < many; each += many / 10) {
              storage.sql().exec("UPDATE old%d SET b = 2".formatted(each));
            }
            storage.sql().exec("DROP TABLE old" + (many - 1));
          });
      List<Map<String, @Nullable Object>> found =
          ask(inProcess(runtime), about("diff", "sqlite", "a").with("from", before)).all();
      assertThat(found)
          .filteredOn(each -> each.get("kind").equals("changed"))
          .hasSize(10)
          .allSatisfy(
              each -> {
                assertThat(each.get("before")).isEqualTo(Map.of("a", 1L, "b", 1L));
                assertThat(each.get("after")).isEqualTo(Map.of("a", 1L, "b", 2L));
              });
      assertThat(found)
          .extracting(each -> each.get("kind") + " " + each.get("table"))
          .contains("added new7", "removed old" + (many - 1));
    }
  }

  private static void tables(ObjectStorage storage, String name, int count) {
    for (int each = 0; each < count; each++) {
      storage.sql().exec("CREATE TABLE %s%d (a INTEGER, b INTEGER)".formatted(name, each));
      storage.sql().exec("INSERT INTO %s%d VALUES (1, 1)".formatted(name, each));
    }
  }

  private static String newest(ObjectRuntime runtime) {
    return (String)
        ask(inProcess(runtime), about("history", "sqlite", "a").with("limit", 1L))
            .all()
            .getFirst()
            .get("bookmark");
  }

  @Test
  void timeLineSaysThatRecordsAreTooLargeToReadAll() {
    try (ObjectRuntime runtime = open()) {
      for (int each = 0; each < 20; each++) {
        String value = "value " + each;
        write(runtime, "sqlite", "a", storage -> storage.put("key", value));
      }
      InspectedRuntime real = ((Inspectable) runtime).inspected();
      JournalHistory journal = real.inspection().journal();
      long kept = journal.positionAt(Long.MAX_VALUE) - 5;
      Inspection large =
          with(
              Inspection.class,
              real.inspection(),
              Map.of(
                  "journal",
                  _ ->
                      with(
                          JournalHistory.class,
                          journal,
                          Map.of(
                              "bytesFrom", from -> (Long) from[0] < kept ? Long.MAX_VALUE : 1L))));
      OperatorService operations =
          new Operations(
              new InspectedRuntime(
                  runtime, large, real.lastPosition(), real.operations(), real.jobs()));

      Answered counted = ask(operations, OperatorRequest.of("timeline"));

      assertThat(counted.note()).isNotNull().contains("the newest");
      assertThat(sum(counted.all(), "changes")).isLessThan(7);
    }
  }

  /** {@return the same object, but for some methods} */
  private static <T> T with(
      Class<T> type, T object, Map<String, Function<Object[], Object>> others) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, called, arguments) -> {
              Function<Object[], Object> other = others.get(called.getName());
              return other == null ? called.invoke(object, arguments) : other.apply(arguments);
            }));
  }

  private static long sum(List<Map<String, @Nullable Object>> answers, String member) {
    return answers.stream().mapToLong(each -> (Long) each.get(member)).sum();
  }

  @Test
  void aCommitIsOpenedToWhatItChanged() {
    try (ObjectRuntime runtime = open()) {
      for (String namespace : NAMESPACES) {
        tell(runtime, namespace);
        OperatorService operations = inProcess(runtime);
        List<Long> positions = new ArrayList<>();
        for (Map<String, @Nullable Object> each :
            ask(operations, OperatorRequest.of("journal")).all()) {
          if (namespace.equals(each.get("namespace")) && "batch".equals(each.get("kind"))) {
            positions.add((Long) each.get("position"));
          }
        }
        OperatorRequest commit = OperatorRequest.of("commit");

        Answered first = ask(operations, commit.with("position", positions.get(0)));
        assertThat(first.all().getFirst()).containsEntry("namespace", namespace);
        assertThat(first.all().subList(1, 3))
            .extracting(each -> each.get("kind") + " " + each.get("key"))
            .containsExactly("added changed", "added removed");
        Answered second = ask(operations, commit.with("position", positions.get(1)));
        assertThat(second.all()).hasSize(2);
        assertThat(second.value(1, "before")).isEqualTo("old");
        assertThat(second.value(1, "after")).isEqualTo("new");
        assertThatThrownBy(() -> ask(operations, commit.with("position", 1_000_000L)))
            .hasMessageContaining("no record at position");
      }
    }
  }

  @Test
  void aLargeCommitIsOpenedToWhatItChanged() {
    try (ObjectRuntime runtime = open()) {
      for (String namespace : NAMESPACES) {
        tell(runtime, namespace);
        int keys = 200;
        for (String value : List.of("x", "y")) {
          write(
              runtime,
              namespace,
              "b",
              storage -> {
                for (int each = 0; each < keys; each++) {
                  storage.put("large" + each, value.repeat(100_000));
                }
              });
        }
        OperatorService operations = inProcess(runtime);
        Object first =
            ask(operations, about("history", namespace, "b")).all().getLast().get("bookmark");
        ask(operations, about("restore", namespace, "b").with("bookmark", first));
        List<Map<String, @Nullable Object>> records =
            ask(operations, OperatorRequest.of("journal")).all().stream()
                .filter(each -> namespace.equals(each.get("namespace")))
                .toList();
        assertThat(records).extracting(each -> each.get("kind")).contains("undo_part");
        assertThat(records.getLast()).containsEntry("kind", "restore");

        OperatorRequest commit = OperatorRequest.of("commit").with("limit", 1_000L);
        Answered last = ask(operations, commit.with("position", records.getLast().get("position")));
        assertThat(last.all()).hasSize(1 + keys);
        assertThat(last.all().subList(1, 1 + keys))
            .extracting(each -> each.get("kind"))
            .containsOnly("changed");
      }
    }
  }

  @Test
  void momentsOutsideOfTheHistoryAreRefused() {
    try (ObjectRuntime runtime = open()) {
      tell(runtime, "sqlite");
      OperatorRequest list = about("list", "sqlite", "a");
      for (String wrong :
          List.of("nonsense", Instant.MAX.toString(), clock.instant().plusSeconds(9).toString())) {
        assertThatThrownBy(() -> ask(inProcess(runtime), list.with("at", wrong)))
            .isInstanceOf(OperatorException.class);
      }
    }
  }
}
