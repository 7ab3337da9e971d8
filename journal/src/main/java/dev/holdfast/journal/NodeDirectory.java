package dev.holdfast.journal;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import java.nio.file.Path;

/**
 * The directory of a node of a cluster. Its objects are in the directories of its shards, so for
 * what reads a data directory it would be one without objects.
 */
public final class NodeDirectory {

  /** Says whose the directory is; {@code docs/cluster.md} has its lines. */
  public static final String FILE_NAME = "node";

  private NodeDirectory() {}

  /**
   * Refuses to open the directory of a node as that of a single machine.
   *
   * @param disk where it is
   * @param data the directory
   * @throws DataDirectoryException if it is one; nothing was changed
   */
  public static void refuseToOpen(Disk disk, Path data) {
    refuse(
        disk,
        data,
        "Open it with ClusterHoldfast.open, or name another directory; nothing was changed");
  }

  /**
   * Refuses to read the directory of a node as that of a single machine.
   *
   * @param disk where it is
   * @param data the directory
   * @throws DataDirectoryException if it is one; nothing was changed
   */
  public static void refuseToRead(Disk disk, Path data) {
    refuse(
        disk,
        data,
        "A running node checks its segments itself, and ./holdfast cluster status shows its shards."
            + " A copy of the whole directory of a stopped node can be made a new cluster with"
            + " ./holdfast cluster recover, and nothing else; nothing was changed");
  }

  private static void refuse(Disk disk, Path data, String remedy) {
    if (disk.exists(data.resolve(FILE_NAME))) {
      throw new DataDirectoryException(
          data, "The directory is that of a node of a cluster. " + remedy, null);
    }
  }
}
