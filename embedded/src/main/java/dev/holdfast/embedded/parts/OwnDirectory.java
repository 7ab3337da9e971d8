package dev.holdfast.embedded.parts;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Whether a directory may become a data directory: files of something else in it are the sign of a
 * wrong path, and would be copied, restored and deleted with the data. Stateless.
 */
public final class OwnDirectory {

  /** A directory with one of these was opened before, or is a backup. */
  private static final Set<String> OURS =
      Set.of(
          "LOCK",
          "journal",
          "journal.mark",
          "sqlite",
          "rocksdb",
          "rocksdb.flushed",
          "backup.manifest",
          "node",
          "shards",
          "operator.sock");

  /** What a new file system has. */
  private static final String RECOVERED = "lost+found";

  private OwnDirectory() {}

  /**
   * Refuses a directory that has files, and none of Holdfast. Names that begin with a dot, and
   * {@code lost+found}, do not count: file systems and their tools make them.
   *
   * @param disk where it is
   * @param data the directory; may be missing
   * @throws DataDirectoryException if it is another one's
   */
  public static void require(Disk disk, Path data) {
    List<String> foreign = new ArrayList<>();
    try {
      for (Path each : disk.list(data)) {
        String name = String.valueOf(each.getFileName());
        if (OURS.contains(name)) {
          return;
        }
        if (!name.startsWith(".") && !name.equals(RECOVERED)) {
          foreign.add(name);
        }
      }
    } catch (NotDirectoryException e) {
      return; // the opening cannot create the directory, and says so
    } catch (IOException e) {
      throw new DataDirectoryException(data, "The directory cannot be read", e);
    }
    if (!foreign.isEmpty()) {
      throw new DataDirectoryException(
          data,
          "The directory is not empty and is not a data directory: it has "
              + foreign.getFirst()
              + ". Name an empty directory, or one that does not exist; nothing was changed",
          null);
    }
  }
}
