package dev.holdfast.kills.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StorageKind;
import dev.holdfast.kills.memory.ManyPairsProcess.Job;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A list that is larger than the heap can be streamed. */
final class StreamMemoryTest {

  private static final int PAIRS = 4_096;
  private static final long LIST_BYTES = PAIRS * (long) ManyPairsProcess.VALUE_BYTES;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void listThatIsLargerThanTheHeapIsStreamed(StorageKind storage) throws Exception {
    List<Long> figures = ManyPairsProcess.figures("-Xmx48m", Job.STREAM, directory, storage, PAIRS);

    assertThat(figures.get(0)).isEqualTo(PAIRS);
    assertThat(figures.get(1)).isEqualTo(LIST_BYTES);
    assertThat(figures.get(2)).as("bytes of heap").isLessThan(LIST_BYTES / 2);
  }
}
