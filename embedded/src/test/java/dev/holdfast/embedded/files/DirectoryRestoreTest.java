package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.DirectoryInUseException;
import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.DroppedRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores of data directories and backups to a moment. */
class DirectoryRestoreTest {

  private static final List<String> NAMESPACES = List.of("sql", "kv", "gone");

  @TempDir private Path directory;

  private static ObjectRuntime open(Path data, Duration window) {
    return Holdfast.open(
        data,
        objects -> {
          NamespaceOptions options = NamespaceOptions.DEFAULT.withRecoveryWindow(window);
          objects
              .namespace("sql", Scripted.class, Scripted::of, options)
              .namespace("gone", Scripted.class, Scripted::of, options)
              .namespace(
                  "kv", Scripted.class, Scripted::of, options.withStorage(StorageKind.ROCKSDB));
        });
  }

  private static ObjectRuntime open(Path data) {
    return open(data, Duration.ofDays(1));
  }

  private static void put(ObjectRuntime runtime, String namespace, String name, String value) {
    in(
        runtime.namespace(namespace, Scripted.class).getByName(name),
        context -> {
          context.storage().put("key", value);
          return "";
        });
  }

  private static void deleteAll(ObjectRuntime runtime, String namespace, String name) {
    in(
        runtime.namespace(namespace, Scripted.class).getByName(name),
        context -> {
          context.storage().deleteAll();
          return "";
        });
  }

  /** {@return the value of each object, by namespace and name} */
  private static Map<String, String> values(ObjectRuntime runtime) {
    Map<String, String> values = new TreeMap<>();
    for (String each : NAMESPACES) {
      ObjectNamespace<Scripted> namespace = runtime.namespace(each, Scripted.class);
      for (ObjectId id : namespace.list(ObjectListOptions.ALL).items()) {
        values.put(
            each + "/" + id.name().orElseThrow(),
            in(
                namespace.get(id),
                context -> context.storage().get("key", String.class).orElse("nothing")));
      }
    }
    return values;
  }

  private static Map<String, String> valuesIn(Path data) {
    try (ObjectRuntime runtime = open(data)) {
      return values(runtime);
    }
  }

