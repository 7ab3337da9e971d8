package dev.holdfast.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups that an archive reads from a journal in use. */
final class JournalChunkTest {

  private final VirtualClock clock = new VirtualClock();

  @TempDir private Path directory;

  private FileJournal open() {
    return FileJournal.open(directory, clock, Journals.SMALL);
  }

  @Test
  void chunkHasTheRecordThatWasAskedFor() throws IOException {
    try (FileJournal journal = open()) {
      for (int each = 1; each <= 60; each++) {
        Journals.write(journal, "record " + each + "x".repeat(500));
      }
      JournalTail tail = journal.tail();
      for (long position = 1; position <= 60; position++) {
        JournalChunk chunk = tail.read(position, 4 << 10);
        assertThat(UTF_8.decode(chunk.record(position).payload()).toString())
            .startsWith("record " + position + "x");
      }
    }
  }

  @Test
  void everyFlippedBitIsNoticed() throws IOException {
    byte[] bytes;
    try (FileJournal journal = open()) {
      Journals.write(journal, "a record");
      Journals.write(journal, "another");
      bytes = journal.tail().read(1, 1 << 20).bytes();
    }
    Path name = Path.of("chunk");
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> JournalChunk.of(flipped, name))
          .isInstanceOf(JournalCorruptException.class);
    }
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> JournalChunk.of(cut, name))
          .isInstanceOf(JournalCorruptException.class);
    }
  }

  @Test
  void timeEndsBeforeTheFirstLaterRecord() throws IOException {
    try (FileJournal journal = open()) {
      long begin = clock.wallMillis();
      Journals.write(journal, "1");
      clock.advance(Duration.ofSeconds(1));
      Journals.write(journal, "2");
      clock.advance(Duration.ofSeconds(1));
      JournalChunk chunk = journal.tail().read(1, 1 << 20);
      assertThat(chunk.positionAt(begin - 1, clock.wallMillis())).isZero();
      assertThat(chunk.positionAt(begin, clock.wallMillis())).isEqualTo(1);
      assertThat(chunk.positionAt(begin + 999, clock.wallMillis())).isEqualTo(1);
      assertThat(chunk.positionAt(begin + 1_000, clock.wallMillis())).isEqualTo(2);
      assertThat(chunk.positionAt(begin, begin)).as("the clock was ahead").isEqualTo(2);
    }
  }
}
