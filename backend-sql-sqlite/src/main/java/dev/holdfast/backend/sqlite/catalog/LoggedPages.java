package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.file.LogFormat;
import dev.holdfast.backend.sqlite.file.LogFormat.Checksum;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
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
      byte[] bytes = new byte[LogFormat.HEADER_BYTES];
      ByteBuffer header = ByteBuffer.wrap(bytes);
      boolean isWhole = opened.read(bytes, 0, bytes.length, 0) == bytes.length;
      Checksum checksum = new Checksum(header);
      return isWhole && checksum.matchesHeader(header) && LogFormat.pageBytes(header) == pageBytes
          ? readFrames(opened, LogFormat.salts(header), checksum, pageBytes, framesMax)
          : NONE;
    }
  }

  private static LoggedPages readFrames(
      DiskFile log, long salts, Checksum checksum, int pageBytes, int framesMax)
      throws IOException {
    int frameBytes = LogFormat.frameBytes(pageBytes);
    byte[] buffer = new byte[READ_FRAMES * frameBytes];
    ByteBuffer fields = ByteBuffer.wrap(buffer);
    Map<Integer, Integer> committed = new HashMap<>();
    Map<Integer, Integer> pending = new HashMap<>();
    int committedFrames = 0;
    int pages = 0;
    int frame = 0;
    int count = READ_FRAMES;
    while (count == READ_FRAMES) {
      count = log.read(buffer, 0, buffer.length, LogFormat.offset(frame, pageBytes)) / frameBytes;
      for (int at = 0; at < count * frameBytes; at += frameBytes) {
        boolean isWhole =
            LogFormat.frameSalts(fields, at) == salts
                && checksum.matchesFrame(fields, at, pageBytes);
        if (!isWhole || frame == framesMax) {
          return new LoggedPages(committedFrames, pages, committed);
        }
        frame++;
        pending.put(
            LogFormat.page(fields, at),
            PageSums.sum(buffer, at + LogFormat.FRAME_HEADER_BYTES, pageBytes));
        int pagesAfter = LogFormat.pagesAfter(fields, at);
        if (pagesAfter != 0) {
          pages = pagesAfter;
          committedFrames = frame;
          committed.putAll(pending);
          pending.clear();
        }
      }
    }
    return new LoggedPages(committedFrames, pages, committed);
  }
}
