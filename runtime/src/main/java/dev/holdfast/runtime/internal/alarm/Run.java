package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.TimeSource;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.runtime.internal.instance.TurnDelivery;
import dev.holdfast.runtime.internal.jfr.AlarmRunEvent;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.statistics.NamespaceRecorder;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.FiringAlarm;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.AlarmTarget.Outcome;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ExecutionStatus.Kind;
import dev.holdfast.statistics.ResetReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One run of an alarm's handler, as an event of its object. The stored alarm decides whether the
 * handler runs; the index is only a hint. The last turn of the handler removes the alarm, or writes
 * its retry or next time, in one batch with the writes of that turn.
 *
 * <p>Owned by the thread that runs the alarm.
 */
final class Run implements TurnDelivery {

  private static final long NANOS_IN_MILLI = 1_000_000;

  private final AlarmService service;
  private final ObjectKey key;
  private final String name;
  private final long dueMillis;
  private final Instances instances;

  /** The stored alarm that is being run; null before. */
  private @Nullable AlarmRecord stored;

  /** The alarm that the handler receives: the stored one, or a later run of its schedule. */
  private @Nullable AlarmRecord fired;

  /** Why the handler failed, and the alarm that follows; null if it did not fail. */
  private @Nullable Throwable failure;

  private @Nullable AlarmRecord next;

  /** Whether the handler has begun, and its end is not counted. */
  private boolean running;

  private long lateMillis;
  private @Nullable AlarmRunEvent event;

  /**
   * Written by the thread that runs the handler, read by the thread that enforces its time limit.
   */
  private volatile boolean over;

  Run(AlarmService service, AlarmEntry entry, Instances instances) {
    this.service = service;
    this.key = entry.key();
    this.name = entry.alarm().name();
    this.dueMillis = entry.alarm().dueMillis();
    this.instances = instances;
  }

  /** {@return the stored alarm that the handler was run for; null if it was not run} */
  @Nullable AlarmRecord stored() {
    return fired == null ? null : stored;
  }

