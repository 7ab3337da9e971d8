package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The pages in a write-ahead log, as SQLite will copy them into the database file. Like SQLite,
 * this accepts the frames up to the last commit whose checksums are right.
 *
 * @param frames how many frames those are
 * @param pages how many pages the database has after them; 0 if there are none
 * @param sums the checksum of each page that is in the log
 */
record LoggedPages(int frames, int pages, Map<Integer, Integer> sums) {

  private static final int HEADER_BYTES = PageSize.LOG_HEADER_BYTES;
  private static final int FRAME_HEADER_BYTES = PageSize.LOG_FRAME_HEADER_BYTES;

  /** Its last bit gives the byte order of the words of checksums. */
  private static final int MAGIC = 0x377F0682;

  private static final int READ_FRAMES = 64;

  private static final LoggedPages NONE = new LoggedPages(0, 0, Map.of());

  /**
   * Reads a log, which may not exist.
   *
   * @param framesMax the frame at which to stop at the latest
   */
  static LoggedPages read(Disk disk, Path log, int pageBytes, int framesMax) throws IOException {
    if (!disk.exists(log)) {
      return NONE;
    }
    try (DiskFile opened = disk.open(log, Mode.READ)) {
      byte[] header = new byte[HEADER_BYTES];
      ByteBuffer fields = ByteBuffer.wrap(header);
      if (opened.read(header, 0, HEADER_BYTES, 0) < HEADER_BYTES
          || (fields.getInt(0) & ~1) != MAGIC
          || fields.getInt(8) != pageBytes) {
        return NONE;
      }
      Checksum checksum = new Checksum(fields);
      checksum.update(header, 0, 24);
      return checksum.is(fields, 24)
          ? readFrames(opened, fields.getLong(16), checksum, pageBytes, framesMax)
          : NONE;
    }
  }

  private static LoggedPages readFrames(
      DiskFile log, long salts, Checksum checksum, int pageBytes, int framesMax)
      throws IOException {
    int frameBytes = FRAME_HEADER_BYTES + pageBytes;
    byte[] buffer = new byte[READ_FRAMES * frameBytes];
    ByteBuffer fields = ByteBuffer.wrap(buffer);
    Map<Integer, Integer> committed = new HashMap<>();
    Map<Integer, Integer> pending = new HashMap<>();
    int committedFrames = 0;
    int pages = 0;
    int frame = 0;
    int count = READ_FRAMES;
    while (count == READ_FRAMES) {
      long offset = HEADER_BYTES + (long) frame * frameBytes;
      count = Math.max(0, log.read(buffer, 0, buffer.length, offset)) / frameBytes;
      for (int at = 0; at < count * frameBytes; at += frameBytes) {
        checksum.update(buffer, at, 8);
        checksum.update(buffer, at + FRAME_HEADER_BYTES, pageBytes);
        boolean isWhole = fields.getLong(at + 8) == salts && checksum.is(fields, at + 16);
        if (!isWhole || frame == framesMax) {
          return new LoggedPages(committedFrames, pages, committed);
        }
        frame++;
        pending.put(fields.getInt(at), PageSums.sum(buffer, at + FRAME_HEADER_BYTES, pageBytes));
        if (fields.getInt(at + 4) != 0) {
          pages = fields.getInt(at + 4);
          committedFrames = frame;
          committed.putAll(pending);
          pending.clear();
        }
      }
    }
    return new LoggedPages(committedFrames, pages, committed);
  }

  /** SQLite's checksum, over all frames from the beginning of the log. */
  private static final class Checksum {
    private final ByteOrder order;
    private int first;
    private int second;

    Checksum(ByteBuffer header) {
      order = (header.getInt(0) & 1) == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    void update(byte[] bytes, int offset, int length) {
      ByteBuffer words = ByteBuffer.wrap(bytes).order(order);
      for (int at = offset; at < offset + length; at += 2 * Integer.BYTES) {
        first += words.getInt(at) + second;
        second += words.getInt(at + Integer.BYTES) + first;
      }
    }

    boolean is(ByteBuffer fields, int offset) {
      return fields.getInt(offset) == first && fields.getInt(offset + Integer.BYTES) == second;
    }
  }
}
