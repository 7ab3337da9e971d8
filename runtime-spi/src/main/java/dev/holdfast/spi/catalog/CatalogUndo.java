package dev.holdfast.spi.catalog;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a restore changes in the catalog: gathered from the batches that it undoes, newest first.
 * Owned by one thread.
 */
public final class CatalogUndo {

  private @Nullable List<AlarmRecord> alarmsNow;
  private @Nullable List<AlarmRecord> alarmsThen;

  /** Creates the undo of nothing. */
  public CatalogUndo() {}

  /**
   * Goes back behind a batch.
   *
   * @param change what it says; null for nothing
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
   * {@return the alarms at the moment}
   *
   * @param present the alarms now
   */
  public List<AlarmRecord> alarmsThen(List<AlarmRecord> present) {
    return alarmsThen != null ? alarmsThen : present;
  }

  /**
   * {@return what the batch of the restore says}
   *
   * @param key the object
   * @param hasData whether the object has data after the restore
   * @param present the alarms now: those that no batch has changed since stay
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
