package dev.holdfast.system.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.process.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An object that is larger than the heap can be restored and forked. */
final class RestoreMemoryTest {

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int PAIRS = LONG ? 8_192 : 2_048;
  private static final long OBJECT_BYTES = PAIRS * (32L << 10);

  @TempDir private Path directory;

  @Test
  void objectThatIsLargerThanTheHeapIsRestoredAndForked() {
    requireRestored("ROCKSDB");
  }

  @Test
  void databaseThatIsLargerThanTheHeapIsRestoredAndForked() {
    requireRestored("SQLITE");
  }

  private void requireRestored(String storage) {
    List<String> options = List.of("-Xmx40m", "-XX:+ExitOnOutOfMemoryError");
    List<String> arguments = List.of(directory.toString(), Integer.toString(PAIRS), storage);
    try (ChildJvm child =
        ChildJvm.startWithErrors(options, RestoreMemoryProcess.class, arguments)) {
      List<String> lines = new ArrayList<>();
      for (Optional<String> line = child.nextLine(PATIENCE);
          line.isPresent();
          line = child.nextLine(PATIENCE)) {
        lines.add(line.get());
      }
      String said =
          lines.stream()
              .filter(line -> line.startsWith("RESTORED "))
              .findFirst()
              .orElseThrow(() -> new AssertionError(String.join("\n", lines)));

      String[] figures = said.split(" ", -1);
      assertThat(Long.parseLong(figures[1])).isEqualTo(PAIRS);
      assertThat(Long.parseLong(figures[2])).isEqualTo(PAIRS);
      assertThat(Long.parseLong(figures[3])).as("bytes of heap").isLessThan(OBJECT_BYTES * 2 / 3);
      assertThat(child.exitCode()).isZero();
    }
  }
}
