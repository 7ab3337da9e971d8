package dev.holdfast.runtime.internal.turn;

import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.runtime.internal.cache.ValueCache;
import dev.holdfast.runtime.internal.outbox.Outbox;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.StorageBackend;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one runtime, which all its instances share. Immutable; the parts are thread-safe.
 *
 * @param journal makes batches durable
 * @param backends store the data, by kind
 * @param recovery restores objects to earlier states
 * @param time the only clock
 * @param threads creates the virtual threads of events
 * @param random for unique ids
 * @param values what objects have read recently
 * @param alarms finds alarms that are due; null if the runtime has none
 * @param files the format of the files of single objects; null if the runtime has none
 * @param archive archives the journal
 * @param outbox the ways out of objects
 * @param log receives events, and failures that no caller gets
 * @param failure stops the runtime
 * @param deadlocks finds circles of critical sections
 * @param closedLast closed after the journal, in this order
 * @param shardRules whether objects of different slots are apart, as in a cluster
 */
public record EngineParts(
    Journal journal,
    Map<StorageKind, StorageBackend> backends,
    PointInTimeRecovery recovery,
    TimeSource time,
    ThreadFactory threads,
    RandomGenerator random,
    ValueCache values,
    @Nullable AlarmService alarms,
    @Nullable ObjectFileFormat files,
    JournalArchive archive,
    Outbox outbox,
    EventLog log,
    EngineFailure failure,
    DeadlockDetector deadlocks,
    List<AutoCloseable> closedLast,
    boolean shardRules) {

  /**
   * {@return whether these are the parts of the same runtime}
   *
   * @param other the parts of a runtime
   */
  public boolean isSameRuntime(EngineParts other) {
    return failure == other.failure;
  }

  /**
   * Reports what no caller gets.
   *
   * @param message what happened
   * @param cause why, or where
   */
  public void warn(String message, @Nullable Throwable cause) {
    log.warn(message, cause);
  }

  /**
   * Reports an event of the whole runtime.
   *
   * @param event what happened
   * @param text the rest of the line
   * @param cause why, or where
   */
  public void report(LogEvent event, String text, @Nullable Throwable cause) {
    log.log(event, text, cause);
  }

  /**
   * Reports an event of an object.
   *
   * @param event what happened
   * @param object the object
   * @param text the rest of the line, which names the object
   * @param cause why, or where
   */
  public void report(
      LogEvent event, ObjectKey object, Supplier<String> text, @Nullable Throwable cause) {
    log.log(event, object, text, cause);
  }

  /**
   * Stops the runtime because the journal has failed.
   *
   * @param thrown the exception of the journal
   */
  public void journalFailed(RuntimeException thrown) {
    failure.journalFailed(thrown);
  }

  /**
   * Stops the runtime because an unexpected error struck in the engine's own work.
   *
   * @param error the error
   */
  public void engineFailed(Throwable error) {
    failure.engineFailed(error);
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
