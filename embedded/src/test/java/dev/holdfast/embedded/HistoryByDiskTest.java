package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without a cap of the application, the history may take half of the free space of the disk. */
final class HistoryByDiskTest {

  private static final long GIB = 1L << 30;

  @TempDir private Path directory;

  private static Disk withFree(long bytes) {
    return new ForwardingDisk(new FileDisk()) {
      @Override
      public long usableBytes(Path asked) {
        return bytes;
      }
    };
  }

  @Test
  void historyTakesHalfOfWhatIsFreeAndAtLeastAGibibyte() {
    assertThat(Holdfast.historyByDisk(withFree(100 * GIB), directory)).isEqualTo(50 * GIB);
    assertThat(Holdfast.historyByDisk(withFree(2 * GIB + 2), directory)).isEqualTo(GIB + 1);
    assertThat(Holdfast.historyByDisk(withFree(2 * GIB - 2), directory)).isEqualTo(GIB);
    assertThat(Holdfast.historyByDisk(withFree(0), directory)).isEqualTo(GIB);
  }

  /** Else the cap would shrink with each opening, by half of what the history has grown. */
  @Test
  void whatTheJournalTakesAlreadyCountsAsFree() throws IOException {
    Path journal = Files.createDirectories(directory.resolve("journal"));
    Files.write(journal.resolve("0000000000000001.log"), new byte[3_000_000]);
    assertThat(Holdfast.historyByDisk(withFree(10 * GIB), directory))
        .isEqualTo(5 * GIB + 1_500_000);
  }
}
