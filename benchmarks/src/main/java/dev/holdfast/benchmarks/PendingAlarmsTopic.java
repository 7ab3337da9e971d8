package dev.holdfast.benchmarks;

import dev.holdfast.AlarmPage;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.Report.Goal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What many pending alarms cost, spread over a month and all at one moment: opening the runtime,
 * the heap, and a list of all of them. {@code -Dholdfast.bench.pending} says how many. They are set
 * by turns, each of an object of its own, on RocksDB; where an alarm is kept makes no difference to
 * what is measured, and a million SQLite files would take an hour.
 */
final class PendingAlarmsTopic implements Topic {

  private static final int ALARMS = Integer.getInteger("holdfast.bench.pending", 1_000_000);
  private static final int CALLERS = 512;
  private static final int PAGE = 10_000;

  /** The collector may need some rounds until everything is gone that can go. */
  private static final int COLLECTIONS = 4;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    long nothing = heapWithAlarms(directory.resolve("nothing"), 0);
    measure("spread over 30 days", Duration.ofDays(30), nothing, directory, report);
    measure("all at one moment", Duration.ZERO, nothing, directory, report);
  }

  private static void measure(
      String how, Duration spread, long heapOfNothing, Path parent, Report report)
      throws Exception {
    Path directory = parent.resolve(spread.isZero() ? "moment" : "spread");
    Instant first = Instant.now().plus(Duration.ofDays(1));
    try (SleeperHost host = open(directory)) {
      SleeperHost.each(
          CALLERS,
          ALARMS,
          number -> {
            // Neighbours in time are not neighbours in any other order.
            long share = Long.reverse(number) >>> 1;
            Duration after = spread.dividedBy(1 << 20).multipliedBy(share >>> 43);
            host.sleepers().getByName("p" + number).putAndSet(number, first.plus(after));
          });
    }
    long before = System.nanoTime();
    SleeperHost host = open(directory);
    double openSeconds = (System.nanoTime() - before) / 1e9;
    host.close();
    report.judge(
        title(how, "seconds to open the runtime"), Spread.of(List.of(openSeconds)), Goal.BELOW, 3);
    long heap = heapWithAlarms(directory, ALARMS) - heapOfNothing;
    report.judge(
        title(how, "bytes of heap per pending alarm"),
        Spread.of(List.of((double) heap / ALARMS)),
        Goal.BELOW,
        50);
  }

  private static String title(String how, String what) {
    return "%,d alarms, %s: %s".formatted(ALARMS, how, what);
  }

  private static SleeperHost open(Path directory) {
    return SleeperHost.open(directory, StorageKind.ROCKSDB, Duration.ZERO);
  }

  /** The heap that is in use when all alarms have been listed once, and the next ones are held. */
  private static long heapWithAlarms(Path directory, int expected) throws InterruptedException {
    try (SleeperHost host = open(directory)) {
      long listed = 0;
      Optional<String> cursor = Optional.empty();
      do {
        AlarmPage page = host.alarms().pending(cursor, PAGE);
        listed += page.alarms().size();
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
