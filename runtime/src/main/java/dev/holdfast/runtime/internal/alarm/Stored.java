package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.StoreTurn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The stored alarms of the object whose turn the current thread runs. Stateless. */
final class Stored {

  private Stored() {}

  static List<AlarmRecord> alarms(Turns turns) {
    StoreTurn turn = turns.storeTurn();
    try {
      return turn.alarms();
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }

  static void replace(Turns turns, String name, @Nullable AlarmRecord replacement) {
    StoreTurn turn = turns.storeTurn();
    turns.confirmWrites();
    try {
      turn.setAlarms(ObjectAlarms.with(turn.alarms(), name, replacement));
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }
}
