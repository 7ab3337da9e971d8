package dev.holdfast.journal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks {@code bases} against {@code docs/formats/log-entry.md}. */
final class GoldenBasesFileTest {

  private static final long JOURNAL_ID = 0x1122334455667788L;

  private static final Bases BASES =
      new Bases(
          42,
          77,
          List.of(
              LocalRecord.of(
                  41,
                  RecordKind.CHECKPOINT,
                  1,
                  new ObjectKey("", ObjectId.of(new byte[32], null)),
                  ByteBuffer.wrap(new byte[] {1, 2, 3})),
              LocalRecord.of(
                  42,
                  RecordKind.NOTE,
                  16,
                  new ObjectKey("bücher", ObjectId.of(counting(), null)),
                  ByteBuffer.allocate(0))));

  /** As computed from the format by other code. */
  private static final String GOLDEN =
      "484642415345532100000002ad5c68a31122334455667788000000000000002a"
          + "000000000000004d000000020000000000000000000000290201000000000003"
          + "0000000000000000000000000000000000000000000000000000000000000000"
          + "010203000000000000002a0610000700000000000102030405060708090a0b0c"
          + "0d0e0f101112131415161718191a1b1c1d1e1f62c3bc63686572";

  @TempDir Path directory;

  private static byte[] counting() {
    byte[] bytes = new byte[32];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  @Test
  void fileIsWrittenByteForByteAsTheFormatSays() throws IOException {
    file().write(JOURNAL_ID, Bases.NONE);
    file().write(JOURNAL_ID, BASES);
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(directory.resolve("bases"))))
        .isEqualTo(GOLDEN);
    assertThat(directory).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void fileOfVersion2IsRead() throws IOException {
    assertThat(file().read(JOURNAL_ID)).isEqualTo(Bases.NONE);
    write(HexFormat.of().parseHex(GOLDEN));
    assertThat(file().read(JOURNAL_ID)).isEqualTo(BASES);
    assertThatThrownBy(() -> file().read(1)).hasMessageContaining("of another shard");
  }

  /** A kill in the first second of a shard: the id is in this file, and in no other one yet. */
  @Test
  void fileIsReadBeforeTheReplicaHasSavedItsId() throws IOException {
    file().write(JOURNAL_ID, BASES);
    assertThat(file().read(0)).isEqualTo(BASES);
  }

  @Test
  void everyOtherByteIsRefused() throws IOException {
    byte[] bytes = HexFormat.of().parseHex(GOLDEN);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= 0x10;
      write(bytes);
      assertThatThrownBy(() -> file().read(JOURNAL_ID))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("Remove the replica and add it again");
      bytes[i] ^= 0x10;
    }
  }

  private void write(byte[] bytes) throws IOException {
    Files.write(directory.resolve("bases"), bytes);
  }

  private BasesFile file() {
    return new BasesFile(new FileDisk(), directory);
  }
}
