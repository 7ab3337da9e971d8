package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.journal.group.PendingRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileJournalTest {

  @TempDir Path directory;

  @Test
  void writtenRecordsAreRecovered() {
    try (FileJournal journal = Journals.open(directory)) {
      assertThat(Journals.write(journal, "a")).isEqualTo(1);
      assertThat(Journals.write(journal, "b")).isEqualTo(2);
      assertThat(journal.durablePosition()).isEqualTo(2);
    }
    assertThat(Journals.reopened(directory)).containsExactly("a", "b");
  }

  @Test
  void closeMakesEverythingAppendedDurable() {
    try (FileJournal journal = Journals.open(directory)) {
      Journals.append(journal, "a");
      Journals.append(journal, "b");
    }
    assertThat(Journals.reopened(directory)).containsExactly("a", "b");
  }

  @Test
  void manySegmentsAreOneJournal() {
    List<String> written = new ArrayList<>();
    try (FileJournal journal = Journals.open(directory)) {
      for (int i = 0; i < 200; i++) {
        String text = i + "x".repeat(i * 13 % 3000);
        written.add(text);
        Journals.write(journal, text);
      }
    }
    assertThat(Journals.reopened(directory)).isEqualTo(written);
  }

  @Test
  void recordBeyondTheLimitIsRefusedBeforeAnythingIsWritten() throws IOException {
    Path sparse = directory.resolve("sparse");
    try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw");
        FileJournal journal = Journals.open(directory.resolve("journal"))) {
      long tooMany = PendingRecord.PAYLOAD_BYTES_MAX + 1L;
      file.setLength(tooMany);
      ByteBuffer payload = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, tooMany);
      assertThatThrownBy(
              () -> journal.append(Journals.BATCH, 1, Journals.KEY, ChainLink.FIRST, payload))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at most 1073741824 bytes");
      assertThat(journal.lastPosition()).isZero();
    }
  }

  @Test
  void recordLargerThanASegmentGetsItsOwn() {
    String large = "y".repeat(1_000_000);
    try (FileJournal journal = Journals.open(directory)) {
      Journals.append(journal, "before");
      Journals.append(journal, large);
      Journals.append(journal, "after");
    }
    assertThat(Journals.reopened(directory)).containsExactly("before", large, "after");
  }
}