  private static Map<String, Integer> files(Path root) throws IOException {
    Map<String, Integer> state = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.filter(Files::isRegularFile).toList()) {
        state.put(root.relativize(path).toString(), Arrays.hashCode(Files.readAllBytes(path)));
      }
    }
    return state;
  }

  private static RestoreRequest at(long position) {
    return RestoreRequest.of(new RestoreTarget.AtPosition(position));
  }

  /** Writes, deletes and restores objects. {@return the state after each position} */
  private static TreeMap<Long, Map<String, String>> write(Path data, Path backup, long seed) {
    Random random = new Random(seed);
    TreeMap<Long, Map<String, String>> states = new TreeMap<>();
    try (ObjectRuntime runtime = open(data)) {
      for (int step = 0; step < 60; step++) {
        String namespace = NAMESPACES.get(random.nextInt(2));
        String name = "object-" + random.nextInt(6);
        ObjectId id = runtime.namespace(namespace, Scripted.class).idFromName(name);
        switch (random.nextInt(8)) {
          case 0 -> deleteAll(runtime, namespace, name);
          case 1 -> {
            var history = runtime.recovery(namespace, id).history(5).entries();
            if (!history.isEmpty()) {
              String bookmark = history.get(random.nextInt(history.size())).bookmark();
              runtime.admin().restoreNow(namespace, id, bookmark);
            }
          }
          case 2 -> put(runtime, "gone", name, "step " + step);
          default -> put(runtime, namespace, name, "step " + step);
        }
        states.put(runtime.statistics().journal().lastPosition(), values(runtime));
      }
      for (int i = 0; i < 6; i++) {
        deleteAll(runtime, "gone", "object-" + i); // nothing is left of the namespace
      }
      runtime.backup(backup);
    }
    return states;
  }

  @Test
  void everyMomentOfTheHistoryIsRestored() throws Exception {
    Path data = directory.resolve("data");
    Path backup = directory.resolve("backup");
    TreeMap<Long, Map<String, String>> states = write(data, backup, 17);
    Map<String, Integer> before = files(data);
    int restored = 0;
    for (Map.Entry<Long, Map<String, String>> state : states.entrySet()) {
      if (++restored % 6 != 0) {
        continue;
      }
      Path from = restored % 12 == 0 ? data : backup;
      Path to = directory.resolve("restored-" + state.getKey());
      RestoreResult result = Holdfast.restore(from, to, at(state.getKey()));
      assertThat(result.position()).isEqualTo(state.getKey());
      assertThat(valuesIn(to)).as("at %s", state.getKey()).isEqualTo(state.getValue());
    }
    assertThat(files(data)).isEqualTo(before);
    Path latest = directory.resolve("latest");
    Holdfast.restore(backup, latest, RestoreRequest.of(new RestoreTarget.Latest()));
    assertThat(valuesIn(latest)).isEqualTo(valuesIn(data));
    // A restored directory has a history: it can be restored again, to before the first restore.
    Path again = directory.resolve("again");
    Holdfast.restore(
        directory.resolve("restored-" + states.keySet().stream().skip(5).findFirst().orElseThrow()),
        again,
        at(states.lastKey()));
    assertThat(valuesIn(again)).isEqualTo(states.lastEntry().getValue());
  }

  @Test
  void someObjectsAreRestored() {
    Path data = directory.resolve("data");
    TreeMap<Long, Map<String, String>> states = write(data, directory.resolve("backup"), 4);
    long position = states.higherKey(states.lastKey() / 2);
    Map<String, String> expected = new TreeMap<>(states.get(position));
    expected.keySet().removeIf(each -> !each.startsWith("kv/"));
    Path one = directory.resolve("one");
    Holdfast.restore(data, one, at(position).withNamespace("kv"));
    assertThat(valuesIn(one)).isEqualTo(expected);
    String name = expected.keySet().iterator().next().substring("kv/".length());
    Path single = directory.resolve("single");
    Holdfast.restore(data, single, at(position).withObject("kv", name));
    assertThat(valuesIn(single)).isEqualTo(Map.of("kv/" + name, expected.get("kv/" + name)));
  }

  /** {@return a position after which all objects were changed, and two of them purged} */
  private static long writeAndPurge(Path data) throws Exception {
    try (ObjectRuntime runtime = open(data)) {
      for (String name : List.of("sql/a", "sql/b", "sql/dropped", "kv/c", "kv/d")) {
        put(runtime, namespaceOf(name), nameOf(name), "one");
      }
      long position = runtime.statistics().journal().lastPosition();
      for (String name : List.of("sql/a", "sql/b", "kv/c", "kv/d")) {
        put(runtime, namespaceOf(name), nameOf(name), "two");
      }
      deleteAll(runtime, "sql", "dropped");
      for (String name : List.of("sql/a", "kv/c")) {
        ObjectId id = runtime.namespace(namespaceOf(name), Scripted.class).idFromName(nameOf(name));
        runtime.admin().purgeHistory(namespaceOf(name), id).get();
        put(runtime, namespaceOf(name), nameOf(name), "three");
      }
      return position;
    }
  }

  private static String namespaceOf(String name) {
    return name.substring(0, name.indexOf('/'));
  }

  private static String nameOf(String name) {
    return name.substring(name.indexOf('/') + 1);
  }

  @Test
  void allOthersGoBackToBeforeAPurgeAndThePurgedOnesAreNamed() throws Exception {
    Path data = directory.resolve("data");
    long position = writeAndPurge(data);
    Path to = directory.resolve("to");
    List<String> purged;
    try (ObjectRuntime runtime = open(data)) {
      purged =
          List.of(
              "kv/" + runtime.namespace("kv", Scripted.class).idFromName("c"),
              "sql/" + runtime.namespace("sql", Scripted.class).idFromName("a"));
    }
    assertThatThrownBy(() -> Holdfast.restore(data, to, at(position)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("2 objects")
        .hasMessageContaining(purged.getFirst())
        .hasMessageContaining(purged.getLast());
    assertThat(to).doesNotExist();
    RestoreResult result = Holdfast.restore(data, to, at(position).withoutPurged());
    assertThat(result.purged()).isEqualTo(purged);
    assertThat(valuesIn(to))
        .isEqualTo(
            Map.of(
                "sql/a", "three",
                "sql/b", "one",
                "sql/dropped", "one",
                "kv/c", "three",
                "kv/d", "one"));
    // Only the objects that are asked for matter.
    Path one = directory.resolve("one");
    assertThat(Holdfast.restore(data, one, at(position).withObject("kv", "d")).purged()).isEmpty();
    assertThat(valuesIn(one)).isEqualTo(Map.of("kv/d", "one"));
    Path purgedOne = directory.resolve("purged");
    assertThatThrownBy(() -> Holdfast.restore(data, purgedOne, at(position).withObject("kv", "c")))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("1 objects");
  }

  /** A purge explains that records are void, and not each void record is explained by it. */
  @Test
  void recordThatIsMissingIsMissedThoughAPurgeWouldExplainIt() throws Exception {
    Path data = directory.resolve("data");
    long position = writeAndPurge(data);
    Path journal = data.resolve("journal");
    List<Long> dropped =
        DroppedRecord.all(journal).stream()
            .filter(each -> each.isChained() && each.position() > position)
            .filter(each -> each.position() <= position + 5)
            .map(DroppedRecord.Found::position)
            .toList();
    assertThat(dropped).as("of sql/b, kv/d and sql/dropped").hasSizeGreaterThanOrEqualTo(3);
    for (long each : dropped) {
      Path damaged = directory.resolve("without-" + each);
      copy(data, damaged);
      DroppedRecord.drop(damaged.resolve("journal"), each);
      assertThatThrownBy(
              () ->
                  Holdfast.restore(
                      damaged, directory.resolve("of-" + each), at(position).withoutPurged()))
          .as("without record %s", each)
          .isInstanceOf(HoldfastException.class);
    }
  }

  /** It would be done at the next start, and the object would be another one than at the moment. */
  @Test
  void restoreThatWasRequestedAfterTheMomentIsWithdrawn() {
    Path data = directory.resolve("data");
    long position;
    try (ObjectRuntime runtime = open(data)) {
      for (String namespace : List.of("sql", "kv")) {
        put(runtime, namespace, "a", "one");
        put(runtime, namespace, "a", "two");
      }
      position = runtime.statistics().journal().lastPosition();
      for (String namespace : List.of("sql", "kv")) {
        var past =
            runtime.recovery(
                namespace, runtime.namespace(namespace, Scripted.class).idFromName("a"));
        past.restoreOnNextSession(past.history(2).entries().getLast().bookmark());
      }
    }
    Path to = directory.resolve("to");
    Holdfast.restore(data, to, at(position));
    assertThat(valuesIn(to)).isEqualTo(Map.of("sql/a", "two", "kv/a", "two"));
    assertThat(valuesIn(data)).isEqualTo(Map.of("sql/a", "one", "kv/a", "one"));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Path target = to.resolve(from.relativize(path));
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  @Test
  void whatAKilledRestoreHasLeftIsReplaced() throws Exception {
    Path data = directory.resolve("data");
    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "sql", "a", "first");
    }
    Path left = Files.createDirectories(directory.resolve("to.restoring/data/journal"));
    Files.createDirectories(directory.resolve("to.restoring/work/whole"));
    Files.writeString(left.resolve("0000000000000001.log"), "half");
    Path to = directory.resolve("to");
    Holdfast.restore(data, to, RestoreRequest.of(new RestoreTarget.Latest()));
    assertThat(valuesIn(to)).containsExactly(Map.entry("sql/a", "first"));
    try (Stream<Path> entries = Files.list(directory)) {
      assertThat(entries).containsExactlyInAnyOrder(data, to);
    }
  }

  @Test
  void whatCannotBeRestoredLeavesNothing() throws Exception {
    Path data = directory.resolve("data");
    Path to = directory.resolve("to");
    try (ObjectRuntime runtime = open(data, Duration.ZERO)) {
      put(runtime, "sql", "a", "first");
      put(runtime, "sql", "a", "second");
      assertThatThrownBy(() -> Holdfast.restore(data, to, at(1)))
          .isInstanceOf(DirectoryInUseException.class);
    }
    assertThatThrownBy(() -> Holdfast.restore(data, to, at(1)))
        .isInstanceOf(BookmarkException.class)
        .hasMessageContaining("sql/");
    assertThatThrownBy(() -> Holdfast.restore(data, to, at(1_000)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("does not cover the moment");
    RestoreRequest before = RestoreRequest.of(new RestoreTarget.AtTime(Instant.EPOCH));
    assertThatThrownBy(() -> Holdfast.restore(data, to, before))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("does not cover the moment");
    assertThatThrownBy(() -> Holdfast.restore(to, directory.resolve("other"), at(1)))
        .isInstanceOf(DataDirectoryException.class);
    assertThatThrownBy(() -> Holdfast.restore(data, data, at(1)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("not empty");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(data);
    }
  }
}
