package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.runtime.internal.instance.TurnDelivery;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.spi.AlarmRecord;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Changes a stored alarm without the application's code, in a turn of the object: after a reset,
 * and for operators.
 *
 * @param name which alarm
 * @param condition whether the stored one is still the one that is meant
 * @param replacement what to put in its place; null for nothing
 */
record AlarmChange(String name, Predicate<AlarmRecord> condition, @Nullable AlarmRecord replacement)
    implements TurnDelivery {

  /** {@return whether it was changed} */
  @Override
  public Boolean deliver(Turns turns, Target target) {
    AlarmRecord stored = ObjectAlarms.find(Stored.alarms(turns), name);
    if (stored == null || !condition.test(stored)) {
      return false;
    }
    Stored.replace(turns, name, replacement);
    return true;
  }
}
