package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.storage.ObjectSchedules;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The history of an object is purged, the same on every storage engine. */
abstract class HistoryPurgeContract extends RecoveryFixture {

  /** No text that compresses well. */
  private static final String SECRET = "Zq7-forgotten-4Xw9";

  private static final Instant DUE = Instant.parse("2099-01-01T00:00:00Z");

  @TempDir private Path copies;

  private int copyCount;

  static ObjectId id(ObjectRuntime runtime, String name) {
    return runtime.namespace("things", Scripted.class).idFromName(name);
  }

  static void purge(ObjectRuntime runtime, String name) {
    runtime.admin().purgeHistory("things", id(runtime, name)).join();
  }

  final List<Path> filesWithSecret() throws IOException {
    // A runtime renames and deletes files in the background: one could be missed, or not be there.
    Path copy = copies.resolve("" + copyCount++);
    CopyAtRest.of(directory, copy);
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(copy)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET)) {
          found.add(copy.relativize(file));
        }
      }
    }
    return found;
  }

  private static String key(int number) {
    return SECRET + number;
  }

  /** Values in keys and tables, in several batches. */
  final void fill(Anything thing) {
    for (int each = 0; each < 5; each++) {
      String key = key(each);
      String value = SECRET + each;
      thing.run(
          context -> {
            context.storage().put(key, value.repeat(10));
            if (storage().equals(StorageKind.SQLITE)) {
              context.storage().sql().exec("CREATE TABLE IF NOT EXISTS t (a)");
              context.storage().sql().exec("INSERT INTO t VALUES (?)", value.repeat(300));
            }
            return null;
          });
    }
  }

  @Test
  void bytesOfADeletedObjectLeaveEveryFile() throws IOException {
    try (ObjectRuntime runtime = open()) {
      fill(thing(runtime, "a"));
      put(thing(runtime, "b"), "key", "stays");
      runtime.admin().delete("things", id(runtime, "a"));
      assertThat(filesWithSecret()).isNotEmpty();

      purge(runtime, "a");

      assertThat(filesWithSecret()).isEmpty();
      assertThat(runtime.admin().exists("things", id(runtime, "a"))).isFalse();
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("stays");
    }
    assertThat(filesWithSecret()).isEmpty();
    try (ObjectRuntime runtime = open()) {
      assertThat(filesWithSecret()).isEmpty();
      assertThat(past(runtime, "a").history(10).entries()).isEmpty();
      assertThat(get(thing(runtime, "a"), key(1))).isEqualTo("none");
      put(thing(runtime, "a"), "key", "new");
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("new");
    }
  }

  /** What only the directory of objects and the index of alarms have. */
  @Test
  void nameAndAlarmsOfADeletedObjectLeaveEveryFile() throws IOException {
    String name = "name " + SECRET;
    try (ObjectRuntime runtime = open()) {
      for (int each = 0; each < 50; each++) {
        put(thing(runtime, "other" + each), "key", "stays");
      }
      setSecretAlarms(thing(runtime, name), 3);
      // Long enough for the catalog to have them in its own files.
      assertThat(runtime.namespace("things", Scripted.class).list(ObjectListOptions.ALL).items())
          .hasSize(51);
      runtime.admin().delete("things", id(runtime, name));
      assertThat(filesWithSecret()).isNotEmpty();

      purge(runtime, name);

      assertThat(filesWithSecret()).isEmpty();
      assertThat(runtime.admin().exists("things", id(runtime, name))).isFalse();
    }
    assertThat(filesWithSecret()).isEmpty();
    try (ObjectRuntime runtime = open()) {
      assertThat(filesWithSecret()).isEmpty();
      for (int each = 0; each < 50; each++) {
        assertThat(get(thing(runtime, "other" + each), "key")).isEqualTo("stays");
      }
      put(thing(runtime, name), "key", "new");
      assertThat(runtime.admin().exists("things", id(runtime, name))).isTrue();
    }
  }

  @Test
  void alarmsThatAnObjectHadLeaveEveryFileAndItsPresentOnesStay() throws IOException {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      setSecretAlarms(thing, 3);
      thing.run(
          context -> {
            ObjectSchedules alarms = context.storage().schedules();
            alarms.names().forEach(alarms::cancel);
            alarms.at("kept", DUE);
            return null;
          });
      assertThat(filesWithSecret()).isNotEmpty();

      purge(runtime, "a");

      assertThat(filesWithSecret()).isEmpty();
    }
    try (ObjectRuntime runtime = open()) {
      assertThat(
              thing(runtime, "a")
                  .<List<String>>run(context -> context.storage().schedules().names()))
          .containsExactly("kept");
    }
  }

  private static void setSecretAlarms(Anything thing, int count) {
    for (int each = 0; each < count; each++) {
      String name = SECRET + each;
      thing.run(
          context -> {
            context.storage().schedules().at(name, DUE);
            return null;
          });
    }
  }

  @Test
  void deletedAndReplacedValuesLeaveEveryFileAndTheOthersStay() throws IOException {
    String first;
    String before;
    String after;
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      fill(thing);
      first = current(thing);
      thing.run(
          context -> {
            context.storage().deleteAll();
            if (storage().equals(StorageKind.SQLITE)) {
              context.storage().sql().exec("CREATE TABLE u (a); INSERT INTO u VALUES ('kept')");
            }
            return null;
          });
      before = put(thing, "key", "first");
      assertThat(filesWithSecret()).isNotEmpty();

      purge(runtime, "a");

      assertThat(filesWithSecret()).isEmpty();
      assertThat(past(runtime, "a").history(10).entries()).isEmpty();
      for (String gone : List.of(first, before)) {
        assertThat(refusal(thing, gone)).isEqualTo(BookmarkException.Reason.NOT_KEPT);
        assertThatThrownBy(() -> past(runtime, "a").fork(gone, "fork"))
            .isInstanceOf(BookmarkException.class)
            .hasMessageContaining("was purged");
      }
      after = current(thing);
      put(thing, "key", "second");
    }
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      assertThat(get(thing, "key")).isEqualTo("second");
      assertThat(refusal(thing, first)).isEqualTo(BookmarkException.Reason.NOT_KEPT);
      restore(thing, after);
      assertThat(get(thing, "key")).isEqualTo("first");
      if (storage().equals(StorageKind.SQLITE)) {
        assertThat(
                thing.<String>run(
                    context ->
                        context.storage().sql().exec("SELECT a FROM u").one().getString("a")))
            .isEqualTo("kept");
      }
      assertThat(filesWithSecret()).isEmpty();
    }
  }

  @Test
  void eventsLeaveWhenTheirConsumersHavePassedThem() throws Exception {
    VirtualClock clock = new VirtualClock();
    BlockingQueue<String> got = new LinkedBlockingQueue<>();
    try (ObjectRuntime runtime = open(clock, NamespaceOptions.DEFAULT)) {
      runtime.consume("secrets", "index", String.class, _ -> {}).close();
      thing(runtime, "a")
          .run(
              context -> {
                context.storage().put("key", "value");
                context.emit("secrets", SECRET);
                return null;
              });
      CompletableFuture<Void> purge = runtime.admin().purgeHistory("things", id(runtime, "a"));
      clock.advance(Duration.ofMinutes(1));
      assertThat(purge).isNotDone();
      assertThat(filesWithSecret()).isNotEmpty();

      runtime.consume(
          "secrets",
          "index",
          String.class,
          events -> events.forEach(event -> got.add(event.value())));
      assertThat(got.take()).isEqualTo(SECRET);
      while (!purge.isDone()) {
        clock.advance(Duration.ofSeconds(1));
        Thread.yield();
      }
      purge.join();
      assertThat(filesWithSecret()).isEmpty();
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("value");
      put(thing(runtime, "b"), "key", "value");
      assertThat(runtime.admin().consumers().getFirst().isCutOff()).isFalse();
    }
    assertThat(filesWithSecret()).isEmpty();
  }

  /** The extent of a purge is decided once: what is written while it waits is not part of it. */
  @Test
  void whatIsWrittenAfterAPurgeStaysHoweverOftenItIsContinued() throws IOException {
    VirtualClock clock = new VirtualClock();
    Map<String, String> bookmarks = new LinkedHashMap<>();
    Map<String, Instant> times = new LinkedHashMap<>();
    try (ObjectRuntime runtime = open(clock, NamespaceOptions.DEFAULT)) {
      runtime.consume("secrets", "index", String.class, _ -> {}).close();
      fill(thing(runtime, "a"));
      thing(runtime, "a")
          .run(
              context -> {
                context.storage().deleteAll();
                context.emit("secrets", SECRET);
                return null;
              });
      CompletableFuture<Void> purge = runtime.admin().purgeHistory("things", id(runtime, "a"));
      for (String value : List.of("one", "two", "three")) {
        clock.advance(Duration.ofSeconds(10));
        bookmarks.put(value, put(thing(runtime, "a"), "key", value));
        times.put(value, Instant.ofEpochMilli(clock.wallMillis()));
      }
      assertThat(purge).isNotDone();
    }
    for (int opening = 0; opening < 3; opening++) {
      try (ObjectRuntime runtime = open(clock, NamespaceOptions.DEFAULT)) {
        clock.advance(Duration.ofSeconds(10));
        if (opening == 1) {
          runtime.admin().removeConsumer("secrets", "index");
        }
        if (opening == 2) {
          put(thing(runtime, "b"), "key", "value");
          purgeAll(runtime, clock, "b"); // in its turn after the one that continues
          assertThat(filesWithSecret()).isEmpty();
        }
        for (String value : bookmarks.keySet()) {
          String fork = value + opening;
          past(runtime, "a").fork(bookmarks.get(value), fork);
          assertThat(get(thing(runtime, fork), "key")).isEqualTo(value);
          String atTime = past(runtime, "a").bookmarkForTime(times.get(value));
          past(runtime, "a").fork(atTime, fork + " time");
          assertThat(get(thing(runtime, fork + " time"), "key")).isEqualTo(value);
          runtime.admin().restoreNow("things", id(runtime, "a"), bookmarks.get(value));
          assertThat(get(thing(runtime, "a"), "key")).isEqualTo(value);
        }
        assertThat(past(runtime, "a").history(100).entries()).hasSize(3 + 3 * (opening + 1));
      }
    }
  }

  private static void purgeAll(ObjectRuntime runtime, VirtualClock clock, String name) {
    CompletableFuture<Void> purge = runtime.admin().purgeHistory("things", id(runtime, name));
    while (!purge.isDone()) {
      clock.advance(Duration.ofSeconds(1));
      Thread.yield();
    }
    purge.join();
  }

  @Test
  void requestedRestoreIsWithdrawn() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String bookmark = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(bookmark);
      purge(runtime, "a");
      assertThat(past(runtime, "a").withdrawRestore()).isFalse();
    }
    try (ObjectRuntime runtime = open()) {
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("second");
    }
  }
}
