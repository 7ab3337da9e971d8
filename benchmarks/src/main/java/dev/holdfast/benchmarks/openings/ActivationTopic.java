package dev.holdfast.benchmarks.openings;

import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.OneByOne;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.peers.PlainSqlite;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The time of the first call of an object: of a new one that writes, and of one whose file exists
 * but is not open, which reads. The peer runs the same steps in plain SQLite: open, create the
 * table if it is missing, one statement. All files are in the page cache. One caller, a platform
 * thread.
 */
public final class ActivationTopic implements Topic {

  /** Per round; few enough that all stay open. */
  private static final int OBJECTS = 400;

  private static final int VALUE_BYTES = 100;

  /**
   * Measures the given objects, independent of the requested duration: each object activates once.
   */
  private interface Step extends Rounds.Side {}

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    List<Step> steps = List.of(holdfastNew(directory), plainNew(directory));
    report.add("new object, first write", rounds.interleave(steps));
    List<Step> warmSteps = List.of(holdfastWarm(directory), plainWarm(directory));
    report.add("existing object, first read", rounds.interleave(warmSteps));
  }

  private static Step holdfastNew(Path directory) {
    AtomicInteger round = new AtomicInteger();
    return step(
        "Holdfast",
        () -> {
          MeasuredDisk disk = new MeasuredDisk();
          // A separate directory for each round: the next topic reads the objects of the first.
          Path data = directory.resolve("holdfast-" + round.getAndIncrement());
          try (DurableHost host = DurableHost.open(data, disk)) {
            return timed(
                number -> host.entries().getByName("e-" + number).put(1, value(number)), disk);
          }
        });
  }

  private static Step holdfastWarm(Path directory) {
    return step(
        "Holdfast",
        () -> {
          MeasuredDisk disk = new MeasuredDisk();
          try (DurableHost host = DurableHost.open(directory.resolve("holdfast-0"), disk)) {
            return timed(
                number -> requireValue(number, host.entries().getByName("e-" + number).size(1)),
                disk);
          }
        });
  }

  private static Step plainNew(Path directory) {
    AtomicInteger round = new AtomicInteger();
    return step(
        "plain sqlite-jdbc",
        () -> {
          Path data = directory.resolve("plain-" + round.getAndIncrement());
          return timedPlain(data, (database, number) -> database.put(1, value(number)));
        });
  }

  private static Step plainWarm(Path directory) {
    return step(
        "plain sqlite-jdbc",
        () ->
            timedPlain(
                directory.resolve("plain-0"),
                (database, number) -> requireValue(number, database.size(1))));
  }

  @FunctionalInterface
  private interface PlainCall {
    void make(PlainSqlite database, int number) throws Exception;
  }

  private static Measured timedPlain(Path data, PlainCall call) throws Exception {
    PlainSqlite[] databases = new PlainSqlite[OBJECTS];
    try {
      return timed(
          number -> {
            databases[number] = PlainSqlite.full(data.resolve(number + ".db"));
            call.make(databases[number], number);
          },
          new MeasuredDisk());
    } finally {
      for (PlainSqlite each : databases) {
        if (each != null) {
          each.close();
        }
      }
    }
  }

  @FunctionalInterface
  private interface Round {
    Measured run() throws Exception;
  }

  private static Step step(String name, Round round) {
    return new Step() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Measured measure(Duration duration) throws Exception {
        return round.run();
      }
    };
  }

  private static Measured timed(OneByOne.Call call, MeasuredDisk disk) throws Exception {
    return OneByOne.run(OBJECTS, call, disk::syncCount);
  }

  private static byte[] value(int number) {
    byte[] value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) number);
    return value;
  }

  /** A round that read nothing would look fast. */
  private static void requireValue(int number, long sizeBytes) {
    if (sizeBytes != VALUE_BYTES) {
      throw new IllegalStateException(
          "Object " + number + " has a value of " + sizeBytes + " bytes");
    }
  }
}
