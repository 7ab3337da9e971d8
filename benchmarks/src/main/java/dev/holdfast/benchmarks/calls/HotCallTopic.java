package dev.holdfast.benchmarks.calls;

import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The overhead of the engine for a hot call, compared with Pekko's ask: JMH, in one run of the
 * harness.
 */
public final class HotCallTopic implements Topic {

  private static final double NANOS_MAX = 150;
  private static final double TIMES_FASTER = 20;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws RunnerException {
    TimeValue iteration = TimeValue.milliseconds(rounds.duration().toMillis());
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include("\\.HotCallBenchmark\\.read$")
                    .include("\\.PekkoAskBenchmark\\.ask$")
                    // Two JVMs show whether inlining differs; more would not fit the whole run.
                    .forks(2)
                    .warmupIterations(3)
                    .warmupTime(iteration)
                    .measurementIterations(rounds.count())
                    .measurementTime(iteration)
                    .verbosity(VerboseMode.SILENT)
                    .shouldFailOnError(true)
                    .build())
            .run();
    Series read = series("Holdfast, read of a field", "HotCallBenchmark.read", results);
    Series ask = series("Pekko ask", "PekkoAskBenchmark.ask", results);
    report.add("hot call, 1 caller (JMH)", List.of(read, ask));
    report.judge(
        "hot call: nanoseconds", read.of(round -> 1e9 / round.perSecond()), Goal.BELOW, NANOS_MAX);
    report.judge(
        "hot call: Holdfast / Pekko ask", read.rateRatio(ask), Goal.AT_LEAST, TIMES_FASTER);
  }

  /**
   * One round per iteration of each fork. JMH measures no latencies and no processor time here:
   * zero is shown as unknown.
   */
  private static Series series(String name, String benchmark, Collection<RunResult> results) {
    List<Measured> rounds = new ArrayList<>();
    for (RunResult result : results) {
      if (result.getParams().getBenchmark().endsWith(benchmark)) {
        result.getBenchmarkResults().stream()
            .flatMap(fork -> fork.getIterationResults().stream())
            .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
            .forEach(nanos -> rounds.add(ofAverage(nanos)));
      }
    }
    return new Series(name, rounds);
  }

  private static Measured ofAverage(double nanos) {
    long operations = (long) (TimeUnit.SECONDS.toNanos(1) / nanos);
    return new Measured(operations, TimeUnit.SECONDS.toNanos(1), 0, 0, 0, 0);
  }
}
