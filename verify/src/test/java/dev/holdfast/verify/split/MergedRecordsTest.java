package dev.holdfast.verify.split;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.journal.check.RecordCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Records of several journals, by their times. */
class MergedRecordsTest {

  private static final long NOW = 1_000;
  private static final ObjectKey KEY =
      new ObjectKey("sql", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], "one"));

  private static JournalRecord change(long wallMillis) {
    return record(wallMillis, RecordKind.NOTE, 16);
  }

  private static JournalRecord events(long wallMillis) {
    return record(wallMillis, RecordKind.CHECKPOINT, Journal.EVENTS_VIEW_ID);
  }

  private static JournalRecord record(long wallMillis, RecordKind kind, int viewId) {
    return new JournalRecord(1, wallMillis, kind, viewId, KEY, null, ByteBuffer.allocate(0));
  }

  private static RecordCursor cursor(List<JournalRecord> records) {
    Iterator<JournalRecord> all = records.iterator();
    return new RecordCursor() {
      @Override
      public @Nullable JournalRecord next() {
        return all.hasNext() ? all.next() : null;
      }

      @Override
      public void close() {}
    };
  }

  /** {@return the records in their order: a source and a time} */
  private static List<String> merged(List<JournalRecord> one, List<JournalRecord> other)
      throws Exception {
    List<String> found = new ArrayList<>();
    try (MergedRecords merged = new MergedRecords(List.of(cursor(one), cursor(other)), NOW)) {
      long[] latest = {Long.MIN_VALUE};
      merged.forEach(
          (source, record, millis) -> {
            assertThat(millis).as("never goes back").isGreaterThanOrEqualTo(latest[0]);
            latest[0] = millis;
            found.add(source + "@" + record.wallMillis());
          });
    }
    return found;
  }

  @Test
  void recordsAreInTheOrderOfTheirTimes() throws Exception {
    assertThat(
            merged(
                List.of(change(10), change(40), change(20), change(50)),
                List.of(change(15), change(2_000), change(30), change(45))))
        .as("one that goes back counts as the latest before it, and one in the future not at all")
        .containsExactly("0@10", "1@15", "1@2000", "1@30", "0@40", "0@20", "1@45", "0@50");
  }

  @Test
  void eventsStayWithTheBatchOfTheirTurn() throws Exception {
    assertThat(
            merged(
                List.of(events(10), change(10), change(11)),
                List.of(events(10), change(10), change(11))))
        .containsExactly("0@10", "0@10", "1@10", "1@10", "0@11", "1@11");
  }

  @Test
  void eventsOfATurnThatWroteNothingDoNotBringTheNextRecordForward() throws Exception {
    assertThat(merged(List.of(events(10), change(20)), List.of(change(11), change(12))))
        .containsExactly("0@10", "1@11", "1@12", "0@20");
  }
}
