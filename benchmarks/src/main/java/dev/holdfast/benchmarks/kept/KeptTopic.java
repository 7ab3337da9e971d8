package dev.holdfast.benchmarks.kept;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.verify.Verification;
import dev.holdfast.verify.VerifyReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What keeping data safe costs: commits beside a backup and beside an archive, backups, restore,
 * verify and inspect. {@code -Dholdfast.bench.objects} sets how many objects there are, half of
 * them in each engine, with a value of 1 KiB each. docs/operations/capacity.md has the figures.
 */
public final class KeptTopic implements Topic {

  /** Its lines about openings would be among the figures. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  private static final int OBJECTS = Integer.getInteger("holdfast.bench.objects", 20_000);
  private static final Duration ARCHIVE_INTERVAL = Duration.ofSeconds(1);
  private static final double GB = 1e9;
  private static final double MB = 1e6;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    LOG.setLevel(Level.WARNING);
    Path data = directory.resolve("data");
    try (KeptRuntime runtime = KeptRuntime.open(data, RuntimeOptions.DEFAULT)) {
      runtime.fill(OBJECTS);
    }
    // Opened again: all objects are saved, and the second backup finds nothing changed.
    try (KeptRuntime runtime = KeptRuntime.open(data, RuntimeOptions.DEFAULT)) {
      backups(runtime, directory.resolve("backup"), report);
      commits(runtime, directory, rounds, report);
    }
    inspect(data, report);
    verify(data, directory, report);
  }

  // ---- Backup -------------------------------------------------------------------------------

  private static void backups(KeptRuntime runtime, Path target, Report report) {
    long before = System.nanoTime();
    Backup first = runtime.runtime().backup(target);
    double seconds = seconds(before);
    judge(
        report,
        "first backup of %,.0f MB: MB a second".formatted(first.bytesCopied() / MB),
        first.bytesCopied() / MB / seconds,
        Goal.AT_LEAST,
        20);
    before = System.nanoTime();
    Backup second = runtime.runtime().backup(target);
    double again = seconds(before);
    judge(
        report,
        "second backup, nothing changed, %.1f MB copied: seconds"
            .formatted(second.bytesCopied() / MB),
        again,
        Goal.BELOW,
        10);
  }

  private static void commits(KeptRuntime runtime, Path directory, Rounds rounds, Report report)
      throws Exception {
    Path archive = directory.resolve("archive");
    RuntimeOptions archived =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(archive)).withInterval(ARCHIVE_INTERVAL));
    List<Double> lagMillis = new ArrayList<>();
    ArchiveStatistics statistics;
    try (KeptRuntime other = KeptRuntime.open(directory.resolve("archived"), archived)) {
      List<Series> all =
          rounds.interleave(
              List.of(
                  new KeptSide("alone", runtime::load),
                  new KeptSide(
                      "while a backup is made",
                      duration -> besideBackups(runtime, directory, duration)),
                  new KeptSide(
                      "archived",
                      duration -> other.sampled(lagMillis, () -> other.load(duration)))));
      report.add("commits of 1 KiB, 64 virtual threads", all);
      report.judge(
          "p99 of commits while a backup is made, to that without",
          ratioOfP99(all.get(1), all.get(0)),
          Goal.BELOW,
          2);
      statistics = other.runtime().statistics().archive();
      report.judge(
          "archive under this load, interval 1 s: lag in ms",
          Spread.of(lagMillis),
          Goal.BELOW,
          3_000);
    }
    judge(
        report,
        "archive: bytes a byte of values",
        // Nearly every record is a commit of the load.
        (double) statistics.bytes() / statistics.position() / KeptRuntime.VALUE_BYTES,
        Goal.BELOW,
        5);
    restore(archive, directory.resolve("restored"), report);
  }

  /** First backups, one after the other, for as long as the load lasts. */
  private static Measured besideBackups(KeptRuntime runtime, Path directory, Duration duration)
      throws Exception {
    Path targets = Files.createTempDirectory(directory, "targets-");
    AtomicInteger made = new AtomicInteger();
    Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!Thread.currentThread().isInterrupted()) {
                    runtime.runtime().backup(targets.resolve("" + made.incrementAndGet()));
                  }
                });
    try {
      return runtime.load(duration);
    } finally {
      thread.interrupt();
      thread.join();
      FileTree.delete(new FileDisk(), targets);
    }
  }

  /** Round by round: rounds of the same number ran next to each other. */
  private static Spread ratioOfP99(Series side, Series peer) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < side.rounds().size(); i++) {
      ratios.add((double) side.rounds().get(i).p99Nanos() / peer.rounds().get(i).p99Nanos());
    }
    return Spread.of(ratios);
  }

  // ---- Restore, inspect, verify ---------------------------------------------------------------

  private static void restore(Path archive, Path target, Report report) throws Exception {
    long before = System.nanoTime();
    RestoreResult result;
    try (DirectoryArchive store = new DirectoryArchive(archive)) {
      result = Holdfast.restore(store, target, RestoreRequest.of(new RestoreTarget.Latest()));
    }
    judge(
        report,
        "restore of an archive of %,.0f MB: seconds a GB".formatted(result.bytes() / MB),
        seconds(before) / (result.bytes() / GB),
        Goal.BELOW,
        60);
    before = System.nanoTime();
    KeptRuntime.open(target, RuntimeOptions.DEFAULT).close();
    judge(
        report,
        "opening what was restored: seconds a GB of the archive",
        seconds(before) / (result.bytes() / GB),
        Goal.BELOW,
        60);
  }

  private static void inspect(Path data, Report report) {
    long before = System.nanoTime();
    AtomicInteger found = new AtomicInteger();
    try (StoppedDirectory stopped = StoppedDirectory.read(data)) {
      new Operations(stopped.inspected())
          .perform(OperatorRequest.of("objects"), _ -> found.incrementAndGet());
    }
    judge(
        report,
        "inspect objects, %,d objects, stopped: seconds".formatted(found.get()),
        seconds(before),
        Goal.BELOW,
        30);
  }

  private static void verify(Path data, Path scratch, Report report) throws Exception {
    for (boolean isDeep : new boolean[] {false, true}) {
      long before = System.nanoTime();
      VerifyReport result = Verification.run(data, scratch, isDeep);
      double seconds = seconds(before);
      if (!result.isSound()) {
        throw new IllegalStateException("A damaged directory was measured: " + result.findings());
      }
      judge(
          report,
          "verify%s of %,.0f MB: MB a second"
              .formatted(isDeep ? " --deep" : "", result.readBytes() / MB),
          result.readBytes() / MB / seconds,
          Goal.AT_LEAST,
          20);
    }
  }

  private static double seconds(long beforeNanos) {
    return (System.nanoTime() - beforeNanos) / 1e9;
  }

  private static void judge(Report report, String figure, double value, Goal goal, double target) {
    report.judge(figure, Spread.of(List.of(value)), goal, target);
  }
}
