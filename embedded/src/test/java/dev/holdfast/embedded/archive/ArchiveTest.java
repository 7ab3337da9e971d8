package dev.holdfast.embedded.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archive.RestoreTarget.AtPosition;
import dev.holdfast.archive.RestoreTarget.AtTime;
import dev.holdfast.archive.RestoreTarget.Latest;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.statistics.ArchiveStatistics.State;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A runtime of both storage engines is archived, lost and restored. */
final class ArchiveTest {

  @TempDir Path directory;

  private final VirtualClock clock = new VirtualClock();

  /** Counts, in the storage of its namespace. */
  public interface Counter {

    /** Adds one and returns the sum. */
    long increment();

    /** Returns the sum. */
    long get();
  }

  private record CounterObject(ObjectContext context) implements Counter {

    @Override
    public long increment() {
      long sum = get() + 1;
      context.storage().put("sum", sum);
      return sum;
    }

    @Override
    public long get() {
      return context.storage().get("sum", Long.class).orElse(0L);
    }
  }

  private ObjectRuntime open(String data, String archive) {
    RuntimeOptions options =
        RuntimeOptions.DEFAULT
            .withHealth(RuntimeOptions.DEFAULT.health().withDiskFreeMin(0, 0))
            .withArchive(
                ArchiveOptions.to(new DirectoryArchive(directory.resolve(archive)))
                    .withInterval(Duration.ofSeconds(5))
                    // The clock is far ahead of the thread that archives.
                    .withLateMax(Duration.ofDays(365)));
    return Holdfast.open(
        directory.resolve(data),
        clock,
        objects ->
            objects
                .options(options)
                .namespace("tables", Counter.class, CounterObject::new)
                .namespace(
                    "pairs",
                    Counter.class,
                    CounterObject::new,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private static Counter counter(ObjectRuntime runtime, String namespace, String name) {
    return runtime.namespace(namespace, Counter.class).getByName(name);
  }

  private RestoreResult restore(String archive, String to, RestoreTarget target) {
    return restore(archive, to, RestoreRequest.of(target));
  }

  private RestoreResult restore(String archive, String to, RestoreRequest request) {
    return Holdfast.restore(
        new DirectoryArchive(directory.resolve(archive)), directory.resolve(to), request);
  }

  @Test
  void everythingIsRestoredToItsLatestState() {
    try (ObjectRuntime runtime = open("data", "archive")) {
      for (int i = 0; i < 20; i++) {
        counter(runtime, "tables", "a").increment();
        counter(runtime, "tables", "b" + i).increment();
        counter(runtime, "pairs", "c").increment();
      }
    }
    assertThat(restore("archive", "restored", new Latest()).generation()).isEqualTo(1);
    try (ObjectRuntime runtime = open("restored", "archive")) {
      assertThat(counter(runtime, "tables", "a").get()).isEqualTo(20);
      assertThat(counter(runtime, "tables", "b7").get()).isEqualTo(1);
      assertThat(counter(runtime, "pairs", "c").increment()).isEqualTo(21);
      assertThat(runtime.namespace("tables", Counter.class).list(ObjectListOptions.ALL).items())
          .hasSize(21)
          .extracting(id -> id.name().orElse(""))
          .contains("b7");
      assertThat(runtime.health().reasons()).isEmpty();
    }
    assertThat(restore("archive", "again", new Latest()).generation()).isEqualTo(2);
    try (ObjectRuntime runtime = open("again", "other")) {
      assertThat(counter(runtime, "tables", "a").get()).isEqualTo(20);
      assertThat(counter(runtime, "pairs", "c").get()).isEqualTo(21);
    }
  }

  @Test
  void savedFilesAndManyOpeningsAreRestored() {
    for (int run = 1; run <= 4; run++) {
      try (ObjectRuntime runtime = open("data", "archive")) {
        for (int i = 0; i < 10; i++) {
          counter(runtime, "tables", "a").increment();
          counter(runtime, "pairs", "a").increment();
        }
      } // saves, and appends checkpoints
    }
    restore("archive", "restored", new Latest());
    try (ObjectRuntime runtime = open("restored", "other")) {
      assertThat(counter(runtime, "tables", "a").get()).isEqualTo(40);
      assertThat(counter(runtime, "pairs", "a").get()).isEqualTo(40);
    }
  }

  @Test
  void stateAtATimeAndAtAPositionIsRestored() {
    Instant[] times = new Instant[4];
    long[] positions = new long[4];
    try (ObjectRuntime runtime = open("data", "archive")) {
      for (int i = 1; i <= 3; i++) {
        counter(runtime, "tables", "a").increment();
        counter(runtime, "pairs", "b").increment();
        times[i] = clock.now();
        positions[i] = runtime.statistics().journal().durablePosition();
        clock.advance(Duration.ofSeconds(1));
      }
    }
    for (int i = 1; i <= 3; i++) {
      restore("archive", "time" + i, new AtTime(times[i]));
      restore("archive", "position" + i, new AtPosition(positions[i]));
      for (String restored : new String[] {"time" + i, "position" + i}) {
        try (ObjectRuntime runtime = open(restored, "archive-of-" + restored)) {
          assertThat(counter(runtime, "tables", "a").get()).isEqualTo(i);
          assertThat(counter(runtime, "pairs", "b").get()).isEqualTo(i);
        }
      }
    }
    assertThatThrownBy(() -> restore("archive", "x", new AtPosition(1_000)))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("ends at position");
    assertThatThrownBy(() -> restore("archive", "x", new AtTime(Instant.EPOCH)))
        .isInstanceOf(ArchiveException.class);
    assertThat(directory.resolve("x")).doesNotExist();
  }

  @Test
  void oneNamespaceIsRestoredAlone() {
    try (ObjectRuntime runtime = open("data", "archive")) {
      counter(runtime, "tables", "a").increment();
      counter(runtime, "pairs", "b").increment();
      counter(runtime, "tables", "a").increment();
    }
    restore("archive", "one", RestoreRequest.of(new Latest()).withNamespace("tables"));
    try (ObjectRuntime runtime = open("one", "archive")) {
      assertThat(counter(runtime, "tables", "a").get()).isEqualTo(2);
      assertThat(runtime.namespace("pairs", Counter.class).list(ObjectListOptions.ALL).items())
          .isEmpty();
    }
    // What lacks objects is another journal, and does not continue the archive of the whole.
    assertThat(restore("archive", "all", new Latest()).generation()).isEqualTo(1);
  }

  @Test
  void oneObjectIsRestoredAloneByItsName() {
    try (ObjectRuntime runtime = open("data", "archive")) {
      counter(runtime, "tables", "a").increment();
      counter(runtime, "tables", "b").increment();
    }
    restore("archive", "one", RestoreRequest.of(new Latest()).withObject("tables", "a"));
    try (ObjectRuntime runtime = open("one", "other")) {
      assertThat(counter(runtime, "tables", "a").get()).isEqualTo(1);
      assertThat(runtime.namespace("tables", Counter.class).list(ObjectListOptions.ALL).items())
          .hasSize(1);
    }
  }

  @Test
  void timeBeforeARestoreIsThatOfTheDirectoryThatWasArchivedThen() {
    Instant before;
    Instant lost;
    try (ObjectRuntime runtime = open("data", "archive")) {
      counter(runtime, "tables", "a").increment();
      before = clock.now();
      clock.advance(Duration.ofSeconds(1));
      counter(runtime, "tables", "a").increment();
      lost = clock.now();
      clock.advance(Duration.ofSeconds(1));
    }
    restore("archive", "restored", new AtTime(before));
    try (ObjectRuntime runtime = open("restored", "archive")) {
      for (int i = 0; i < 5; i++) {
        counter(runtime, "tables", "a").increment();
      }
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(value("latest", new Latest())).isEqualTo(6);
    assertThat(value("now", new AtTime(clock.now()))).isEqualTo(6);
    assertThat(value("lost", new AtTime(lost))).isEqualTo(2);
    assertThat(value("before", new AtTime(before))).isEqualTo(1);
  }

  private long value(String to, RestoreTarget target) {
    restore("archive", to, target);
    try (ObjectRuntime runtime = open(to, "archive-of-" + to)) {
      return counter(runtime, "tables", "a").get();
    }
  }

  @Test
  void olderOfTwoRuntimesStopsAndNamesTheOther() throws Exception {
    try (ObjectRuntime runtime = open("data", "archive")) {
      counter(runtime, "tables", "a").increment();
    }
    copy(directory.resolve("data"), directory.resolve("copy"));
    try (ObjectRuntime older = open("data", "archive")) {
      awaitState(older, State.RUNNING);
      try (ObjectRuntime newer = open("copy", "archive")) {
        awaitState(newer, State.RUNNING);
        counter(older, "tables", "a").increment();
        for (int i = 0; i < 3; i++) {
          counter(newer, "tables", "a").increment();
        }
        awaitState(older, State.STOPPED);
        assertThat(older.health().state()).isEqualTo(HealthState.DEGRADED);
        HealthReason reason = older.health().reasons().getFirst();
        assertThat(reason.code()).isEqualTo(HealthReason.ARCHIVE_STOPPED);
        assertThat(reason.text()).contains("generation 3", "process", "2026-01-01");
        assertThat(newer.health().reasons()).isEmpty();
      }
    }
    assertThat(value("latest", new Latest())).isEqualTo(4);
  }

  /** Advances the clock until an archive is in a state: its thread works beside the clock. */
  private void awaitState(ObjectRuntime runtime, State state) {
    while (runtime.statistics().archive().state() != state) {
      clock.advance(Duration.ofSeconds(5));
      Thread.onSpinWait();
    }
  }

  private static void copy(Path from, Path to) throws Exception {
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void numbersSayWhatIsArchived() {
    try (ObjectRuntime runtime = open("data", "archive")) {
      counter(runtime, "tables", "a").increment();
      long durable = runtime.statistics().journal().durablePosition();
      while (runtime.statistics().archive().position() < durable) {
        clock.advance(Duration.ofSeconds(5));
      }
      ArchiveStatistics archive = runtime.statistics().archive();
      assertThat(archive.state()).isEqualTo(State.RUNNING);
      assertThat(archive.generation()).isEqualTo(1);
      assertThat(archive.lagNanos()).isZero();
      assertThat(archive.chunks()).isPositive();
      assertThat(archive.bytes()).isGreaterThan(4_096);
      assertThat(archive.failures()).isZero();
    }
  }

  @Test
  void onlyAnEmptyPlaceIsUsedAndWhatAKilledRestoreHasLeftIsReplaced() throws Exception {
    try (ObjectRuntime runtime = open("data", "archive")) {
      counter(runtime, "tables", "a").increment();
    }
    assertThatThrownBy(() -> restore("archive", "data", new Latest()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("not empty");
    assertThatThrownBy(() -> restore("nothing", "x", new Latest()))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("no archive");
    Files.createDirectory(directory.resolve("empty"));
    Path killed = Files.createDirectories(directory.resolve("empty.restoring/data/journal"));
    Files.write(killed.resolve("0000000000000001.log"), new byte[100]);
    restore("archive", "empty", new Latest());
    try (ObjectRuntime runtime = open("empty", "other")) {
      assertThat(counter(runtime, "tables", "a").get()).isEqualTo(1);
    }
  }
}
