package dev.holdfast.spi.backup;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileSum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives the files of a backup: a directory, or a store of objects. Names are relative to the
 * data directory, with a slash between directories. Confined to the thread of the backup.
 */
public interface BackupTarget {

  /**
   * Makes a file that the target already has a part of this backup.
   *
   * @param name the name of the file
   * @param version its version
   * @return whether the target has the file in this version; if not, it must be put
   * @throws IOException if the target cannot be read, or the backup is to end
   */
  boolean keep(String name, String version) throws IOException;

  /**
   * Copies a file; replaces one of the same name.
   *
   * @param source the file
   * @throws IOException if the file cannot be read or the target not written, or the backup is to
   *     end
   */
  void put(Source source) throws IOException;

  /**
   * Writes a file; replaces one of the same name.
   *
   * @param name the name of the file
   * @param content all of it; not changed afterwards
   * @throws IOException if the target cannot be written, or the backup is to end
   */
  void put(String name, byte[] content) throws IOException;

  /**
   * A file to copy.
   *
   * @param name its name in the backup
   * @param file where it is
   * @param part the part to copy
   * @param version asked after the file was read: a text without blanks that differs whenever the
   *     content does, or null if the copy is not to be kept by later backups
   */
  record Source(String name, Path file, Part part, Supplier<@Nullable String> version) {

    /**
     * A whole file that may change while it is copied.
     *
     * @param name its name in the backup
     * @param file where it is
     * @param version its version, asked after the file was read
     * @return the source
     */
    public static Source whole(String name, Path file, Supplier<@Nullable String> version) {
      return new Source(name, file, Part.WHOLE, version);
    }

    /**
     * Gives the file another name instead of copying it, if it never changes again.
     *
     * @param to the name, which is free
     * @return whether it has the name; if not, it must be copied
     */
    public boolean link(Path to) {
      if (!part.isImmutable()) {
        return false;
      }
      try {
        Files.createLink(to, file);
        return true;
      } catch (IOException | UnsupportedOperationException e) {
        return false; // another file system, or one without links
      }
    }

    /**
     * Copies the part. Nothing is synced.
     *
     * @param disk has the file
     * @param copy an empty file
     * @return what shows that the copy is whole
     * @throws IOException if the file cannot be read or the copy written
     */
    public FileSum copy(Disk disk, DiskFile copy) throws IOException {
      try (DiskFile from = disk.open(file, Mode.READ)) {
        return FileSum.copy(from, copy, part.bytes(), part.sizeBytes());
      }
    }
  }

  /**
   * What of a file is copied.
   *
   * @param bytes the bytes from its start on; {@link Long#MAX_VALUE} for all
   * @param sizeBytes the size of the copy, filled up with zeros; 0 for the bytes copied
   * @param isImmutable whether the file never changes again, so that a link can replace a copy
   */
  record Part(long bytes, long sizeBytes, boolean isImmutable) {

    /** All of a file that may change. */
    public static final Part WHOLE = new Part(Long.MAX_VALUE, 0, false);

    /** All of a file that never changes. */
    public static final Part IMMUTABLE = new Part(Long.MAX_VALUE, 0, true);
  }
}
