package dev.holdfast.runtime.internal.turn;

import dev.holdfast.runtime.internal.cache.ValueCache;
import dev.holdfast.runtime.internal.report.FailureLog;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.TimeSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all instances of one runtime share; its identity is that of the runtime. A class and not a
 * record, because two runtimes are never equal. Thread-safe, as the parts are.
 */
public final class EngineServices {

  private final Journal journal;
  private final PointInTimeRecovery recovery;
  private final ValueCache values;
  private final TimeSource time;
  private final ThreadFactory threads;
  private final DeadlockDetector deadlocks = new DeadlockDetector();
  private final System.Logger log;
  private final FailureLog failures;
  private final @Nullable AlarmService alarms;
  private final Consumer<RuntimeException> journalFailed;

  /** The last batch that no message waited for; most are durable soon after. */
  private final LongAccumulator lastUnconfirmed = new LongAccumulator(Math::max, Journal.START);

  /**
   * Creates the shared parts of a runtime.
   *
   * @param journal makes batches durable
   * @param recovery brings objects back to earlier states
   * @param values what objects have read lately
   * @param time the only clock
   * @param threads makes the virtual threads of events
   * @param log takes what no caller can be told
   * @param alarms finds alarms that are due; null if the runtime has none
   * @param journalFailed told each time somebody meets the journal's failure; resets every instance
   */
  public EngineServices(
      Journal journal,
      PointInTimeRecovery recovery,
      ValueCache values,
      TimeSource time,
      ThreadFactory threads,
      System.Logger log,
      @Nullable AlarmService alarms,
      Consumer<RuntimeException> journalFailed) {
    this.alarms = alarms;
    this.journal = journal;
    this.recovery = recovery;
    this.values = values;
    this.time = time;
    this.threads = threads;
    this.log = log;
    this.failures = new FailureLog(log, time);
    this.journalFailed = journalFailed;
  }

  /** {@return what makes batches durable} */
  public Journal journal() {
    return journal;
  }

  /** {@return what objects have read lately} */
  public ValueCache values() {
    return values;
  }

  /** {@return what brings objects back to earlier states} */
  public PointInTimeRecovery recovery() {
    return recovery;
  }

  /** {@return the only clock} */
  public TimeSource time() {
    return time;
  }

  /** {@return what makes the virtual threads of events} */
  public ThreadFactory threads() {
    return threads;
  }

  /** {@return what finds alarms that are due; null if the runtime has none} */
  public @Nullable AlarmService alarms() {
    return alarms;
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
   * Notes a batch that messages leave without.
   *
   * @param position where it is in the journal
   */
  void noteUnconfirmed(long position) {
    lastUnconfirmed.accumulate(position);
  }

  /** {@return the position of the last batch that messages left without} */
  public long lastUnconfirmed() {
    return lastUnconfirmed.get();
  }

  /**
   * Reports what no caller can be told.
   *
   * @param message what happened
   * @param cause why, or where
   */
  public void warn(String message, @Nullable Throwable cause) {
    log.log(System.Logger.Level.WARNING, message, cause);
  }

  /**
   * Reports a failure of object code that no caller gets.
   *
   * @param kind what has failed
   * @param object of which object
   * @param message names the object
   * @param failure why
   */
  public void warnOfFailure(
      FailureLog.Kind kind, ObjectKey object, String message, Throwable failure) {
    failures.warn(kind, object.namespace(), message, failure);
  }

  /**
   * Notes what matters only to who looks for a fault in object code.
   *
   * @param message what happened
   * @param cause why, or where
   */
  public void note(String message, Throwable cause) {
    log.log(System.Logger.Level.DEBUG, message, cause);
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
