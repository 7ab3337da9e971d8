package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory of formats before those of 0.1.0 is refused as it is, and the way is named. */
class OlderDirectoryTest {

  @TempDir private Path directory;

  @Test
  void directoryWithoutChainsIsRefusedAndNoByteOfItChanges() throws IOException {
    Path data = directory.resolve("data");
    try (InputStream zip =
        Objects.requireNonNull(
            OlderDirectoryTest.class.getResourceAsStream("alarm-headers-1.zip"))) {
      GoldenZip.unpack(zip, data);
    }
    Map<String, String> before = content(data);
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> Holdfast.open(data, new VirtualClock(), _ -> {}).close())
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("older version of Holdfast")
          .hasMessageContaining(
              "Export the objects with the version that wrote it, and import them into a new"
                  + " directory; nothing was changed");
      assertThat(content(data)).isEqualTo(before);
    }
  }

  private static Map<String, String> content(Path data) throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        content.put(data.relativize(file).toString(), bytes.length + " " + Arrays.hashCode(bytes));
      }
    }
    return content;
  }
}
