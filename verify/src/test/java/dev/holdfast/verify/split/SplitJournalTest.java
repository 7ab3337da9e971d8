package dev.holdfast.verify.split;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.runtime.MovedConsumers;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal of several segments. */
class SplitJournalTest {

  private static final int PAYLOAD_BYTES = 12 << 20;

  /** A time in the future. */
  private static final long AHEAD = Long.MAX_VALUE / 2;

  private static final ObjectKey KEY =
      new ObjectKey("keys", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], "one"));

  @TempDir private Path directory;

  /** The clock was set back while the segment before was written. */
  @Test
  void noRecordBeforeASegmentIsLaterThanItsHeader() throws Exception {
    long[] times = {1_000, 2_000, 2_100, 1_100, 1_200, 1_300, 1_400, 1_500, 2_200};
    try (SystemTimeSource time = new SystemTimeSource()) {
      SegmentHistory history = history(times, time);
      assertThat(history.begun(0)).hasSize(2);
      assertThat(history.begun(0).getLast().wallMillis()).isEqualTo(2_100);
      assertThat(history.positionAt(1_600)).isEqualTo(1);
      assertThat(history.positionAt(2_150)).isEqualTo(8);
    }
  }

  /** Retention drops a segment by the time of the next that a right clock has begun. */
  @Test
  void segmentIsNotOlderBecauseTheClockWasAheadInTheNextOne() throws Exception {
    long[] times = {1_000, 2_000, 2_100, 2_200, 2_300, AHEAD, AHEAD, AHEAD, AHEAD, AHEAD, 7_000};
    try (SystemTimeSource time = new SystemTimeSource()) {
      SegmentHistory history = history(times, time);
      assertThat(history.begun(0)).hasSize(3);
      assertThat(history.fullMillis(1, time.wallMillis())).isEqualTo(7_000);
      assertThat(history.positionAt(6_000)).isEqualTo(10);
      assertThat(history.positionAt(2_200)).isEqualTo(4);
    }
  }

  /** {@return what is read of a journal that was divided into one} */
  private SegmentHistory history(long[] times, SystemTimeSource time) throws Exception {
    Disk disk = new FileDisk();
    Path work = Files.createDirectory(directory.resolve("work"));
    Path shard = directory.resolve("shard");
    try (SplitJournal journal =
        new SplitJournal(
            disk,
            List.of(new SplitJournal.Source(1, 1, new MovedConsumers.Places(1))),
            List.of(new SplitJournal.Target(shard, times[0], List.of(0))),
            /* isWhole= */ true,
            JournalBounds.COPIED_SEGMENT_BYTES,
            work,
            () -> 7)) {
      long latest = 0;
      for (int at = 0; at < times.length; at++) {
        latest = times[at] == AHEAD ? latest : Math.max(latest, times[at]);
        journal.add(0, record(at + 1, times[at]), latest);
      }
      journal.finish();
    }
    return new SegmentHistory(
        disk,
        Segments.list(disk, shard.resolve(FileJournal.DIRECTORY_NAME)),
        new SegmentHistory.Ends(() -> times.length, () -> 0),
        time,
        7);
  }

  private static JournalRecord record(long position, long wallMillis) {
    return new JournalRecord(
        position,
        wallMillis,
        RecordKind.CHECKPOINT,
        RocksDbBackend.VIEW_ID,
        KEY,
        null,
        ByteBuffer.allocate(PAYLOAD_BYTES));
  }
}
