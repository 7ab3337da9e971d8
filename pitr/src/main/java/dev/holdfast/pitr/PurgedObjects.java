package dev.holdfast.pitr;

import dev.holdfast.pitr.RestoreRecord.Purged;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The objects whose history was purged, as the records of a journal say.
 *
 * @param all the objects
 * @param unfinished the ones whose purge the next opening continues
 */
public record PurgedObjects(Set<ObjectKey> all, Set<ObjectKey> unfinished) {

  /** Copies the sets. */
  public PurgedObjects {
    all = Set.copyOf(all);
    unfinished = Set.copyOf(unfinished);
  }

  /**
   * Reads up to which position the history of each is gone.
   *
   * @param records the records of a journal
   * @return the positions, by the objects
   * @throws IllegalArgumentException if a record is not one of this version
   */
  public static Map<ObjectKey, Long> endsIn(RecoveryLog records) {
    Map<ObjectKey, Long> ends = new HashMap<>();
    records.forEachFrom(
        records.oldestPosition(),
        (view, _) -> view == RestoreLedger.VIEW_ID,
        record -> {
          if (RestoreRecord.decode(record.payload()) instanceof Purged purged) {
            ends.merge(record.key(), purged.position(), Math::max);
          }
        });
    return ends;
  }

  /**
   * Reads them.
   *
   * @param records the records of a journal, from the first on
   * @return the objects
   * @throws IllegalArgumentException if a record is not one of this version
   */
  public static PurgedObjects in(RecoveryLog records) {
    Set<ObjectKey> all = new HashSet<>();
    Set<ObjectKey> unfinished = new HashSet<>();
    records.forEachFrom(
        1,
        (view, _) -> view == RestoreLedger.VIEW_ID,
        record -> {
          if (RestoreRecord.decode(record.payload()) instanceof Purged purged) {
            all.add(record.key());
            if (purged.isDone()) {
              unfinished.remove(record.key());
            } else {
              unfinished.add(record.key());
            }
          }
        });
    return new PurgedObjects(all, unfinished);
  }
}
