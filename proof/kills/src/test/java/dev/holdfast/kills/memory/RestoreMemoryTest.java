package dev.holdfast.kills.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StorageKind;
import dev.holdfast.kills.memory.ManyPairsProcess.Job;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An object that is larger than the heap can be restored and forked. */
final class RestoreMemoryTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int PAIRS = LONG ? 8_192 : 2_560;
  private static final long OBJECT_BYTES = PAIRS * (long) ManyPairsProcess.VALUE_BYTES;

  @TempDir private Path directory;

  @Test
  void objectThatIsLargerThanTheHeapIsRestoredAndForked() throws Exception {
    requireRestored(StorageKind.ROCKSDB);
  }

  @Test
  void databaseThatIsLargerThanTheHeapIsRestoredAndForked() throws Exception {
    requireRestored(StorageKind.SQLITE);
  }

  private void requireRestored(StorageKind storage) throws Exception {
    List<Long> figures =
        ManyPairsProcess.figures("-Xmx48m", Job.RESTORE, directory, storage, PAIRS);

    assertThat(figures.get(0)).isEqualTo(PAIRS);
    assertThat(figures.get(1)).isEqualTo(PAIRS);
    assertThat(figures.get(2)).as("bytes of heap").isLessThan(OBJECT_BYTES * 2 / 3);
  }
}
