package dev.holdfast.simulation;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.schedules.DeterministicScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One run of a {@link Scenario}: its runtime and its callers. Used by the scenario's threads. */
public final class Run {

  private final DeterministicScheduler scheduler;
  private final ObjectRuntime runtime;
  private final Lateness lateness;
  private final BooleanSupplier hasCrashed;

  // One thread runs at a time.
  private @Nullable Throwable failure;

  Run(
      DeterministicScheduler scheduler,
      ObjectRuntime runtime,
      Lateness lateness,
      BooleanSupplier hasCrashed) {
    this.scheduler = scheduler;
    this.runtime = runtime;
    this.lateness = lateness;
    this.hasCrashed = hasCrashed;
  }

  /** Code of a caller. */
  @FunctionalInterface
  public interface Caller {

    /**
     * Calls objects.
     *
     * @throws Exception if a call fails
     */
    void call() throws Exception;
  }

  /** {@return the runtime} */
  public ObjectRuntime runtime() {
    return runtime;
  }

  /**
   * {@return a namespace of the runtime}
   *
   * @param <T> the interface of its objects
   * @param name the name
   * @param type the interface
   */
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    return runtime.namespace(name, type);
  }

  /**
   * Runs callers at once, each on a separate thread, and waits for all of them. While alarms of the
   * next day are set, some calls come at the moment when the next alarm runs: time passes until
   * then, and the handler and the call meet.
   *
   * @param callers the callers
   * @throws InterruptedException if the thread is interrupted
   */
  public void together(Caller... callers) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (Caller each : callers) {
      Thread thread =
          scheduler
              .threadFactory()
              .newThread(
                  () -> {
                    try {
                      each.call();
                    } catch (Exception | AssertionError e) {
                      failed(e);
                    }
                  });
      lateness.add(thread, runtime);
      thread.start();
      threads.add(thread);
    }
    for (Thread each : threads) {
      each.join();
    }
  }

  /**
   * Lets time pass: alarms and time-outs that are due meanwhile happen.
   *
   * @param time zero or more
   * @throws InterruptedException if the thread is interrupted
   */
  public void pass(Duration time) throws InterruptedException {
    scheduler.sleep(time);
  }

  /**
   * {@return a number that the seed decides}
   *
   * @param bound more than zero; the number is less
   */
  public int choose(int bound) {
    return scheduler.choose(bound);
  }

  /** After a crash every failure may follow from it. */
  void failed(Throwable cause) {
    if (failure == null && !hasCrashed.getAsBoolean()) {
      failure = cause;
    }
  }

  void throwIfFailed() throws Exception {
    switch (failure) {
      case Exception e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
    }
  }
}
