package dev.holdfast.simulation;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.testkit.InMemoryJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario of an application in many orders of its threads, and with a crash at every step
 * of the journal, and checks the application's invariants after the recovery.
 *
 * <pre>{@code
 * Explorer.inMemory().explore(1, 200, TransferScenario::new);
 * }</pre>
 *
 * <p>Each order is drawn from a seed. It runs once undisturbed, then once for each step that the
 * journal made in it: the process ends there, what was not durable is lost, or a part of it, and a
 * new runtime opens on the rest. Threads change places where they wait: in {@code await}, {@code
 * sync()}, calls of other objects, at the gates, and for the disk. Calls of {@link Run#together}
 * may come when an alarm runs.
 *
 * <p>The same seed gives the same order: the failure names the seed and the step, and {@link
 * #replay} or {@code -Dholdfast.explore=SEED:STEP} runs that one again. For this all threads and
 * the time must be the runtime's: a scenario that starts its own threads, or asks the machine for
 * the time, is not repeatable.
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED} for the JVM of the test. Immutable.
 */
public final class Explorer {

  /** The system property with the only run: {@code SEED:STEP}, step 0 for no crash. */
  public static final String ONLY_PROPERTY = "holdfast.explore";

  /** A sync takes a time, so that others run while a caller waits for it. */
  private static final Duration SYNC_TIME = Duration.ofMillis(1);

  private final boolean isSql;

  private Explorer(boolean isSql) {
    this.isSql = isSql;
  }

  /** {@return an explorer of objects with keys, in memory: some thousand runs a second} */
  public static Explorer inMemory() {
    return new Explorer(false);
  }

  /** {@return an explorer of objects with SQL: SQLite in temporary files, the journal in memory} */
  public static Explorer withSql() {
    return new Explorer(true);
  }

  /**
   * Explores.
   *
   * @param seed the first seed
   * @param n how many orders; more than zero
   * @param scenario makes a new scenario for each run
   * @return what was run
   * @throws ExplorationFailure for the first run that fails
   */
  public Explored explore(long seed, int n, Supplier<? extends Scenario> scenario) {
    String only = System.getProperty(ONLY_PROPERTY);
    if (only != null) {
      String[] parts = only.split(":", 2);
      replay(Long.parseLong(parts[0]), Long.parseLong(parts[1]), scenario);
      return new Explored(1, 1);
    }
    long runs = 0;
    for (long each = seed; each < seed + n; each++) {
      int steps = run(each, 0, scenario);
      for (int step = 1; step <= steps; step++) {
        run(each, step, scenario);
      }
      runs += steps + 1L;
    }
    return new Explored(n, runs);
  }

  /**
   * Runs one order again.
   *
   * @param seed its seed
   * @param step the step of the crash; 0 for none
   * @param scenario makes the scenario
   * @throws ExplorationFailure if the run fails
   */
  public void replay(long seed, long step, Supplier<? extends Scenario> scenario) {
    run(seed, step, scenario);
  }

  /**
   * What was run.
   *
   * @param orders orders of threads
   * @param runs undisturbed ones and those with a crash
   */
  public record Explored(int orders, long runs) {}

  /** Returns the number of steps. */
  private int run(long seed, long crashAt, Supplier<? extends Scenario> scenarios) {
    Path files = isSql ? temporaryDirectory() : null;
    DeterministicScheduler scheduler = new DeterministicScheduler(seed);
    InMemoryJournal memory = InMemoryJournal.withSyncTime(scheduler.clock(), SYNC_TIME);
    StepJournal journal = new StepJournal(memory, crashAt, scheduler::choose);
    try {
      Scenario scenario = scenarios.get();
      Registered registered = new Registered(scenario::register);
      Lateness lateness = new Lateness(scheduler, registered);
      ObjectRuntime runtime = open(scheduler, registered, lateness, seed, journal, memory, files);
      Run run = new Run(scheduler, runtime, lateness, journal::hasEnded);
      scheduler.run(
          () -> {
            try {
              scenario.run(run);
            } catch (Exception | AssertionError e) {
              run.failed(e);
            }
          });
      run.throwIfFailed();
      scheduler.run(runtime::close);
      InMemoryJournal left = journal.end();
      StepJournal after = new StepJournal(left, 0, scheduler::choose);
      ObjectRuntime recovered = open(scheduler, registered, lateness, seed, after, left, files);
      Run check = new Run(scheduler, recovered, lateness, () -> false);
      scheduler.run(() -> scenario.check(check));
      check.throwIfFailed();
      scheduler.run(recovered::close);
      return journal.steps().size();
    } catch (Exception | AssertionError e) {
      throw new ExplorationFailure(seed, crashAt, journal.steps(), e);
    } finally {
      if (files != null) {
        delete(files);
      }
    }
  }

  private static ObjectRuntime open(
      DeterministicScheduler scheduler,
      Registered registered,
      Lateness lateness,
      long seed,
      StepJournal journal,
      InMemoryJournal found,
      @Nullable Path files) {
    return World.inMemory(
        new World.Parts(
            (ObjectRegistrar objects) -> {
              registered.accept(objects);
              objects.filter(call -> interleaved(call, lateness));
              objects.outgoing(lateness::filter);
            },
            scheduler.clock(),
            scheduler.threadFactory(),
            StorageThreads.simulated(scheduler.threadFactory()),
            new Silence(),
            seed),
        journal,
        found,
        files,
        new FileDisk());
  }

  /**
   * A call of an object that is free runs on the thread of its caller, which waits for it without a
   * park: no other thread would run while the caller's own object is open to others.
   */
  @SuppressWarnings("ThreadPriorityCheck") // here a yield is a choice of the schedule, not a hint
  private static @Nullable Object interleaved(DeliveredCall call, Lateness lateness)
      throws Throwable {
    if (call.operation().equals("alarm")) {
      lateness.alarmRuns();
    }
    Thread.yield();
    Object result = call.proceed();
    Thread.yield();
    return result;
  }

  static Path temporaryDirectory() {
    try {
      return Files.createTempDirectory("holdfast-explore-");
    } catch (IOException e) {
      throw new UncheckedIOException("No temporary directory for the files of SQLite", e);
    }
  }

  static void delete(Path directory) {
    try {
      FileTree.delete(new FileDisk(), directory);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + directory, e);
    }
  }

  /** {@return the steps of a journal, numbered, for a report} */
  static String numbered(List<String> steps) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < steps.size(); i++) {
      text.append(i + 1).append(". ").append(steps.get(i)).append('\n');
    }
    return text.toString();
  }
}
