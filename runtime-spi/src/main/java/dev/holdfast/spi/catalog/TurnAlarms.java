package dev.holdfast.spi.catalog;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The alarms of an object as a turn has changed them, for backends that write them when the turn is
 * sealed: a rollback to a savepoint then replaces one reference. Confined to the thread that runs
 * the turn.
 */
public final class TurnAlarms {

  private @Nullable List<AlarmRecord> alarms;

  /**
   * The value of {@link #alarms} when each savepoint was opened; created with the first savepoint.
   */
  private @Nullable Deque<Optional<List<AlarmRecord>>> savepoints;

  /** Creates the alarms of a turn that has not touched them. */
  public TurnAlarms() {}

  /** {@return all alarms of the object after the turn; null if it has not touched them} */
  public @Nullable List<AlarmRecord> get() {
    return alarms;
  }

  /**
   * Replaces the alarms; see {@link StoreTurn#setAlarms}.
   *
   * @param replacement all alarms
   */
  public void set(List<AlarmRecord> replacement) {
    alarms = List.copyOf(replacement);
  }

  /** See {@link StoreTurn#openSavepoint}. */
  public void openSavepoint() {
    if (savepoints == null) {
      savepoints = new ArrayDeque<>();
    }
    savepoints.push(Optional.ofNullable(alarms));
  }

  /**
   * See {@link StoreTurn#releaseSavepoint}.
   *
   * @throws IllegalStateException if no savepoint is open
   */
  public void releaseSavepoint() {
    innermost();
  }

  /**
   * See {@link StoreTurn#rollbackToSavepoint}.
   *
   * @throws IllegalStateException if no savepoint is open
   */
  public void rollbackToSavepoint() {
    alarms = innermost().orElse(null);
  }

  private Optional<List<AlarmRecord>> innermost() {
    if (savepoints == null || savepoints.isEmpty()) {
      throw new IllegalStateException("No savepoint is open.");
    }
    return savepoints.pop();
  }
}
