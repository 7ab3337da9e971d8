package dev.holdfast.embedded.parts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
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
    assertThat(seen.has(2)).isFalse();
    List<Integer> wanted = new ArrayList<>();
    seen.forEach((view, _) -> view == 1, record -> wanted.add(record.viewId()));
    assertThat(wanted).containsExactly(1);
    assertThat(seen.has(1)).isTrue();
    assertThat(seen.has(2)).isTrue();
    assertThat(seen.has(3)).isFalse();
    assertThat(readings).isOne();
  }
}
