package dev.holdfast.archive.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archive.s3.FaultyWire.Fault;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.health.HealthReason;
import dev.holdfast.statistics.ArchiveStatistics.State;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two runtimes archive to one place in object storage, and the answer to the newer one is lost. */
final class S3FencingTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private static S3Server server;
  private static FaultyWire wire;

  @TempDir Path directory;

  private final VirtualClock clock = new VirtualClock();
  private final VirtualClock clockOfNewer = new VirtualClock(Instant.parse("2026-06-01T12:00:00Z"));

  /** Counts. */
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

  @BeforeAll
  static void start() throws IOException {
    server = new S3Server(true);
    wire = new FaultyWire(server.port(), false);
  }

  @AfterAll
  static void stop() throws IOException {
    wire.close();
    server.close();
  }

  private ObjectRuntime open(String data, VirtualClock time, RuntimeOptions options) {
    return Holdfast.open(
        directory.resolve(data),
        time,
        objects ->
            objects
                .options(options.withHealth(options.health().withDiskFreeMin(0, 0)))
                .namespace("counters", Counter.class, CounterObject::new));
  }

  private static RuntimeOptions archived(String place, String instance) {
    return RuntimeOptions.DEFAULT.withArchive(
        ArchiveOptions.to(S3Server.store(wire.port(), place, instance))
            .withInterval(INTERVAL)
            // The clock is far ahead of the thread that archives.
            .withLateMax(Duration.ofDays(365)));
  }

  private static Counter counter(ObjectRuntime runtime) {
    return runtime.namespace("counters", Counter.class).getByName("a");
  }

  private static void await(VirtualClock time, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      time.advance(INTERVAL);
      Thread.onSpinWait();
    }
  }

  private static boolean is(State state, ObjectRuntime runtime) {
    return runtime.statistics().archive().state() == state;
  }

  /**
   * What meets the write with which the newer runtime takes its generation, and its repetitions.
   */
  static Stream<List<Fault>> lostAnswers() {
    return LONG
        ? Stream.of(Fault.values())
            .flatMap(fault -> Stream.of(List.of(fault), List.of(fault, fault, fault)))
        : Stream.of(
            List.of(Fault.REPEATED), List.of(Fault.CUT_AFTER, Fault.CUT_AFTER, Fault.CUT_AFTER));
  }

  @ParameterizedTest
  @MethodSource("lostAnswers")
  void olderRuntimeStopsAndNamesTheOther(List<Fault> faults) throws Exception {
    String place = "fencing-" + faults.size() + faults.getFirst().ordinal();
    try (ObjectRuntime first = open("data", clock, archived(place, "first"))) {
      counter(first).increment();
    }
    copy(directory.resolve("data"), directory.resolve("copy"));
    try (ObjectRuntime older = open("data", clock, archived(place, "older"))) {
      await(clock, () -> is(State.RUNNING, older));
      wire.thenFor("/generations/0000000000000003 ", faults);
      try (ObjectRuntime newer = open("copy", clockOfNewer, archived(place, "newer"))) {
        await(clockOfNewer, () -> is(State.RUNNING, newer));
        assertThat(wire.isDone()).isTrue();
        wire.settle();
        counter(older).increment();
        await(clock, () -> is(State.STOPPED, older));
        List<HealthReason> reasons = older.health().reasons();
        assertThat(reasons)
            .extracting(HealthReason::code)
            .containsExactly(HealthReason.ARCHIVE_STOPPED);
        assertThat(reasons.getFirst().text())
            .contains(
                "generation 3", "process " + ProcessHandle.current().pid(), "2026-06-01T12:00:00Z");
        assertThat(counter(older).increment()).isEqualTo(3); // its calls go on

        for (int i = 0; i < 4; i++) {
          counter(newer).increment();
        }
        assertThat(newer.health().reasons()).isEmpty();
        assertThat(newer.statistics().archive().generation()).isEqualTo(3);
      }
    }
    try (S3Archive store = S3Server.store(wire.port(), place, "restore")) {
      Holdfast.restore(
          store, directory.resolve("restored"), RestoreRequest.of(new RestoreTarget.Latest()));
    }
    try (ObjectRuntime runtime = open("restored", clock, RuntimeOptions.DEFAULT)) {
      assertThat(counter(runtime).get()).isEqualTo(5);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }
}
