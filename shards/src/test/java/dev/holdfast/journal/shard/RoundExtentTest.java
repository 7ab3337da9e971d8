package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the next round needs of batches in parts that a round has not read to their end. */
final class RoundExtentTest {

  private static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));

  private final TreeMap<Long, RecordKind> records = new TreeMap<>();

  private long needed(long epochPosition) {
    ReplicaRounds.Start start =
        new ReplicaRounds.Start(1, records.lastKey(), epochPosition, OwnedPositions.NONE);
    ReplicaRounds.Extent extent = new ReplicaRounds.Extent(1, start);
    JournalHistory.Reader reader =
        (position, _, _, visitor) -> {
          records
              .tailMap(position)
              .forEach(
                  (each, kind) ->
                      visitor.visit(
                          new JournalRecord(each, 0, kind, 1, KEY, null, ByteBuffer.allocate(0))));
          return records.lastKey() + 1;
        };
    extent.read(reader, 0, Long.MAX_VALUE);
    return extent.needed();
  }

  @Test
  void partsWithoutTheirBatchAreNeeded() {
    records.put(1L, RecordKind.BATCH);
    records.put(2L, RecordKind.UNDO_PART);
    records.put(3L, RecordKind.UNDO_PART);
    assertThat(needed(1)).isEqualTo(2);
    records.put(4L, RecordKind.BATCH);
    assertThat(needed(1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void partsThatAnEarlierOwnerHasGivenUpDoNotHideThoseOfTheNext() {
    records.put(1L, RecordKind.UNDO_PART);
    records.put(2L, RecordKind.UNDO_PART);
    records.put(3L, RecordKind.UNDO_PART);
    records.put(4L, RecordKind.UNDO_PART);
    assertThat(needed(3)).isEqualTo(3);
    assertThat(needed(5)).isEqualTo(Long.MAX_VALUE);
    assertThat(needed(0)).isEqualTo(1);
  }
}
