package dev.holdfast.journal.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What the views of a node have recorded in rounds.
 *
 * @param end the last record of the last round; 0 if there was none
 * @param reach the last record that the files of the objects may have got from a round or a
 *     takeover, also one that was not finished
 * @param records in the order of their positions
 */
public record Bases(long end, long reach, List<LocalRecord> records) {

  public static final Bases NONE = new Bases(0, 0, List.of());

  public Bases {
    records = List.copyOf(records);
  }

  /**
   * {@return these after a round}
   *
   * @param lowWaterMark records before it are not needed any more
   * @param roundEnd the last record of the round
   * @param added what the views have recorded in it
   */
  public Bases after(long lowWaterMark, long roundEnd, List<LocalRecord> added) {
    List<LocalRecord> kept = new ArrayList<>();
    for (LocalRecord record : records) {
      if (record.position() >= lowWaterMark) {
        kept.add(record);
      }
    }
    kept.addAll(added);
    kept.sort(Comparator.comparingLong(LocalRecord::position)); // stable
    return new Bases(roundEnd, Math.max(reach, roundEnd), kept);
  }

  /** {@return these with files that may have got all records up to a position} */
  public Bases reaching(long position) {
    return new Bases(end, Math.max(reach, position), records);
  }
}
