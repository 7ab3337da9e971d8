package dev.holdfast.pitr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.ObjectId;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A moment between the parts of the undo of one batch needs all of them. */
class UndoPartsTest {

  private static final ObjectKey KEY = new ObjectKey("things", ObjectId.of(new byte[32], null));
  private static final ObjectKey OTHER = new ObjectKey("things", ObjectId.of(other(), null));
  private static final int VIEW = 2;

  private final InMemoryJournal journal = new InMemoryJournal(InMemoryJournal.Durability.ON_APPEND);
  private final KeptRecords history = new KeptRecords(journal);
  private final JournaledRecovery recovery =
      new JournaledRecovery(
          journal, history, new VirtualClock(), Map.of("things", Duration.ofDays(30)));

  private static byte[] other() {
    byte[] id = new byte[32];
    id[0] = 1;
    return id;
  }

  /** A batch at 1, parts at 3, 4, 6 and 7, their batch at 8. */
  private void deleteMuch(ObjectKey ownerOfThird) {
    append(RecordKind.BATCH, KEY, ChainLink.FIRST);
    append(RecordKind.BATCH, OTHER, ChainLink.FIRST);
    append(RecordKind.UNDO_PART, KEY, new ChainLink(1, 1));
    append(RecordKind.UNDO_PART, KEY, new ChainLink(1, 2));
    if (ownerOfThird.equals(KEY)) {
      journal.append(
          RecordKind.NOTE,
          RestoreLedger.VIEW_ID,
          KEY,
          new RestoreRecord.Known(ObjectRestores.NONE).encode());
    } else {
      append(RecordKind.BATCH, OTHER, ChainLink.after(2));
    }
    append(RecordKind.UNDO_PART, KEY, new ChainLink(1, 3));
    append(RecordKind.UNDO_PART, KEY, new ChainLink(1, 4));
    append(RecordKind.BATCH, KEY, new ChainLink(1, 4));
  }

  private void append(RecordKind kind, ObjectKey key, ChainLink link) {
    journal.append(kind, VIEW, key, link, ByteBuffer.allocate(1));
  }

  private static String between() {
    return new Bookmark(0, 6, /* withNextBatch= */ false).toText(KEY, KeptRecords.JOURNAL_ID);
  }

  private static List<Long> positions(LaterBatches later) {
    List<Long> positions = new ArrayList<>();
    later.newestFirst(8, record -> positions.add(record.position()));
    return positions;
  }

  @Test
  void everyPartIsVisited() {
    deleteMuch(OTHER);
    assertThat(positions(recovery.laterThan(KEY, between()))).containsExactly(8L, 7L, 6L, 4L, 3L);
  }

  @Test
  void recordsOfTheLedgerBetweenThePartsDoNotEndTheWalk() {
    deleteMuch(KEY);
    assertThat(positions(recovery.laterThan(KEY, between()))).containsExactly(8L, 7L, 6L, 4L, 3L);
  }

  @Test
  void historyStaysFromTheFirstPartOnWhileItIsRead() {
    deleteMuch(KEY);
    recovery
        .laterThan(KEY, between())
        .newestFirst(8, _ -> assertThat(recovery.historyFloor()).isEqualTo(3));
    assertThat(recovery.historyFloor()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void historyStaysFromTheFirstPartOnUntilTheRestoreIsDone() {
    deleteMuch(KEY);
    recovery.requestRestore(KEY, between());
    assertThat(recovery.historyFloor()).isEqualTo(3);
  }

  @Test
  void momentIsRefusedIfEarlierPartsMayBeGone() {
    deleteMuch(OTHER);
    LaterBatches later = recovery.laterThan(KEY, between());
    history.oldestPosition = 4;
    assertThatThrownBy(() -> positions(later)).isInstanceOf(BookmarkException.class);
    assertThatThrownBy(() -> recovery.laterThan(KEY, between()))
        .isInstanceOf(BookmarkException.class);
    assertThatThrownBy(() -> recovery.requestRestore(KEY, between()))
        .isInstanceOf(BookmarkException.class);
    assertThat(recovery.historyFloor()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void momentBeforeThePartsIsGivenThoughTheBatchBeforeItIsGone() {
    deleteMuch(OTHER);
    history.oldestPosition = 2;
    String before =
        new Bookmark(0, 2, /* withNextBatch= */ false).toText(KEY, KeptRecords.JOURNAL_ID);
    assertThat(positions(recovery.laterThan(KEY, before))).containsExactly(8L, 7L, 6L, 4L, 3L);
  }
}
