package dev.holdfast.embedded.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The reading of one view says whether there are records of another. */
final class SeenViewsTest {

  private static final ObjectKey KEY =
      new ObjectKey("n", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  private int readings;

  private final RecoveryLog log =
      new RecoveryLog() {
        @Override
        public void forEach(RecordVisitor visitor) {
          readings++;
          for (int view = 1; view <= 2; view++) {
            visitor.visit(
                new JournalRecord(
                    view, 0, RecordKind.BATCH, view, KEY, ChainLink.FIRST, ByteBuffer.allocate(0)));
          }
        }
      };

  @Test
  void recordsThatTheReaderDoesNotWantAreSeen() {
    SeenViews seen = new SeenViews(log);
    JournalView reader = viewOf(1);
    assertThat(seen.others(reader, List.of())).isEmpty();
    List<Integer> wanted = new ArrayList<>();
    seen.forEach((view, _) -> view == 1, record -> wanted.add(record.viewId()));
    assertThat(wanted).containsExactly(1);
    assertThat(seen.others(reader, List.of())).containsExactly(2);
    assertThat(seen.others(reader, List.of(viewOf(2)))).isEmpty();
    assertThat(readings).isOne();
  }

  private static JournalView viewOf(int viewId) {
    return new JournalView() {
      @Override
      public int viewId() {
        return viewId;
      }

      @Override
      public void recover(RecoveryLog records) {}

      @Override
      public long lowWaterMark() {
        return Long.MAX_VALUE;
      }

      @Override
      public void checkpointBefore(long position) {}
    };
  }

  @Test
  void whatIsWantedOfNoRecordIsNotRead() {
    SeenViews seen = new SeenViews(log);
    seen.forEach((view, _) -> view == 1, _ -> {});
    seen.forEach((view, _) -> view == 3, _ -> {});
    seen.forEach((_, kind) -> kind == RecordKind.RESTORE, _ -> {});
    assertThat(readings).isOne();
  }

  @Test
  void whatIsThereIsReadAgain() {
    SeenViews seen = new SeenViews(log);
    seen.forEach((view, _) -> view == 1, _ -> {});
    List<Integer> wanted = new ArrayList<>();
    seen.forEach((_, kind) -> kind == RecordKind.BATCH, record -> wanted.add(record.viewId()));
    assertThat(wanted).containsExactly(1, 2);
    assertThat(readings).isEqualTo(2);
  }

  @Test
  void recordsFromBeforeThoseThatWereSeenAreRead() {
    SeenViews seen = new SeenViews(log);
    seen.forEachFrom(2, (_, _) -> true, _ -> {});
    List<Long> wanted = new ArrayList<>();
    seen.forEach((view, _) -> view == 3, record -> wanted.add(record.position()));
    assertThat(wanted).isEmpty();
    assertThat(readings).isEqualTo(2);
  }

  @Test
  void readingThatFailedIsNoReasonToReadNothing() {
    SeenViews seen = new SeenViews(log);
    assertThatThrownBy(
            () ->
                seen.forEach(
                    _ -> {
                      throw new IllegalStateException("damaged");
                    }))
        .hasMessage("damaged");
    List<Integer> wanted = new ArrayList<>();
    seen.forEach((view, _) -> view == 2, record -> wanted.add(record.viewId()));
    assertThat(wanted).containsExactly(2);
  }
}
