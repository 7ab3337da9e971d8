package dev.holdfast.journal.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The buffers of groups. */
final class GatheringTest {

  private static final int GATHER_BYTES_MAX = 1 << 20;

  /** Its size is a promise of JournalOptions: what embeds a journal counts on two such buffers. */
  @Test
  void bufferHasAtMostTheBytesOfAFullGroup() {
    Gathering gathering =
        new Gathering(
            GATHER_BYTES_MAX,
            GATHER_BYTES_MAX / 4,
            new Gathering.Start(0, Group.Place.first(64L << 20)));

    PendingRecord record = record();
    while (gathering.hasRoom(record)) {
      gathering.append(record, 0);
      record = record();
    }

    assertThat(gathering.group().groupBytes()).isGreaterThan(GATHER_BYTES_MAX - (32 << 10));
    assertThat(gathering.group().buffer())
        .hasSizeLessThanOrEqualTo(GATHER_BYTES_MAX + SegmentHeader.PAGE_BYTES);
  }

  private static PendingRecord record() {
    return new PendingRecord(
        RecordKind.CHECKPOINT,
        1,
        new ObjectKey("things", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null)),
        ByteBuffer.allocate(30_000));
  }
}
