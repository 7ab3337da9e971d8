package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.AlarmOptions;
import dev.holdfast.AlarmStatus;
import dev.holdfast.InstanceResetException;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.AlarmTarget;
import dev.holdfast.spi.LogEvent;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs alarms that are due. The run itself stores a failure of the handler. If the object was reset
 * meanwhile, a separate turn stores it, without the application's code. Failures of the
 * infrastructure change nothing. Thread-safe.
 */
public final class AlarmRuns implements AlarmTarget {

  private final AlarmService service;
  private final Map<String, Instances> namespaces;
  private final EngineParts parts;
  private final AlarmOptions.Listener listener;

  /**
   * Creates the target.
   *
   * @param service computes the next state of an alarm after a run
   * @param namespaces the objects, by namespace
   * @param parts what instances share
   * @param listener is notified of failures
   */
  public AlarmRuns(
      AlarmService service,
      Map<String, Instances> namespaces,
      EngineParts parts,
      AlarmOptions.Listener listener) {
    this.service = service;
    this.namespaces = Map.copyOf(namespaces);
    this.parts = parts;
    this.listener = listener;
  }

  @Override
  public Outcome fire(AlarmEntry entry) {
    Instances instances = namespaces.get(entry.key().namespace());
    if (instances == null) {
      return Outcome.GONE;
    }
    ExecutionStack.current().keepCalls();
    Run run = new Run(service, entry, instances);
    try {
      Outcome outcome = (Outcome) instances.call(entry.key().id(), run, new Object[0]);
      run.end(instances.recorder(), /* threw= */ false);
      report(entry, run.failure(), run.next(), run.fired());
      return outcome == null ? Outcome.DONE : outcome;
    } catch (Throwable e) {
      // Anything that object code throws after a reset is a failure of the handler, too.
      run.end(instances.recorder(), /* threw= */ true);
      return afterReset(instances, entry, run, e);
    }
  }

  private Outcome afterReset(Instances instances, AlarmEntry entry, Run run, Throwable failure) {
    AlarmRecord stored = run.stored();
    AlarmRecord fired = run.fired();
    if (stored == null || fired == null || !isFaultOfHandler(failure)) {
      return unavailable(entry, failure);
    }
    AlarmRecord again =
        service.afterFailure(
            new AlarmEntry(entry.key(), fired), /* retry= */ true, parts.time().wallMillis());
    try {
      Object changed =
          instances.call(
              entry.key().id(),
              new AlarmChange(stored.name(), stored::equals, again),
              new Object[0]);
      report(entry, failure, Boolean.TRUE.equals(changed) ? again : null, fired);
      return Outcome.DONE;
    } catch (Throwable e) {
      // The failure could not be stored, so it does not count as an attempt.
      return unavailable(entry, e);
    }
  }

  private Outcome unavailable(AlarmEntry entry, Throwable failure) {
    if (!(failure instanceof RuntimeClosedException || failure instanceof JournalFailedException)) {
      parts
          .log()
          .note("An alarm of " + entry.key() + " could not be run; it is tried again.", failure);
    }
    return Outcome.UNAVAILABLE;
  }

  /** The objects of an alarm that was run: there are some. */
  private Instances instances(AlarmEntry entry) {
    return Objects.requireNonNull(namespaces.get(entry.key().namespace()));
  }

  private static boolean isFaultOfHandler(Throwable failure) {
    if (failure instanceof ObjectOverloadedException || isInfrastructure(failure)) {
      return false;
    }
    return !(failure instanceof InstanceResetException && isInfrastructure(failure.getCause()));
  }

  private static boolean isInfrastructure(@Nullable Throwable failure) {
    return failure instanceof StorageFailedException
        || failure instanceof JournalFailedException
        || failure instanceof DataDirectoryException
        || failure instanceof RuntimeClosedException;
  }

  /**
   * Reports a failure.
   *
   * @param next the alarm that follows; null if the object has set or deleted it meanwhile
   * @param fired the alarm as it was run
   */
  private void report(
      AlarmEntry entry,
      @Nullable Throwable failure,
      @Nullable AlarmRecord next,
      @Nullable AlarmRecord fired) {
    AlarmRecord reported = next == null ? fired : next;
    if (failure == null || reported == null) {
      return;
    }
    String namespace = entry.key().namespace();
    if (next == null || next.state() == AlarmRecord.State.ABANDONED || next.retryCount() == 0) {
      instances(entry).recorder().alarmGivenUp();
    }
    AlarmStatus status = status(new AlarmEntry(entry.key(), reported));
    try {
      if (next == null) {
        warn(
            LogEvent.ALARM_GIVEN_UP,
            entry,
            fired,
            "the object has set or deleted it meanwhile, so this run is not tried again.",
            failure);
        listener.superseded(namespace, status, failure);
      } else if (next.state() == AlarmRecord.State.ABANDONED || next.retryCount() == 0) {
        // A schedule that gives up a run continues with the next one, which has no attempt yet.
        warn(
            LogEvent.ALARM_GIVEN_UP,
            entry,
            fired,
            next.state() == AlarmRecord.State.ABANDONED
                ? "it was given up."
                : "this run was given up; the schedule goes on at "
                    + Instant.ofEpochMilli(next.dueMillis())
                    + ".",
            failure);
        listener.abandoned(namespace, status, failure);
      } else {
        warn(
            LogEvent.ALARM_FAILED,
            entry,
            fired,
            "it is tried again at " + Instant.ofEpochMilli(next.dueMillis()) + ".",
            failure);
        listener.failed(namespace, status, failure);
      }
    } catch (RuntimeException e) {
      parts.warn("The listener of alarms threw an exception.", e);
    }
  }

  private void warn(
      LogEvent event,
      AlarmEntry entry,
      @Nullable AlarmRecord fired,
      String consequence,
      Throwable failure) {
    String name = entry.alarm().name();
    parts.report(
        event,
        entry.key(),
        () ->
            (name.equals(AlarmRecord.OWN) ? "The alarm of " : "The alarm \"" + name + "\" of ")
                + entry.key()
                + " failed"
                + (fired == null ? "; " : " in attempt " + (fired.retryCount() + 1) + "; ")
                + consequence,
        failure);
  }

  static AlarmStatus status(AlarmEntry entry) {
    AlarmRecord alarm = entry.alarm();
    return new AlarmStatus(
        entry.key().id(),
        alarm.name(),
        Instant.ofEpochMilli(alarm.dueMillis()),
        Instant.ofEpochMilli(alarm.scheduledMillis()),
        alarm.retryCount());
  }
}
