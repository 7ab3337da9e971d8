package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.statistics.JournalStatistics;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What storage does is recorded, by a runtime as an application opens it. */
final class FlightRecordingTest extends RecoveryFixture {

  @TempDir Path recordings;

  @Override
  StorageKind storage() {
    return StorageKind.SQLITE;
  }

  /** Something to record. */
  private interface Scenario {
    void run() throws Exception;
  }

  private List<RecordedEvent> record(String kind, Scenario scenario) throws Exception {
    try (Recording recording = new Recording()) {
      recording.enable("dev.holdfast." + kind).withoutThreshold();
      recording.start();
      scenario.run();
      recording.stop();
      Path file = recordings.resolve("recording.jfr");
      recording.dump(file);
      return RecordingFile.readAllEvents(file).stream()
          .filter(each -> each.getEventType().getName().equals("dev.holdfast." + kind))
          .toList();
    }
  }

  private static void assertAbout(RecordedEvent event, String object) {
    assertThat(event.getString("namespace")).isEqualTo("things");
    assertThat(event.getString("objectName")).isEqualTo(object);
  }

  @Test
  void backupIsRecorded() throws Exception {
    try (ObjectRuntime runtime = open()) {
      put(thing(runtime, "a"), "key", "value");
      Path target = recordings.resolve("backup");
      List<RecordedEvent> events = record("Backup", () -> runtime.backup(target));

      assertThat(events).hasSize(1);
      assertThat(events.getFirst().getString("directory")).isEqualTo(target.toString());
      assertThat(events.getFirst().getLong("files")).isPositive();
      assertThat(events.getFirst().getLong("bytesCopied")).isPositive();
    }
  }

  @Test
  void eachGroupThatIsCommittedIsRecorded() throws Exception {
    try (ObjectRuntime runtime = open()) {
      put(thing(runtime, "a"), "key", "first");
      JournalStatistics before = runtime.statistics().journal();
      List<RecordedEvent> events =
          record(
              "CommitGroup",
              () -> {
                put(thing(runtime, "a"), "key", "second");
                put(thing(runtime, "a"), "key", "third");
              });
      JournalStatistics made = runtime.statistics().journal().minus(before);

      assertThat(made.groups()).isEqualTo(2);
      assertThat(events).hasSize(2);
      assertThat(events.getFirst().getLong("firstPosition")).isEqualTo(before.lastPosition() + 1);
      assertThat(events.stream().mapToInt(each -> each.getInt("records")).sum())
          .isEqualTo((int) made.records());
      assertThat(events.stream().mapToLong(each -> each.getLong("bytes")).sum())
          .isEqualTo(made.bytes());
      assertThat(events).allSatisfy(each -> assertThat(each.getDuration()).isPositive());
    }
  }

  @Test
  void saveIsRecorded() throws Exception {
    ObjectRuntime runtime = open();
    put(thing(runtime, "a"), "key", "value");
    long position = runtime.statistics().journal().lastPosition();

    assertThat(record("Save", runtime::close))
        .singleElement()
        .satisfies(
            event -> {
              assertAbout(event, "a");
              assertThat(event.getLong("position")).isEqualTo(position);
            });
  }

  @Test
  void recoveryIsRecordedAndMeasured() throws Exception {
    VirtualClock clock = new VirtualClock();
    ObjectRuntime crashed = open(clock, window(30));
    put(thing(crashed, "a"), "key", "first");
    put(thing(crashed, "b"), "key", "second");
    long toRead = crashed.statistics().journal().lowWaterLag();
    assertThat(toRead).isGreaterThanOrEqualTo(2);
    loseDirectory(crashed, clock);

    ObjectRuntime[] opened = new ObjectRuntime[1];
    List<RecordedEvent> events = record("Recovery", () -> opened[0] = open());
    try (ObjectRuntime runtime = opened[0]) {
      assertThat(runtime.statistics().recovery().records()).isEqualTo(toRead);
      assertThat(runtime.statistics().recovery().nanos()).isPositive();
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("second");
    }
    assertThat(events)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("directory"))
                  .isEqualTo(directory.toAbsolutePath().toString());
              assertThat(event.getLong("records")).isEqualTo(toRead);
              assertThat(event.getDuration()).isPositive();
            });
  }

  /** A runtime that has lost its directory saves nothing when it is closed. */
  private void loseDirectory(ObjectRuntime runtime, VirtualClock clock) throws IOException {
    Files.delete(directory.resolve("LOCK"));
    clock.advance(Duration.ofHours(1));
    assertThatThrownBy(() -> put(thing(runtime, "a"), "key", "lost"))
        .isInstanceOf(RuntimeException.class);
    runtime.close();
  }

  @Test
  void restoreIsRecorded() throws Exception {
    try (ObjectRuntime runtime = open()) {
      String first = put(thing(runtime, "a"), "key", "first");
      put(thing(runtime, "a"), "key", "second");
      long before = runtime.statistics().journal().lastPosition();
      List<RecordedEvent> events =
          record(
              "Restore",
              () -> {
                restore(thing(runtime, "a"), first);
                assertThat(get(thing(runtime, "a"), "key")).isEqualTo("first");
              });
      ObjectRecovery past = past(runtime, "a");

      assertThat(past.restorations()).hasSize(1);
      assertThat(events)
          .singleElement()
          .satisfies(
              event -> {
                assertAbout(event, "a");
                assertThat(event.getLong("position"))
                    .isBetween(before + 1, runtime.statistics().journal().lastPosition());
              });
    }
  }

  @Test
  void statementIsRecordedWithItsTextAndWithoutItsParameters() throws Exception {
    String text = "INSERT INTO t VALUES (?)";
    String longText = "SELECT '" + "x".repeat(5_000) + "'";
    try (ObjectRuntime runtime = open()) {
      List<RecordedEvent> events =
          record(
              "SlowStatement",
              () ->
                  thing(runtime, "a")
                      .run(
                          context -> {
                            context.storage().sql().exec("CREATE TABLE t(x)");
                            context.storage().sql().exec(text, "secret");
                            return context.storage().sql().exec(longText).one();
                          }));

      assertThat(events).extracting(each -> each.getString("sql")).contains(text);
      assertThat(events).extracting(Object::toString).noneMatch(each -> each.contains("secret"));
      assertThat(events)
          .extracting(each -> each.getString("sql"))
          .contains(longText.substring(0, 4_096));
      assertThat(events)
          .allSatisfy(
              each -> {
                assertAbout(each, "a");
                assertThat(each.getStackTrace().getFrames()).isNotEmpty();
              });
    }
  }
}
