package dev.holdfast.pitr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Every position in a record about restores is another one in another journal. */
class MovedRestoresTest {

  private static RestoreRecord moved(RestoreRecord record) {
    return RestoreRecord.decode(
        MovedRestores.of(
            record.encode(), position -> position / 2, position -> (position + 1) / 2));
  }

  /** {@return a record of a journal that begins at 1000, in one that begins at 3} */
  private static RestoreRecord begun(RestoreRecord record) {
    return RestoreRecord.decode(
        MovedRestores.of(
            record.encode(),
            position -> Math.max(1, position - 997),
            position -> Math.max(1, position - 997)));
  }

  @Test
  void stateThatWasDroppedIsBeforeTheOneAtTheBeginning() {
    assertThat(begun(new RestoreRecord.Requested(new Bookmark(50, 998, false))))
        .isEqualTo(new RestoreRecord.Requested(new Bookmark(1, 1, false)));
    assertThat(begun(new RestoreRecord.Requested(new Bookmark(0, 0, false))))
        .as("0 is a state as well, and the epoch before all restores")
        .isEqualTo(new RestoreRecord.Requested(new Bookmark(0, 1, false)));
    assertThat(begun(new RestoreRecord.NoBatch(998))).isEqualTo(new RestoreRecord.NoBatch(1));
    assertThat(begun(new RestoreRecord.Requested(new Bookmark(50, 999, true))))
        .as("the state at the beginning")
        .isEqualTo(new RestoreRecord.Requested(new Bookmark(1, 2, true)));
  }

  @Test
  void ofRestoresThatWereDroppedTheLastIsKnown() {
    Bookmark dropped = new Bookmark(0, 20, false);
    Bookmark none = new Bookmark(0, 1, false);
    assertThat(
            begun(
                new RestoreRecord.Known(
                    new ObjectRestores(
                        null,
                        List.of(
                            new DoneRestore(30, 1, dropped),
                            new DoneRestore(50, 2, dropped),
                            new DoneRestore(1_200, 3, dropped))))))
        .isEqualTo(
            new RestoreRecord.Known(
                new ObjectRestores(
                    null, List.of(new DoneRestore(1, 2, none), new DoneRestore(203, 3, none)))));
  }

  @Test
  void eachPositionIsMovedAndTheEndOfAnEpochIsNone() {
    Bookmark target = new Bookmark(20, 31, true);
    Bookmark half = new Bookmark(10, 15, true);
    assertThat(moved(new RestoreRecord.Requested(target)))
        .isEqualTo(new RestoreRecord.Requested(half));
    assertThat(moved(new RestoreRecord.Requested(Bookmark.endOf(20))))
        .isEqualTo(new RestoreRecord.Requested(Bookmark.endOf(10)));
    assertThat(moved(new RestoreRecord.Withdrawn())).isEqualTo(new RestoreRecord.Withdrawn());
    assertThat(moved(new RestoreRecord.NoBatch(9))).isEqualTo(new RestoreRecord.NoBatch(4));
    assertThat(moved(new RestoreRecord.Purged(100, true)))
        .isEqualTo(new RestoreRecord.Purged(50, true));
    assertThat(moved(new RestoreRecord.Purged(101, true)))
        .as("the record before may be from before the purged ones")
        .isEqualTo(new RestoreRecord.Purged(51, true));
    assertThat(
            moved(
                new RestoreRecord.Known(
                    new ObjectRestores(
                        new PendingRestore(40, target),
                        List.of(new DoneRestore(20, 1_000, target))))))
        .isEqualTo(
            new RestoreRecord.Known(
                new ObjectRestores(
                    new PendingRestore(20, half), List.of(new DoneRestore(10, 1_000, half)))));
    assertThat(moved(new RestoreRecord.Known(new ObjectRestores(null, List.of()))))
        .isEqualTo(new RestoreRecord.Known(new ObjectRestores(null, List.of())));
  }
}
