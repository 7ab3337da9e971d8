package dev.holdfast.spi.catalog;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The catalog change of a restore: collected from the batches that it undoes, newest first.
 * Confined to one thread.
 */
public final class CatalogUndo {

  private @Nullable List<AlarmRecord> alarmsNow;
  private @Nullable List<AlarmRecord> alarmsThen;

  /** Creates an empty undo. */
  public CatalogUndo() {}

  /**
   * Adds a batch to undo.
   *
   * @param change the catalog change of the batch; null for none
   */
  public void undo(@Nullable CatalogChange change) {
    CatalogChange.Alarms alarms = change == null ? null : change.alarms();
    if (alarms != null) {
      if (alarmsNow == null) {
        alarmsNow = alarms.after();
      }
      alarmsThen = alarms.before();
    }
  }

  /**
   * {@return the alarms at the moment to restore}
   *
   * @param present the alarms now
   */
  public List<AlarmRecord> alarmsThen(List<AlarmRecord> present) {
    return alarmsThen != null ? alarmsThen : present;
  }

  /**
   * {@return the catalog change of the restore}
   *
   * @param key the object
   * @param hasData whether the object has data after the restore
   * @param present the alarms now: kept if no undone batch has changed them
   */
  public CatalogChange toChange(ObjectKey key, boolean hasData, List<AlarmRecord> present) {
    List<AlarmRecord> now = alarmsNow;
    List<AlarmRecord> then = alarmsThen;
    CatalogChange.Alarms alarms =
        now == null || then == null ? null : new CatalogChange.Alarms(then, now);
    boolean exists = hasData || !alarmsThen(present).isEmpty();
    return new CatalogChange(exists, exists ? key.id().name().orElse(null) : null, alarms);
  }
}
