package dev.holdfast.alarms;

import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.storage.MissedRuns;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The state transitions of an alarm, as pure functions of the alarm, the time and a random number.
 * Thread-safe.
 */
final class AlarmRules {

  private final RandomGenerator random;

  AlarmRules(RandomGenerator random) {
    this.random = random;
  }

  AlarmRecord first(String name, String schedule, long nowMillis) {
    Schedule parsed = Schedule.parse(schedule);
    OptionalLong first = parsed.after(nowMillis);
    if (first.isEmpty()) {
      throw new IllegalArgumentException("The schedule has no due time: " + schedule);
    }
    return new AlarmRecord(name, State.PENDING, first.getAsLong(), first.getAsLong(), 0, schedule);
  }

  /** See {@link dev.holdfast.spi.AlarmService#admit}. */
  AlarmRecord admit(AlarmRecord alarm, long nowMillis) {
    if (alarm.schedule().isEmpty()
        || alarm.retryCount() > 0
        || nowMillis - alarm.scheduledMillis() <= AlarmBounds.MISSED_MILLIS) {
      return alarm;
    }
    Schedule schedule = Schedule.parse(alarm.schedule());
    if (schedule.missed() == MissedRuns.ALL) {
      return alarm;
    }
    long last = schedule.lastUntil(alarm.scheduledMillis(), nowMillis);
    boolean isMissed = nowMillis - last > AlarmBounds.MISSED_MILLIS;
    if (schedule.missed() == MissedRuns.ONCE || !isMissed) {
      return pending(alarm, last);
    }
    OptionalLong next = schedule.after(last);
    return next.isEmpty() ? alarm : pending(alarm, next.getAsLong());
  }

  /** See {@link dev.holdfast.spi.AlarmService#afterSuccess}. */
  @Nullable AlarmRecord afterRun(AlarmRecord fired, long nowMillis) {
    if (fired.schedule().isEmpty()) {
      return null;
    }
    Schedule schedule = Schedule.parse(fired.schedule());
    OptionalLong next = schedule.after(fired.scheduledMillis());
    if (next.isEmpty()) {
      return null;
    }
    AlarmRecord following = pending(fired, next.getAsLong());
    // Otherwise the clock was corrected while the handler ran.
    return fired.scheduledMillis() <= nowMillis
        ? following
        : reckoned(following, schedule, nowMillis);
  }

  /**
   * See {@link dev.holdfast.spi.AlarmService#reckon}. Without a clock fault, the next time of a
   * schedule is before the second of its future times, because the next time is set when the
   * previous one has come. If the clock was set back by less than that, nothing is done: so no time
   * runs twice, and an alarm is delayed by at most two of them.
   */
  AlarmRecord reckon(AlarmRecord alarm, AlarmPolicy policy, long nowMillis) {
    if (alarm.state() != State.PENDING || alarm.dueMillis() <= nowMillis) {
      return alarm;
    }
    if (!alarm.schedule().isEmpty() && alarm.scheduledMillis() > nowMillis) {
      AlarmRecord reckoned = reckoned(alarm, Schedule.parse(alarm.schedule()), nowMillis);
      if (!reckoned.equals(alarm)) {
        return reckoned;
      }
    }
    return alarm.retryCount() == 0 ? alarm : retryReckoned(alarm, policy, nowMillis);
  }

  private static AlarmRecord reckoned(AlarmRecord alarm, Schedule schedule, long nowMillis) {
    OptionalLong next = schedule.after(nowMillis);
    OptionalLong second = next.isEmpty() ? next : schedule.after(next.getAsLong());
    return second.isEmpty() || alarm.scheduledMillis() <= second.getAsLong()
        ? alarm
        : pending(alarm, schedule.firstBehind(nowMillis, alarm.scheduledMillis()));
  }

  /**
   * A retry is due one delay after its failure, so by the same clock it is never two delays ahead.
   */
  private AlarmRecord retryReckoned(AlarmRecord alarm, AlarmPolicy policy, long nowMillis) {
    long delayMillis = delayMillis(policy, alarm.retryCount());
    long dueMillis = Math.max(alarm.scheduledMillis(), nowMillis + delayMillis);
    return alarm.dueMillis() <= dueMillis + delayMillis
        ? alarm
        : new AlarmRecord(
            alarm.name(),
            State.PENDING,
            dueMillis,
            alarm.scheduledMillis(),
            alarm.retryCount(),
            alarm.schedule(),
            alarm.headers());
  }

  /**
   * {@return whether {@link #reckon} changes an alarm; cheap if it fires once}
   *
   * <p>False for an alarm whose schedule cannot be read: its run reports that.
   */
  boolean standsStill(AlarmRecord alarm, AlarmPolicy policy, long nowMillis) {
    try {
      return !reckon(alarm, policy, nowMillis).equals(alarm);
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** See {@link dev.holdfast.spi.AlarmService#afterFailure}. */
  AlarmRecord afterFailure(AlarmRecord fired, boolean retry, AlarmPolicy policy, long nowMillis) {
    if (retry && fired.retryCount() < policy.retriesMax()) {
      int count = fired.retryCount() + 1;
      AlarmRecord again =
          new AlarmRecord(
              fired.name(),
              State.PENDING,
              Math.max(fired.scheduledMillis(), nowMillis + delayMillis(policy, count)),
              fired.scheduledMillis(),
              count,
              fired.schedule(),
              fired.headers());
      // Otherwise the clock was corrected while the handler ran.
      return fired.scheduledMillis() <= nowMillis ? again : reckon(again, policy, nowMillis);
    }
    AlarmRecord next = afterRun(fired, nowMillis);
    return next != null
        ? next
        : new AlarmRecord(
            fired.name(),
            State.ABANDONED,
            nowMillis,
            fired.scheduledMillis(),
            fired.retryCount() + 1,
            fired.schedule(),
            fired.headers());
  }

  /** {@return the delay after the n-th consecutive failure} */
  long delayMillis(AlarmPolicy policy, int failures) {
    long max = millisOf(policy.retryDelayMax());
    long delay = Math.min(millisOf(policy.retryDelay()), max);
    for (int doubling = 1; doubling < failures && delay > 0 && delay < max; doubling++) {
      delay = Math.min(delay * 2, max);
    }
    long jitter = (long) (delay * policy.jitter());
    return delay + (jitter == 0 ? 0 : random.nextLong(jitter + 1));
  }

  private static long millisOf(Duration delay) {
    return delay.compareTo(AlarmBounds.DELAY_MAX) < 0
        ? delay.toMillis()
        : AlarmBounds.DELAY_MAX.toMillis();
  }

  /** Another run of a schedule. */
  private static AlarmRecord pending(AlarmRecord alarm, long millis) {
    return new AlarmRecord(
        alarm.name(), State.PENDING, millis, millis, 0, alarm.schedule(), alarm.headers());
  }
}
