package dev.holdfast.benchmarks.calls;

import dev.holdfast.benchmarks.calls.CallSides.Shape;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** The speed of calls that touch no storage, compared with Pekko's typed ask. */
public final class CallTopic implements Topic {

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    // Nothing here waits for a disk, so a shorter round has enough calls.
    Rounds shorter = rounds.lasting(Duration.ofMillis(700));
    try (CallSides sides = new CallSides()) {
      for (Shape shape : shapes()) {
        List<Series> all = shorter.interleave(sides.of(shape));
        report.add(shape.title, all);
        // Holdfast on either kind of thread is compared with Pekko on the kind that suits it best.
        Series best = fastest(all.subList(2, 4));
        for (Series ours : all.subList(0, 2)) {
          report.judge(
              shape.title + ": " + ours.name() + " / " + best.name(),
              ours.rateRatio(best),
              Goal.AT_LEAST,
              shape == Shape.IDLE_OBJECT ? 10 : 3);
        }
      }
    }
  }

  /** All, or the one that {@code -Dholdfast.bench.calls=HOT_OBJECT} names. */
  private static List<Shape> shapes() {
    String only = System.getProperty("holdfast.bench.calls", "");
    return only.isEmpty() ? List.of(Shape.values()) : List.of(Shape.valueOf(only));
  }

  private static Series fastest(List<Series> sides) {
    return sides.stream()
        .max(Comparator.comparingDouble(side -> side.of(Measured::perSecond).median()))
        .orElseThrow();
  }
}
