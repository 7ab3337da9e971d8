package dev.holdfast.benchmarks.alarms;

import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.objects.SleeperHost;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * Alarms that have become due during a downtime. A round sets one for each object, closes, and
 * opens when all are overdue; the time runs from the opening until the last handler has begun. The
 * objects are not in memory: each is activated, runs one turn that writes a row, and waits for its
 * batch.
 *
 * @param directory the data directory, kept between rounds
 * @param kind the storage of the objects
 * @param objects the number of objects
 */
record Downtime(Path directory, StorageKind kind, int objects) implements Rounds.Side {

  private static final int CALLERS = 64;
  private static final Duration LENGTH = Duration.ofHours(2);

  @Override
  public String name() {
    return "%s, %,d objects that are not in memory".formatted(kind, objects);
  }

  @Override
  public Measured measure(Duration duration) throws Exception {
    Instant due = Instant.now().plus(LENGTH.dividedBy(2));
    try (SleeperHost host = SleeperHost.open(directory, kind, Duration.ZERO)) {
      SleeperHost.each(
          CALLERS,
          objects,
          number -> host.sleepers().getByName("d" + number).putAndSet(number, due));
    }
    long cpuBefore = ClosedLoop.processCpuNanos();
    long before = System.nanoTime();
    try (SleeperHost host = SleeperHost.open(directory, kind, LENGTH)) {
      host.fired().await(objects);
      // The opening is included: firing begins before it has returned.
      return new Measured(
          objects, System.nanoTime() - before, ClosedLoop.processCpuNanos() - cpuBefore, 0, 0, 0);
    }
  }
}
