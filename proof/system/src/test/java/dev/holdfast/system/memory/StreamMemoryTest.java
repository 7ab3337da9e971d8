package dev.holdfast.system.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StorageKind;
import dev.holdfast.launcher.process.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A list that is larger than the heap can be streamed. */
final class StreamMemoryTest {

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int PAIRS = 4_096;
  private static final long LIST_BYTES = PAIRS * (32L << 10);

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void listThatIsLargerThanTheHeapIsStreamed(StorageKind storage) {
    List<String> options = List.of("-Xmx48m", "-XX:+ExitOnOutOfMemoryError");
    List<String> arguments =
        List.of(directory.toString(), storage.toString(), Integer.toString(PAIRS));
    try (ChildJvm child = ChildJvm.startWithErrors(options, ListProcess.class, arguments)) {
      List<String> lines = new ArrayList<>();
      for (Optional<String> line = child.nextLine(PATIENCE);
          line.isPresent();
          line = child.nextLine(PATIENCE)) {
        lines.add(line.get());
      }
      String said =
          lines.stream()
              .filter(line -> line.startsWith("STREAMED "))
              .findFirst()
              .orElseThrow(() -> new AssertionError(String.join("\n", lines)));

      String[] figures = said.split(" ", -1);
      assertThat(Long.parseLong(figures[1])).isEqualTo(PAIRS);
      assertThat(Long.parseLong(figures[2])).isEqualTo(LIST_BYTES);
      assertThat(Long.parseLong(figures[3])).as("bytes of heap").isLessThan(LIST_BYTES / 2);
      assertThat(child.exitCode()).isZero();
    }
  }
}
