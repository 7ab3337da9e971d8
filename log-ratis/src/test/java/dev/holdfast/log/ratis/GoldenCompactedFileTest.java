package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/formats/log-ratis.md} describes these bytes. */
final class GoldenCompactedFileTest {

  private static final String GOLDEN =
      "4846434f4d504121" + "00000001" + "090e872b" + "0000000000010f2c" + "0000000000000007";

  @TempDir private Path directory;

  private CompactedFile file() {
    return new CompactedFile(new FileDisk(), directory);
  }

  private Path path() {
    return directory.resolve("compacted");
  }

  @Test
  void bytesAreThoseOfThePage() throws IOException {
    file().write(TermIndex.valueOf(7, 69_420));

    assertThat(HexFormat.of().formatHex(Files.readAllBytes(path()))).isEqualTo(GOLDEN);
    assertThat(file().read()).isEqualTo(TermIndex.valueOf(7, 69_420));
  }

  @Test
  void withoutTheFileNothingWasDropped() throws IOException {
    assertThat(file().read()).isNull();
  }

  @Test
  void everyDamagedByteIsFound() throws IOException {
    byte[] golden = HexFormat.of().parseHex(GOLDEN);
    for (int i = 0; i < golden.length; i++) {
      byte[] damaged = golden.clone();
      damaged[i] ^= 0x10;
      Files.write(path(), damaged);

      assertThatThrownBy(() -> file().read()).isInstanceOf(DataDirectoryException.class);
    }
  }

  @Test
  void aFileOfAnotherLengthIsRefused() throws IOException {
    Files.write(path(), new byte[CompactedFile.LENGTH_BYTES + 1]);

    assertThatThrownBy(() -> file().read())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("damaged");
  }
}
