package dev.holdfast.runtime.internal.storage;

import dev.holdfast.errors.AlarmException;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.FiringAlarm;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.StoreTurn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The alarms of an object as its code sees them, by the rules of table 7.1 of the reference. An
 * alarm whose handler runs is not visible until it is set again; an alarm that was given up is not
 * visible.
 *
 * <p>Confined to the object's turn.
 */
public final class ObjectAlarms {

  /** The last time whose nanoseconds since 1970 fit in a long, as in the reference. */
  private static final Instant LAST = Instant.ofEpochSecond(0, Long.MAX_VALUE);

  /** The instance whose alarms these are. */
  public interface Owner {

    /** {@return whether the object implements the handler of alarms} */
    boolean canHandleAlarms();

    /**
     * {@return what an alarm keeps}
     *
     * @param kept of the headers of the call; what they have in the place of a carrier is left out
     */
    Headers withContext(Headers kept);
  }

  private final Turn turns;
  private final Owner owner;

  /**
   * Creates the alarms of an instance.
   *
   * @param turns of the instance
   * @param owner the instance
   */
  public ObjectAlarms(Turn turns, Owner owner) {
    this.turns = turns;
    this.owner = owner;
  }

  Turn turns() {
    return turns;
  }

  /** {@return the time of an alarm, if it is visible to the object} */
  Optional<Instant> get(StoreTurn turn, String name) {
    AlarmRecord alarm = find(turn.alarms(), name);
    return alarm == null || !isVisible(alarm)
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(alarm.scheduledMillis()));
  }

  private boolean isVisible(AlarmRecord alarm) {
    FiringAlarm firing = turns.work().firingAlarm();
    return alarm.state() == State.PENDING && (firing == null || !firing.hides(alarm.name()));
  }

  /** {@return whether it is a schedule whose handler runs, with another run to follow} */
  private boolean isRunningSchedule(AlarmRecord alarm) {
    return alarm.state() == State.PENDING && !isVisible(alarm) && !alarm.schedule().isEmpty();
  }

  List<String> names(StoreTurn turn) {
    return turn.alarms().stream()
        .filter(alarm -> !alarm.name().equals(AlarmRecord.OWN))
        .filter(alarm -> isVisible(alarm) || isRunningSchedule(alarm))
        .map(AlarmRecord::name)
        .sorted()
        .toList();
  }

  /**
   * Checks that an alarm may be set.
   *
   * @param operation its name, for the message
   * @return the service of alarms
   */
  AlarmService check(String operation) {
    AlarmService service = turns.parts().alarms();
    if (service == null) {
      throw refusal("Alarms have not been configured for this runtime.");
    }
    if (!owner.canHandleAlarms()) {
      throw refusal(
          "Your object's class must implement AlarmHandler in order to call " + operation + "()");
    }
    return service;
  }

  /** {@return the time to fire, checked: a time in the past becomes now} */
  @SuppressWarnings("ConstantValue") // an application may ignore warnings
  long millis(Instant time) {
    if (time == null) {
      throw new IllegalArgumentException(
          "setAlarm() was called without a time; deleteAlarm() removes the alarm.");
    }
    if (!time.isAfter(Instant.EPOCH)) {
      throw new IllegalArgumentException("setAlarm() cannot be called with an alarm time <= 0");
    }
    return millisNotBefore(now(), time);
  }

  /**
   * {@return a time in milliseconds since 1970, not before the current time}
   *
   * @param nowMillis the current time, which replaces an earlier one
   * @param time any time, even one that does not fit in milliseconds
   * @throws IllegalArgumentException if it is after 2262-04-11T23:47:16.854Z
   */
  public static long millisNotBefore(long nowMillis, Instant time) {
    requireSupported(time);
    return time.isAfter(Instant.EPOCH) ? Math.max(time.toEpochMilli(), nowMillis) : nowMillis;
  }

  private static void requireSupported(Instant time) {
    if (time.isAfter(LAST)) {
      throw new IllegalArgumentException("This API doesn't support dates after 2262-04-11.");
    }
  }

  /**
   * Checks alarms that come from outside, such as a file: one whose schedule cannot be read would
   * fail each time it is due, for ever.
   *
   * @param alarms all alarms of an object
   * @param parts provides the service of alarms, and the clock
   * @throws IllegalArgumentException if no object can have them
   */
  public static void requireLegal(List<AlarmRecord> alarms, EngineParts parts) {
    try {
      GatedSchedules.requireLegal(
          alarms.stream().filter(alarm -> !alarm.name().equals(AlarmRecord.OWN)).toList(),
          parts.alarms(),
          parts.time().wallMillis());
    } catch (UnsupportedOperationException e) {
      throw new IllegalArgumentException(e.getMessage(), e); // a library of schedules is missing
    }
  }

  long now() {
    return turns.parts().time().wallMillis();
  }

  AlarmException refusal(String message) {
    return new AlarmException(turns.key().namespace(), turns.key().id(), message);
  }

  /** {@return a schedule's first alarm, checked as {@link #millis} does} */
  AlarmRecord first(AlarmService service, String name, String schedule) {
    AlarmRecord first = service.first(name, schedule, now());
    requireSupported(Instant.ofEpochMilli(first.dueMillis()));
    return first;
  }

  /**
   * {@return an alarm with the headers of the call that it keeps, and the context of the thread}
   *
   * @throws dev.holdfast.filter.HeadersException if it would keep too much
   */
  AlarmRecord withKept(AlarmRecord alarm) {
    return alarm.withHeaders(owner.withContext(turns.check().headers().kept()));
  }

  /** Puts an alarm in the place of one with the same name. */
  void set(StoreTurn turn, AlarmRecord alarm) {
    turn.setAlarms(with(turn.alarms(), alarm.name(), alarm));
    replaced(alarm.name());
  }

  /**
   * {@return whether a visible alarm or a schedule was deleted}
   *
   * <p>An alarm whose handler runs is not visible, but is deleted too: as in the reference runtime,
   * neither a failure nor a crash restores it, and a schedule has no further run.
   */
  boolean delete(StoreTurn turn, String name) {
    AlarmRecord alarm = find(turn.alarms(), name);
    if (alarm == null || alarm.state() != State.PENDING) {
      return false;
    }
    boolean known = isVisible(alarm) || isRunningSchedule(alarm);
    turn.setAlarms(with(turn.alarms(), name, null));
    replaced(name);
    return known;
  }

  private void replaced(String name) {
    FiringAlarm firing = turns.work().firingAlarm();
    if (firing != null) {
      firing.replaced(name);
    }
  }

  /**
   * {@return the alarm with a name, or null}
   *
   * @param alarms the alarms to search
   * @param name its name
   */
  public static @Nullable AlarmRecord find(List<AlarmRecord> alarms, String name) {
    for (AlarmRecord alarm : alarms) {
      if (alarm.name().equals(name)) {
        return alarm;
      }
    }
    return null;
  }

  /**
   * {@return a copy of a list with the alarm of a name replaced}
   *
   * @param alarms the list; not changed
   * @param name its name
   * @param replacement the alarm to store; null to remove it
   */
  public static List<AlarmRecord> with(
      List<AlarmRecord> alarms, String name, @Nullable AlarmRecord replacement) {
    List<AlarmRecord> changed = new ArrayList<>(alarms.size() + 1);
    for (AlarmRecord alarm : alarms) {
      if (!alarm.name().equals(name)) {
        changed.add(alarm);
      }
    }
    if (replacement != null) {
      changed.add(replacement);
    }
    return changed;
  }

  /** Runs an operation of the store turn; anything that it throws resets the instance. */
  <R extends @Nullable Object> R onStore(Function<StoreTurn, R> operation) {
    StoreTurn turn = turns.storeTurn();
    try {
      return operation.apply(turn);
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }
}
