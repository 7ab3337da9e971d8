package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.runtime.internal.instance.TurnDelivery;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.AlarmRecord;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Changes a stored alarm without the application's code, in a turn of the object: after a reset,
 * and for operators.
 *
 * @param name the name of the alarm
 * @param condition whether to change the stored alarm
 * @param replacement the alarm to store instead; null to delete it
 */
record AlarmChange(String name, Predicate<AlarmRecord> condition, @Nullable AlarmRecord replacement)
    implements TurnDelivery {

  /** {@return whether the alarm was changed} */
  @Override
  public Boolean deliver(Turn turn, Target target) {
    AlarmRecord stored = ObjectAlarms.find(Stored.alarms(turn), name);
    if (stored == null || !condition.test(stored)) {
      return false;
    }
    Stored.replace(
        turn, name, replacement == null ? null : replacement.withHeaders(stored.headers()));
    return true;
  }
}
