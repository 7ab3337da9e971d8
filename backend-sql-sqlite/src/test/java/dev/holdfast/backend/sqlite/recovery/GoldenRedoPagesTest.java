package dev.holdfast.backend.sqlite.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks {@code redo.pages} against {@code docs/formats/sqlite-files.md}. */
final class GoldenRedoPagesTest {

  private static final int PAGE_BYTES = 512;
  private static final ObjectKey KEY =
      new ObjectKey("buecher", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  /** The magic, version 1, zero. */
  private static final String HEADER = "48465245444f50210000000100000000";

  @TempDir private Path root;

  private final FileDisk disk = new FileDisk();
  private ObjectFiles files;
  private Path database;

  @BeforeEach
  void makeDatabase() throws IOException {
    files = new ObjectFiles(disk, root);
    database = files.database(KEY);
    Files.createDirectories(database.getParent());
    Files.write(database, new byte[2 * PAGE_BYTES]);
  }

  @Test
  void pagesOfVersion1AreWrittenAgain() throws IOException {
    write(HEADER, block(42, 2, (byte) 7));

    replay(42);

    byte[] bytes = Files.readAllBytes(database);
    assertThat(Arrays.copyOf(bytes, PAGE_BYTES)).containsOnly(0);
    assertThat(Arrays.copyOfRange(bytes, PAGE_BYTES, 2 * PAGE_BYTES)).containsOnly(7);
    assertThat(root.resolve(RedoPages.NAME)).doesNotExist();
  }

  @Test
  void blockThatWasCutMeansNothing() throws IOException {
    byte[] block = block(42, 2, (byte) 7);
    block[block.length - 1] ^= 1;
    write(HEADER, block);

    replay(42);

    assertThat(Files.readAllBytes(database)).containsOnly(0);
  }

  @Test
  void fileOfANewerVersionIsRefused() throws IOException {
    write(HEADER.replace("00000001", "00000002"), block(42, 2, (byte) 7));

    assertThatThrownBy(() -> replay(42)).hasMessageContaining("newer version");
    assertThat(Files.readAllBytes(database)).containsOnly(0);
  }

  private void replay(long position) throws IOException {
    try (RedoPages pages = new RedoPages(disk, files)) {
      pages.replay((key, last) -> key.equals(KEY) && last == position);
    }
  }

  private void write(String header, byte[] block) throws IOException {
    ByteBuffer file = ByteBuffer.allocate(4096 + block.length);
    file.put(HexFormat.of().parseHex(header)).position(4096).put(block);
    Files.write(root.resolve(RedoPages.NAME), file.array());
  }

  private static byte[] block(long position, int page, byte content) {
    byte[] namespace = KEY.namespace().getBytes(StandardCharsets.UTF_8);
    ByteBuffer entry = ByteBuffer.allocate(56 + namespace.length + PAGE_BYTES);
    entry.putLong(position).putInt(PAGE_BYTES).putInt(page).putInt(namespace.length).putInt(0);
    entry.put(KEY.id().toBytes()).put(namespace);
    Arrays.fill(entry.array(), entry.position(), entry.capacity(), content);
    ByteBuffer block = ByteBuffer.allocate(16 + entry.capacity());
    block.putLong(4096).putInt(entry.capacity());
    CRC32C crc = new CRC32C();
    crc.update(block.array(), 0, 12);
    crc.update(entry.array());
    return block.putInt((int) crc.getValue()).put(entry.array()).array();
  }
}
