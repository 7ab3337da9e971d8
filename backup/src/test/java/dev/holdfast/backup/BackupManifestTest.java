package dev.holdfast.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backup.BackupManifest.Entry;
import dev.holdfast.errors.BackupException;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manifest, against a file in the repository. */
class BackupManifestTest {

  private static final BackupManifest GOLDEN =
      new BackupManifest(
          0x8badf00d12345678L,
          4_711,
          Instant.parse("2026-11-23T07:30:00.250Z"),
          new TreeMap<>(
              Map.of(
                  "journal/0000000000000001.log",
                  new Entry(4_194_304, 0x01020304, "00c0ffee00c0ffee"),
                  "journal.mark",
                  new Entry(96, 0xfefefefe, null),
                  "sqlite/an.example-1_a/0a0/0a0.sqlite",
                  new Entry(8_192, 0, "1f.2000.89abcdef"))));

  @TempDir private Path directory;

  private static byte[] golden() throws IOException {
    try (InputStream file = BackupManifestTest.class.getResourceAsStream("backup.manifest")) {
      return Objects.requireNonNull(file).readAllBytes();
    }
  }

  private Path write(byte[] content) throws IOException {
    return Files.write(directory.resolve(BackupManifest.NAME), content);
  }

  @Test
  void manifestHasTheBytesOfTheFormat() throws IOException {
    assertThat(new String(GOLDEN.encode(), StandardCharsets.UTF_8))
        .isEqualTo(new String(golden(), StandardCharsets.UTF_8));
    assertThat(BackupManifest.read(new FileDisk(), write(golden()))).isEqualTo(GOLDEN);
  }

  @Test
  void missingManifestIsNone() {
    assertThat(BackupManifest.read(new FileDisk(), directory.resolve("none"))).isNull();
  }

  @Test
  void anyFlippedBitIsNoticed() throws IOException {
    byte[] content = golden();
    for (int i = 0; i < content.length; i++) {
      byte[] damaged = content.clone();
      damaged[i] ^= 1;
      Path file = write(damaged);
      assertThatThrownBy(() -> BackupManifest.read(new FileDisk(), file))
          .as("byte %d", i)
          .isInstanceOf(BackupException.class);
    }
  }

  @Test
  void cutManifestIsNoticed() throws IOException {
    byte[] content = golden();
    for (int length = 0; length < content.length; length++) {
      Path file = write(Arrays.copyOf(content, length));
      assertThatThrownBy(() -> BackupManifest.read(new FileDisk(), file))
          .as("%d bytes", length)
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("manifest is damaged");
    }
  }

  @Test
  void manifestOfANewerVersionIsRefused() throws IOException {
    String text = "holdfast-backup 2\nanything\n";
    String end = "end 0 " + BackupManifest.sumOf(text) + "\n";
    Path file = write((text + end).getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> BackupManifest.read(new FileDisk(), file))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("newer version");
  }
}
