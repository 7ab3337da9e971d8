package dev.holdfast.pitr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Every position in a record about restores is another one in another journal. */
class MovedRestoresTest {

  private static RestoreRecord moved(RestoreRecord record) {
    return RestoreRecord.decode(MovedRestores.of(record.encode(), position -> position / 2));
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
