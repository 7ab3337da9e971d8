package dev.holdfast.embedded;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import java.nio.file.Path;

/** The directory of a node of a cluster, which has the data of a single machine nowhere. */
final class NodeDirectory {

  /** Says whose the directory is; {@code docs/cluster.md} has its lines. */
  private static final String FILE_NAME = "node";

  private NodeDirectory() {}

  /**
   * Refuses the directory of a node: a journal that is begun in it has none of its objects.
   *
   * @throws DataDirectoryException if it is one; nothing was changed
   */
  static void refuse(Disk disk, Path data) {
    if (disk.exists(data.resolve(FILE_NAME))) {
      throw new DataDirectoryException(
          data,
          "The directory is that of a node of a cluster. Open it with ClusterHoldfast.open, or name"
              + " another directory; nothing was changed",
          null);
    }
  }
}
