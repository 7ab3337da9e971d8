package dev.holdfast.pitr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Records that are kept while the history is read, and the state after a restore that fails. */
class ReadingPastTest {

  private static final ObjectKey KEY = new ObjectKey("things", ObjectId.of(new byte[32], null));
  private static final int VIEW = 2;

  private final InMemoryJournal journal = new InMemoryJournal(InMemoryJournal.Durability.ON_APPEND);
  private final KeptRecords history = new KeptRecords(journal);
  private final JournaledRecovery recovery =
      new JournaledRecovery(
          journal, history, new VirtualClock(), Map.of("things", Duration.ofDays(30)));
  private int looks;
  private long last = Journal.START;

  private long append(RecordKind kind) {
    last = journal.append(kind, VIEW, KEY, ChainLink.after(last), ByteBuffer.allocate(1));
    return last;
  }

  private void requireThatNothingGoesDuringEachLook() {
    history.onLook =
        () -> {
          looks++;
          assertThat(recovery.historyFloor()).isLessThanOrEqualTo(history.oldestPosition());
        };
  }

  @Test
  void nothingGoesWhileABookmarkIsResolvedForADifferenceOrAFork() {
    append(RecordKind.BATCH);
    String bookmark = recovery.bookmark(KEY, 1, /* withNextBatch= */ true);
    append(RecordKind.BATCH);
    requireThatNothingGoesDuringEachLook();

    LaterBatches later = recovery.laterThan(KEY, bookmark);

    assertThat(looks).isPositive();
    assertThat(recovery.historyFloor()).isEqualTo(Long.MAX_VALUE);
    history.onLook = () -> assertThat(recovery.historyFloor()).isEqualTo(3);
    later.newestFirst(last, _ -> {});
  }

  @Test
  void nothingGoesWhileAPageOfTheHistoryIsRead() {
    append(RecordKind.BATCH);
    String bookmark = recovery.bookmark(KEY, 1, /* withNextBatch= */ true);
    append(RecordKind.BATCH);
    requireThatNothingGoesDuringEachLook();

    assertThat(recovery.history(KEY, 10, bookmark).entries()).hasSize(2);

    assertThat(looks).isPositive();
    assertThat(recovery.historyFloor()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void restoreThatFailsBehindItsRecordIsDone() {
    long first = append(RecordKind.BATCH);
    append(RecordKind.BATCH);
    String undo = recovery.requestRestore(KEY, recovery.bookmark(KEY, first, false)).undoBookmark();

    assertThatThrownBy(() -> recovery.restore(KEY, new FailingStore(/* appends= */ true)))
        .isInstanceOf(StorageFailedException.class);

    assertThat(recovery.isRestorePending(KEY)).isFalse();
    assertThat(recovery.restorations(KEY))
        .singleElement()
        .satisfies(done -> assertThat(done.undo()).isEqualTo(undo));
  }

  @Test
  void restoreThatFailsBeforeItsRecordIsStillAskedFor() {
    long first = append(RecordKind.BATCH);
    recovery.requestRestore(KEY, recovery.bookmark(KEY, first, false));

    assertThatThrownBy(() -> recovery.restore(KEY, new FailingStore(/* appends= */ false)))
        .isInstanceOf(StorageFailedException.class);

    assertThat(recovery.isRestorePending(KEY)).isTrue();
    assertThat(recovery.restorations(KEY)).isEmpty();
  }

  /** A store whose restores fail, after their record or before it. */
  private final class FailingStore implements ObjectStore {
    private final boolean appends;

    FailingStore(boolean appends) {
      this.appends = appends;
    }

    @Override
    public long restore(LaterBatches later) {
      if (appends) {
        append(RecordKind.RESTORE);
      }
      throw new StorageFailedException(KEY.namespace(), KEY.id(), "The disk is broken", null);
    }

    @Override
    public StoreTurn beginTurn() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void release() {}
  }
}
