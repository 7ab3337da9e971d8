package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.StoreTurn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The stored alarms of the object whose turn the current thread runs. Stateless. */
final class Stored {

  private Stored() {}

  static List<AlarmRecord> alarms(Turn turn) {
    StoreTurn store = turn.storeTurn();
    try {
      return store.alarms();
    } catch (RuntimeException | Error e) {
      turn.storageFailed(e);
      throw e;
    }
  }

  /** Without a door: it may follow the handler, in a method that has passed one. */
  static void replace(Turn turn, String name, @Nullable AlarmRecord replacement) {
    StoreTurn store = turn.provenStoreTurn();
    turn.work().confirmWrites();
    try {
      store.setAlarms(ObjectAlarms.with(store.alarms(), name, replacement));
    } catch (RuntimeException | Error e) {
      turn.storageFailed(e);
      throw e;
    }
  }
}
