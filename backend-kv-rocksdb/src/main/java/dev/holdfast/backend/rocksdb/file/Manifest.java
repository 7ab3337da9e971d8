package dev.holdfast.backend.rocksdb.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file in which RocksDB lists its tables: a log of changes, to which each flush and each
 * compaction appends, followed by a sync. A crash can tear only the last append, and tables that it
 * removed from use still exist: they are deleted after the sync. So the file without its torn end
 * is the previous state.
 *
 * <p>The log has LevelDB's format: blocks of 32 KiB, records of checksum, length and type, and a
 * zero trailer where no header fits.
 */
public final class Manifest {

  private static final int BLOCK_BYTES = 32 << 10;
  private static final int HEADER_BYTES = 7;
  private static final int FULL = 1;
  private static final int FIRST = 2;
  private static final int MIDDLE = 3;
  private static final int LAST = 4;
  private static final int SUM_MASK = 0xA282EAD8;

  private Manifest() {}

  /**
   * {@return the file that {@code CURRENT} names; null if it names none}
   *
   * @throws IOException if {@code CURRENT} cannot be read
   */
  public static @Nullable Path of(Path directory) throws IOException {
    Path current = directory.resolve("CURRENT");
    if (Files.size(current) > RocksDbBounds.CURRENT_BYTES_MAX) {
      return null;
    }
    String name = new String(Files.readAllBytes(current), StandardCharsets.ISO_8859_1);
    return name.matches("MANIFEST-[0-9]+\n") ? directory.resolve(name.strip()) : null;
  }

  /** {@return the number of bytes up to the end of the last whole record} */
  public static int validBytes(byte[] log) {
    ByteBuffer source = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN);
    int valid = 0;
    int at = 0;
    boolean isInside = false;
    while (true) {
      int left = BLOCK_BYTES - at % BLOCK_BYTES;
      if (left < HEADER_BYTES) {
        at += left;
      }
      if (at + HEADER_BYTES > log.length) {
        return valid;
      }
      int length = Short.toUnsignedInt(source.getShort(at + 4));
      int type = log[at + 6];
      boolean isExpected =
          isInside ? type == MIDDLE || type == LAST : type == FULL || type == FIRST;
      int end = at + HEADER_BYTES + length;
      if (!isExpected
          || end > log.length
          || length > BLOCK_BYTES - at % BLOCK_BYTES - HEADER_BYTES
          || source.getInt(at) != sum(log, at + 6, length + 1)) {
        return valid;
      }
      at = end;
      isInside = type == FIRST || type == MIDDLE;
      if (!isInside) {
        valid = end;
      }
    }
  }

  private static int sum(byte[] log, int from, int length) {
    CRC32C sum = new CRC32C();
    sum.update(log, from, length);
    return Integer.rotateRight((int) sum.getValue(), 15) + SUM_MASK;
  }
}
