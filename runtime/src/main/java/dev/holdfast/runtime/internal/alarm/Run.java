package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.runtime.internal.instance.TurnDelivery;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Delays;
import dev.holdfast.runtime.internal.turn.EngineServices;
import dev.holdfast.runtime.internal.turn.FiringAlarm;
import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.AlarmTarget.Outcome;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One run of an alarm's handler, as an event of its object. What the object has stored decides
 * whether it is run at all; the index is only a hint. The removal of the alarm, its retry or its
 * next time are written in the last turn of the handler, and so are one batch with what that
 * writes.
 *
 * <p>Owned by the thread that runs the alarm.
 */
final class Run implements TurnDelivery {

  private final AlarmService service;
  private final ObjectKey key;
  private final String name;
  private final long dueMillis;
  private final Duration timeLimit;

  /** What was found stored and is being run; null before. */
  private @Nullable AlarmRecord stored;

  /** What the handler was told of: the stored alarm, or a later run of its schedule. */
  private @Nullable AlarmRecord fired;

  /** Why the handler failed, and what the alarm became; null if it did not fail. */
  private @Nullable Throwable failure;

  private @Nullable AlarmRecord next;

  /** Written by the thread that runs the handler, read by the one that watches its time. */
  private volatile boolean over;

  Run(AlarmService service, AlarmEntry entry, Duration timeLimit) {
    this.service = service;
    this.key = entry.key();
    this.name = entry.alarm().name();
    this.dueMillis = entry.alarm().dueMillis();
    this.timeLimit = timeLimit;
  }

  /** {@return what is stored of the alarm that the handler was run for; null if it was not run} */
  @Nullable AlarmRecord stored() {
    return fired == null ? null : stored;
  }

  /** {@return what the handler was told of; null if it was not run} */
  @Nullable AlarmRecord fired() {
    return fired;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Nullable AlarmRecord next() {
    return next;
  }

  @Override
  public Outcome deliver(Turns turns, Target target) throws Throwable {
    AlarmRecord found = ObjectAlarms.find(Stored.alarms(turns), name);
    if (found == null || found.state() != State.PENDING) {
      return Outcome.GONE;
    }
    long nowMillis = turns.services().time().wallMillis();
    if (found.dueMillis() > nowMillis) {
      AlarmRecord reckoned = service.reckon(new AlarmEntry(key, found), nowMillis);
      if (!reckoned.equals(found)) {
        Stored.replace(turns, name, reckoned);
        return Outcome.DONE;
      }
      return found.dueMillis() == dueMillis ? Outcome.NOT_DUE : Outcome.GONE;
    }
    stored = found;
    AlarmRecord admitted = service.admit(new AlarmEntry(key, found), nowMillis);
    if (admitted.dueMillis() > nowMillis) {
      Stored.replace(turns, name, admitted);
      return Outcome.DONE;
    }
    fired = admitted;
    FiringAlarm firing = new FiringAlarm(name);
    TimeSource.Timer limit = limit(turns);
    try {
      turns.setFiringAlarm(firing);
      handle(turns, target.object(), admitted);
      settle(turns, firing, service.afterSuccess(entry(admitted), now(turns)));
    } catch (Exception e) {
      if (turns.isReset()) {
        throw e;
      }
      fail(turns, firing, e);
    } finally {
      over = true;
      limit.cancel();
      // After a reset the turn is not ours any more, and nobody looks at this.
      turns.setFiringAlarm(null);
    }
    // A handler that failed may have set its alarm to the same time as well as one that did not.
    return found.equals(ObjectAlarms.find(Stored.alarms(turns), name))
        ? Outcome.AGAIN
        : Outcome.DONE;
  }

  private TimeSource.Timer limit(Turns turns) {
    EngineServices services = turns.services();
    return services
        .time()
        .schedule(
            Delays.nanosOf(timeLimit),
            // On a thread of its own: a reset may release a store, and tells those who wait, which
            // runs code of the application. All timers of the runtime share one thread.
            () -> start(services, () -> resetUnlessOver(turns)));
  }

  private static void start(EngineServices services, Runnable work) {
    Runnable followed = services.time().follow(work);
    boolean started = false;
    try {
      services.start(followed);
      started = true;
    } finally {
      if (!started) {
        services.time().unfollow(followed);
      }
    }
  }

  private void resetUnlessOver(Turns turns) {
    if (!over) {
      turns.reset("Alarm exceeded its allowed execution time.", null);
    }
  }

  private void handle(Turns turns, Object object, AlarmRecord alarm) throws Exception {
    if (object instanceof AlarmHandler handler) {
      handler.alarm(
          new AlarmInfo(name, Instant.ofEpochMilli(alarm.scheduledMillis()), alarm.retryCount()));
    } else {
      turns
          .services()
          .warn(
              "An alarm of "
                  + key
                  + " was dropped: "
                  + object.getClass().getName()
                  + " does not implement AlarmHandler any more.",
              null);
    }
    // A handler that swallowed the unwinding of a reset ends here all the same.
    turns.check();
  }

  private void fail(Turns turns, FiringAlarm firing, Exception e) {
    failure = e;
    if (firing.isDeferred()) {
      AlarmRecord again =
          service.afterFailure(
              entry(fired == null ? stored() : fired),
              !(e instanceof AbandonAlarmException),
              now(turns));
      settle(turns, firing, again);
      next = again;
    }
  }

  /** What the object has set or deleted meanwhile counts more than what comes of this run. */
  private void settle(Turns turns, FiringAlarm firing, @Nullable AlarmRecord successor) {
    if (firing.isDeferred()) {
      Stored.replace(turns, name, successor);
    }
  }

  private AlarmEntry entry(@Nullable AlarmRecord alarm) {
    if (alarm == null) {
      throw new IllegalStateException("The alarm was not run.");
    }
    return new AlarmEntry(key, alarm);
  }

  private static long now(Turns turns) {
    return turns.services().time().wallMillis();
  }
}
