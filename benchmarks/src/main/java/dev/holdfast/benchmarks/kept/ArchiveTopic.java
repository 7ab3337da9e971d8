package dev.holdfast.benchmarks.kept;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.statistics.ArchiveStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What an archive costs at a steady 20,000 commits a second: its lag, the processor time with and
 * without it, and what is sent for a byte of values. {@code --rounds 1 --round-millis 20000} writes
 * 200 MB in each of the two runtimes, and as much before, to warm up.
 */
public final class ArchiveTopic implements Topic {

  private static final int PER_SECOND = 20_000;

  /** 200 MB in 20 seconds. */
  private static final int VALUE_BYTES = 500;

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** A lag of this means that the archive does not keep up. */
  private static final double LAG_MILLIS_MAX = 3_000;

  private static final double CPU_RATIO_MAX = 1.5;
  private static final double BYTES_RATIO_MAX = 5;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    RuntimeOptions archived =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(directory.resolve("archive")))
                .withInterval(INTERVAL)
                .withBaseBytes(Long.MAX_VALUE)); // what is sent is the journal alone
    List<Double> lagMillis = new ArrayList<>();
    AtomicLong commits = new AtomicLong();
    List<Series> all;
    ArchiveStatistics statistics;
    try (KeptRuntime without =
            KeptRuntime.open(directory.resolve("without"), RuntimeOptions.DEFAULT);
        KeptRuntime with = KeptRuntime.open(directory.resolve("with"), archived)) {
      all =
          rounds.interleave(
              List.of(
                  new KeptSide(
                      "without an archive",
                      duration -> without.pacedLoad(PER_SECOND, duration, VALUE_BYTES)),
                  new KeptSide(
                      "with an archive",
                      duration ->
                          with.sampled(lagMillis, () -> counted(with, duration, commits)))));
      with.awaitArchived();
      statistics = with.runtime().statistics().archive();
    }
    report.add("%,d commits a second of %d bytes".formatted(PER_SECOND, VALUE_BYTES), all);
    report.judge(
        "archive at %,d commits a second, interval 1 s: lag in ms".formatted(PER_SECOND),
        Spread.of(lagMillis),
        Goal.BELOW,
        LAG_MILLIS_MAX);
    report.judge(
        "processor time of a commit with an archive, to that without",
        ratioOfCpu(all.get(1), all.get(0)),
        Goal.BELOW,
        CPU_RATIO_MAX);
    report.judge(
        "bytes uploaded a byte of values",
        Spread.of(List.of((double) statistics.bytes() / (commits.get() * VALUE_BYTES))),
        Goal.BELOW,
        BYTES_RATIO_MAX);
  }

  private static Measured counted(KeptRuntime runtime, Duration duration, AtomicLong commits)
      throws Exception {
    Measured measured = runtime.pacedLoad(PER_SECOND, duration, VALUE_BYTES);
    commits.addAndGet(measured.operations());
    return measured;
  }

  private static Spread ratioOfCpu(Series with, Series without) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < with.rounds().size(); i++) {
      ratios.add(
          with.rounds().get(i).cpuMicrosPerOperation()
              / without.rounds().get(i).cpuMicrosPerOperation());
    }
    return Spread.of(ratios);
  }
}
