package dev.holdfast.benchmarks.sql;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.OneByOne;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Runaway;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The time that puts of new objects wait for endless statements of other objects, compared with the
 * same number of endless Java threads, which take as much processor time and nothing else.
 */
public final class RunawayTopic implements Topic {

  private static final int RUNAWAYS = 8;
  private static final int PUTS = 1_000;
  private static final int VALUE_BYTES = 100;
  private static final double MILLIS_MORE_MAX = 50;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory, disk)) {
      List<Load> loads =
          List.of(
              new Load("nothing else", 0, List::of),
              new Load("8 spinning Java threads", 0, RunawayTopic::spin),
              new Load("8 runaway statements", RUNAWAYS, () -> runAway(host)));
      List<List<Measured>> measured = new ArrayList<>();
      loads.forEach(each -> measured.add(new ArrayList<>()));
      // The first round compiles the code.
      for (int round = 0; round <= rounds.count(); round++) {
        for (int i = 0; i < loads.size(); i++) {
          Measured one = puts(host, loads.get(i), "r%d-%d-".formatted(round, i), disk);
          if (round > 0) {
            measured.get(i).add(one);
          }
        }
      }
      List<Series> all = new ArrayList<>();
      for (int i = 0; i < loads.size(); i++) {
        all.add(new Series(loads.get(i).name(), measured.get(i)));
      }
      String title = "1,000 puts of fresh objects, 1 caller";
      report.add(title, all);
      report.judge(
          title + ": ms of p99 more with 8 runaway statements than with 8 spinning threads",
          Spread.of(millisMore(measured.get(2), measured.get(1))),
          Goal.BELOW,
          MILLIS_MORE_MAX);
    }
  }

  private static List<Double> millisMore(List<Measured> one, List<Measured> other) {
    List<Double> millis = new ArrayList<>();
    for (int round = 0; round < one.size(); round++) {
      millis.add((one.get(round).p99Nanos() - other.get(round).p99Nanos()) / 1e6);
    }
    return millis;
  }

  /** The load that runs beside the puts. */
  private record Load(String name, int statements, Begin begin) {}

  /** Begins a load. */
  @FunctionalInterface
  private interface Begin {

    /** {@return the actions that end it, one for each thread} */
    List<Runnable> begin() throws Exception;
  }

  private static Measured puts(DurableHost host, Load load, String prefix, MeasuredDisk disk)
      throws Exception {
    List<Runnable> ends = load.begin().begin();
    try {
      host.runawaysBegun().acquire(load.statements());
      return OneByOne.run(
          PUTS,
          number -> host.sqlitePairs(prefix + number).put("key", new byte[VALUE_BYTES]),
          disk::syncCount);
    } finally {
      ends.forEach(Runnable::run);
    }
  }

  private static List<Runnable> spin() {
    List<Runnable> ends = new ArrayList<>();
    for (int number = 0; number < RUNAWAYS; number++) {
      Spinner spinner = new Spinner();
      Thread thread = Thread.ofPlatform().daemon().start(spinner);
      ends.add(
          () -> {
            spinner.isEnded = true;
            join(thread);
          });
    }
    return ends;
  }

  /** Counts until it is ended. */
  private static final class Spinner implements Runnable {

    private volatile boolean isEnded;

    @Override
    public void run() {
      while (!isEnded) {
        Thread.onSpinWait();
      }
    }
  }

  private static List<Runnable> runAway(DurableHost host) {
    ObjectNamespace<Runaway> namespace = host.runaways();
    List<Runnable> ends = new ArrayList<>();
    for (int number = 0; number < RUNAWAYS; number++) {
      String name = "r" + number;
      Thread thread =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      namespace.getByName(name).run();
                    } catch (ObjectException e) {
                      // A reset ends it; the resulting error of the statement is not measured.
                    }
                  });
      ends.add(
          () -> {
            host.runtime().admin().reset("runaways", namespace.idFromName(name));
            join(thread);
          });
    }
    return ends;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException("Interrupted while a load ended", e);
    }
  }
}