  /** {@return the alarm that the handler received; null if it was not run} */
  @Nullable AlarmRecord fired() {
    return fired;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Nullable AlarmRecord next() {
    return next;
  }

  /**
   * Counts the end of the run, if the handler was run; once. Called when the outcome is durable or
   * lost: a handler whose writes cannot be committed has failed.
   *
   * @param recorder of the namespace
   * @param threw whether the run was ended by an exception
   */
  void end(NamespaceRecorder recorder, boolean threw) {
    AlarmRecord admitted = fired;
    if (!running || admitted == null) {
      return;
    }
    running = false;
    boolean failed = threw || failure != null;
    recorder.alarmEnds(failed);
    AlarmRunEvent ended = event;
    if (ended != null) {
      ended.end(key, admitted, lateMillis, failed);
    }
  }

  @Override
  public Kind kind() {
    return Kind.ALARM;
  }

  @Override
  public String operationName() {
    return "alarm";
  }

  @Override
  public Outcome deliver(Turn turn, Target target) throws Throwable {
    AlarmRecord found = ObjectAlarms.find(Stored.alarms(turn), name);
    if (found == null || found.state() != State.PENDING) {
      return Outcome.GONE;
    }
    long nowMillis = turn.parts().time().wallMillis();
    if (found.dueMillis() > nowMillis) {
      AlarmRecord reckoned = service.reckon(new AlarmEntry(key, found), nowMillis);
      if (!reckoned.equals(found)) {
        Stored.replace(turn, name, reckoned);
        return Outcome.DONE;
      }
      return found.dueMillis() == dueMillis ? Outcome.NOT_DUE : Outcome.GONE;
    }
    // In the turn: the wait for it may have been long, and what the handler does outside cannot be
    // held back.
    OutputGate.awaitOwnership(turn.parts().journal());
    stored = found;
    AlarmRecord admitted = service.admit(new AlarmEntry(key, found), nowMillis);
    if (admitted.dueMillis() > nowMillis) {
      Stored.replace(turn, name, admitted);
      return Outcome.DONE;
    }
    fired = admitted;
    FiringAlarm firing = new FiringAlarm(name);
    TimeSource.Timer limit = limit(turn);
    lateMillis = nowMillis - admitted.dueMillis();
    event = FlightRecording.isPossible() ? AlarmRunEvent.begun() : null;
    turn.recorder().alarmBegins(lateMillis * NANOS_IN_MILLI);
    running = true;
    try {
      turn.work().setFiringAlarm(firing);
      handle(turn, target, admitted);
      settle(turn, firing, service.afterSuccess(entry(admitted), now(turn)));
    } catch (Exception e) {
      if (turn.isReset()) {
        throw e;
      }
      if (isOfClose(e)) {
        turn.parts().log().note("An alarm of " + key + " failed during the close; it stays.", e);
        throw e;
      }
      fail(turn, firing, e);
    } finally {
      over = true;
      limit.cancel();
      // After a reset the turn belongs to another instance, and nothing reads this field.
      turn.work().setFiringAlarm(null);
    }
    // A handler may set its alarm to the same time, whether it fails or not.
    return found.equals(ObjectAlarms.find(Stored.alarms(turn), name))
        ? Outcome.AGAIN
        : Outcome.DONE;
  }

  /**
   * A runtime that closes refuses calls that a handler still makes, so the failure may not be one
   * of the handler: the alarm stays as it was.
   */
  private boolean isOfClose(Exception e) {
    return !instances.isOpen() && !(e instanceof AbandonAlarmException);
  }

  private TimeSource.Timer limit(Turn turn) {
    EngineParts parts = turn.parts();
    return parts
        .time()
        .schedule(
            Delays.nanosOf(instances.options().alarms().timeLimit()),
            // On a separate thread: a reset may release a store, and it fails waiting callers,
            // which runs code of the application. All timers of the runtime share one thread.
            () -> parts.time().newThread(() -> resetUnlessOver(turn)).start());
  }

  private void resetUnlessOver(Turn turn) {
    if (!over) {
      turn.reset(ResetReason.ALARM_TIMEOUT, "Alarm exceeded its allowed execution time.", null);
    }
  }

  private void handle(Turn turn, Target target, AlarmRecord alarm) throws Throwable {
    Execution execution = turn.check();
    Filters filters = instances.filters();
    execution.setHeaders(
        filters == null ? alarm.headers() : filters.withoutContext(alarm.headers()));
    Object object = target.object();
    if (object instanceof AlarmHandler handler) {
      AlarmInfo info =
          new AlarmInfo(name, Instant.ofEpochMilli(alarm.scheduledMillis()), alarm.retryCount());
      if (filters == null) {
        handler.alarm(info);
      } else {
        filters
            .contextOf(alarm.headers())
            .around(
                () ->
                    filters.deliver(
                        execution, new AlarmArrival(turn.key(), handler, info, target.storage())));
      }
    } else {
      turn.parts()
          .report(
              LogEvent.ALARM_DROPPED,
              key,
              () ->
                  (name.equals(AlarmRecord.OWN)
                          ? "The alarm of "
                          : "The alarm \"" + name + "\" of ")
                      + key
                      + " was due at "
                      + Instant.ofEpochMilli(alarm.scheduledMillis())
                      + " and is dropped: "
                      + object.getClass().getName()
                      + " does not implement AlarmHandler. Implement it, and set the alarm again.",
              null);
    }
    // Ends a handler that swallowed the exception of a reset.
    turn.check();
  }

  private void fail(Turn turn, FiringAlarm firing, Exception e) {
    failure = e;
    if (firing.isDeferred()) {
      AlarmRecord again =
          service.afterFailure(
              entry(fired == null ? stored() : fired),
              !(e instanceof AbandonAlarmException),
              now(turn));
      settle(turn, firing, again);
      next = again;
    }
  }

  /** A change by the object meanwhile takes precedence over the result of this run. */
  private void settle(Turn turn, FiringAlarm firing, @Nullable AlarmRecord successor) {
    if (firing.isDeferred()) {
      Stored.replace(turn, name, successor);
    }
  }

  private AlarmEntry entry(@Nullable AlarmRecord alarm) {
    if (alarm == null) {
      throw new IllegalStateException("The alarm was not run.");
    }
    return new AlarmEntry(key, alarm);
  }

  private static long now(Turn turn) {
    return turn.parts().time().wallMillis();
  }
}
