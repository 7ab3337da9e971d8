package dev.holdfast.journal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.replica.OwnedPositions.Span;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks {@code saved} against {@code docs/formats/log-entry.md}. */
final class GoldenSavedFileTest {

  private static final Purges PURGES =
      new Purges(
          11,
          List.of(
              new Purges.Pending(
                  13,
                  new LogEntry.Purge(
                      5,
                      40,
                      6,
                      List.of(
                          new LogEntry.Extent(
                              new ObjectKey("n", ObjectId.of(new byte[32], null)), 39))))));

  private static final Saved SAVED =
      new Saved(
          new SavedPoint(0x1122334455667788L, 17, 5, 42, 40, -2, 65536, 5000, 24, 750, PURGES),
          -3,
          8,
          new OwnedPositions(List.of(new Span(1, 9), new Span(30, Long.MAX_VALUE))),
          new NodeId("node-b"));

  /** As computed from the format by other code. */
  private static final String GOLDEN =
      "48465341564544210000000232a9db9d11223344556677880000000000000011"
          + "0000000000000005000000000000002a0000000000000028fffffffffffffffe"
          + "000000000001000000000000000013880000000000000018fffffffffffffffd"
          + "000000000000000800000000000002ee000000000000000b0000000200000006"
          + "0000005f0000000000000000000000010000000000000009000000000000001e"
          + "7fffffffffffffff6e6f64652d62000000000000000d00000053030600004431"
          + "1a3d00000000000000050000003b000000000000000000000028000000000000"
          + "0006000000000000002700000000000000000000000000000000000000000000"
          + "0000000000000000000000016e";

  @TempDir Path directory;

  @Test
  void fileIsWrittenByteForByteAsTheFormatSays() throws IOException {
    saved().write(Saved.empty(1));
    saved().write(SAVED);
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(directory.resolve("saved"))))
        .isEqualTo(GOLDEN);
    assertThat(directory).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void fileOfVersion2IsRead() throws IOException {
    assertThat(saved().read()).isNull();
    write(HexFormat.of().parseHex(GOLDEN));
    assertThat(saved().read()).isEqualTo(SAVED);
  }

  @Test
  void everyOtherByteIsRefused() throws IOException {
    byte[] bytes = HexFormat.of().parseHex(GOLDEN);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= 0x10;
      write(bytes);
      assertThatThrownBy(() -> saved().read())
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("Remove the replica and add it again");
      bytes[i] ^= 0x10;
    }
  }

  private void write(byte[] bytes) throws IOException {
    Files.write(directory.resolve("saved"), bytes);
  }

  private SavedFile saved() {
    return new SavedFile(new FileDisk(), directory);
  }
}
