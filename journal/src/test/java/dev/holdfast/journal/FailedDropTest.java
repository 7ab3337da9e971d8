package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment that cannot be deleted for a while. */
final class FailedDropTest {

  @TempDir private Path directory;

  @Test
  void historyHasNoGapAfterASegmentCouldNotBeDeleted() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    VirtualClock clock = new VirtualClock();
    HistoryOptions history = new HistoryOptions(Duration.ofDays(1000).toMillis(), 120_000);
    ObjectKey key = new ObjectKey("things", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));
    disk.affectOnly(file -> file.getFileName().toString().equals("0000000000000001.log"));
    FileJournal journal =
        FileJournal.open(directory, clock, Journals.SMALL.withDisk(disk).withHistory(history));
    journal.start(List.of());
    for (int i = 0; i < 200; i++) {
      if (i == 1) {
        for (int n = 1; n < 9; n++) {
          disk.fail(Operation.DELETE, n);
          disk.fail(Operation.MOVE, n);
        }
      }
      journal.awaitDurable(
          journal.append(
              RecordKind.BATCH, 1, key, ChainLink.FIRST, ByteBuffer.wrap(new byte[3_000])));
    }
    journal.close();
    try (FileJournal again =
        FileJournal.open(
            directory,
            clock,
            Journals.SMALL.withHistory(
                new HistoryOptions(Duration.ofDays(1000).toMillis(), Long.MAX_VALUE)))) {
      long expected = again.durablePosition();
      try (HistoryCursor cursor = again.history().newestFirst(key, Long.MAX_VALUE)) {
        while (cursor.next()) {
          assertThat(cursor.position()).isEqualTo(expected);
          cursor.read();
          expected--;
        }
      }
      assertThat(expected + 1).isEqualTo(again.history().oldestPosition());
    }
  }
}
