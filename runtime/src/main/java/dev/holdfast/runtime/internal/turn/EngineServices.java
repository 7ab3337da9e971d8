package dev.holdfast.runtime.internal.turn;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.TimeSource;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * What all instances of one runtime share; its identity is that of the runtime. A class and not a
 * record, because two runtimes are never equal. Immutable; the parts are thread-safe.
 */
public final class EngineServices {

  /** The logger of the engine. */
  public static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Journal journal;
  private final TimeSource time;
  private final ThreadFactory threads;
  private final DeadlockDetector deadlocks = new DeadlockDetector();
  private final Consumer<RuntimeException> journalFailed;

  /**
   * Creates the shared parts of a runtime.
   *
   * @param journal makes batches durable
   * @param time the only clock
   * @param threads makes the virtual threads of events
   * @param journalFailed told each time somebody meets the journal's failure; resets every instance
   */
  public EngineServices(
      Journal journal,
      TimeSource time,
      ThreadFactory threads,
      Consumer<RuntimeException> journalFailed) {
    this.journal = journal;
    this.time = time;
    this.threads = threads;
    this.journalFailed = journalFailed;
  }

  /** {@return what makes batches durable} */
  public Journal journal() {
    return journal;
  }

  /** {@return the only clock} */
  public TimeSource time() {
    return time;
  }

  /** {@return what makes the virtual threads of events} */
  public ThreadFactory threads() {
    return threads;
  }

  DeadlockDetector deadlocks() {
    return deadlocks;
  }

  /**
   * Stops the runtime because the journal has failed.
   *
   * @param failure what the journal threw
   */
  public void journalFailed(RuntimeException failure) {
    journalFailed.accept(failure);
  }

  /**
   * Starts a virtual thread.
   *
   * @param task what it runs; handles its own failures
   */
  public void start(Runnable task) {
    threads.newThread(task).start();
  }
}
