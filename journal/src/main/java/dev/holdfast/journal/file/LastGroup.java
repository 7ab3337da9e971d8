package dev.holdfast.journal.file;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;

/** The last group of a journal that was not open. */
public final class LastGroup {

  private static final int CHUNK_BYTES = 1 << 16;

  private LastGroup() {}

  /**
   * Writes the last group again and syncs it. It may exist in the page cache only: its writer may
   * have died before the sync, or the sync may have failed and the kernel may consider the pages
   * clean. Nothing may depend on it before it is durable; all groups before it were synced before
   * it was begun.
   *
   * @param disk where the journal is
   * @param segments of the journal
   * @param tail its end
   * @return the newest segment, open for writing
   * @throws IOException if it cannot be read or written
   */
  public static DiskFile rewrite(Disk disk, Segments segments, JournalScan.Tail tail)
      throws IOException {
    Path path = segments.fileOf(tail.header().firstPosition());
    DiskFile file = disk.open(path, Mode.WRITE);
    try {
      byte[] chunk = new byte[CHUNK_BYTES];
      for (long at = tail.lastGroupOffset(); at < tail.endOffset(); at += chunk.length) {
        int count = (int) Math.min(chunk.length, tail.endOffset() - at);
        if (file.read(chunk, 0, count, at) != count) {
          throw new IOException(path + " ended at byte " + at + " while it was read");
        }
        file.write(chunk, 0, count, at);
      }
      file.force();
      disk.forceDirectory(segments.directory());
      return file;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }
}
