package dev.holdfast.benchmarks.alarms;

import dev.holdfast.AlarmStatus;
import dev.holdfast.Page;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.SleeperHost;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The cost of many pending alarms, half of them at one moment and half spread over a month: opening
 * the runtime, and the heap after a list of all of them. {@code -Dholdfast.bench.pending} sets the
 * number. They are set by turns, each of a separate object, on RocksDB; the storage of an alarm
 * does not affect the measurement, and a million SQLite files would take an hour.
 */
public final class PendingAlarmsTopic implements Topic {

  private static final int ALARMS = Integer.getInteger("holdfast.bench.pending", 1_000_000);
  private static final Duration SPREAD = Duration.ofDays(30);
  private static final int CALLERS = 256;
  private static final int PAGE = 10_000;

  /** The collector may need several rounds until all garbage is gone. */
  private static final int COLLECTIONS = 4;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    long heapOfNothing = heapWithAlarms(directory.resolve("nothing"), 0);
    Path data = directory.resolve("pending");
    Instant first = Instant.now().plus(Duration.ofDays(1));
    try (SleeperHost host = open(data)) {
      SleeperHost.each(
          CALLERS,
          ALARMS,
          number -> host.sleepers().getByName("p" + number).putAndSet(number, time(first, number)));
    }
    long before = System.nanoTime();
    SleeperHost host = open(data);
    double openSeconds = (System.nanoTime() - before) / 1e9;
    host.close();
    judge(report, "seconds to open the runtime", openSeconds, 3);
    long heap = heapWithAlarms(data, ALARMS) - heapOfNothing;
    judge(report, "bytes of heap per pending alarm", (double) heap / ALARMS, 50);
  }

  /**
   * One half at one moment; in the other half, neighbours in time are not neighbours in any other
   * order.
   */
  private static Instant time(Instant first, int number) {
    if (number % 2 == 0) {
      return first;
    }
    double share = (Integer.reverse(number) >>> 1) / 0x1p31;
    return first.plusMillis((long) (share * SPREAD.toMillis()));
  }

  private static void judge(Report report, String figure, double value, double target) {
    report.judge(
        "%,d pending alarms: %s".formatted(ALARMS, figure),
        Spread.of(List.of(value)),
        Goal.BELOW,
        target);
  }

  private static SleeperHost open(Path directory) {
    return SleeperHost.openForMany(directory);
  }

  /** The heap that is in use when all alarms have been listed once, and the next ones are held. */
  private static long heapWithAlarms(Path directory, int expected) throws InterruptedException {
    try (SleeperHost host = open(directory)) {
      long listed = 0;
      Optional<String> cursor = Optional.empty();
      do {
        Page<AlarmStatus> page = host.alarms().pending(cursor, PAGE);
        listed += page.items().size();
        cursor = page.nextCursor();
      } while (cursor.isPresent());
      if (listed != expected) {
        throw new IllegalStateException(listed + " alarms are listed, not " + expected);
      }
      Runtime machine = Runtime.getRuntime();
      for (int i = 0; i < COLLECTIONS; i++) {
        System.gc();
      }
      return machine.totalMemory() - machine.freeMemory();
    }
  }
}
