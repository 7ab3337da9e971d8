package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads durable groups for an archive. */
final class JournalTailTest {

  @TempDir private Path directory;

  @Test
  void groupsThatAreWrittenAndNotDurableAreLeftOut() throws IOException {
    try (FileJournal journal = Journals.open(directory)) {
      for (int each = 1; each <= 4; each++) {
        Journals.write(journal, "record " + each); // a group for each
      }
      AtomicLong durable = new AtomicLong(2);
      JournalTail tail = tail(journal, durable);

      assertThat(tail.read(1, 1 << 20).lastPosition()).isEqualTo(2);
      assertThat(tail.read(3, 1 << 20)).isNull();

      assertThat(tail.read(1, 1).lastPosition()).isEqualTo(1); // back to before the last read

      durable.set(4);
      assertThat(tail.read(3, 1 << 20).lastPosition()).isEqualTo(4);
    }
  }

  private JournalTail tail(FileJournal journal, AtomicLong durable) throws IOException {
    FileDisk disk = new FileDisk();
    Segments segments = Segments.list(disk, directory);
    SegmentHistory history =
        new SegmentHistory(
            disk,
            segments,
            new SegmentHistory.Ends(durable::get, () -> 0),
            new VirtualClock(),
            journal.history().journalId());
    return new JournalTail(segments, history, durable::get);
  }
}
