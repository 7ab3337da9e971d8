package dev.holdfast.journal;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import java.nio.file.Path;
import java.util.List;

/**
 * The directory of a node of a cluster. Its objects are in the directories of its shards, so for
 * what reads a data directory it would be one without objects.
 */
public final class NodeDirectory {

  /** Says whose the directory is; {@code docs/cluster.md} has its lines. */
  public static final String FILE_NAME = "node";

  /** A node has these in the directories of its shards. */
  private static final List<String> SINGLE_MACHINE =
      List.of("journal", "journal.mark", "sqlite", "rocksdb", "backup.manifest");

  private NodeDirectory() {}

  /**
   * Returns whether a directory is that of a node, or a backup of one.
   *
   * @param disk where it is
   * @param data the directory
   * @return whether it is one
   */
  public static boolean isNode(Disk disk, Path data) {
    return disk.exists(data.resolve(FILE_NAME));
  }

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
   * Refuses to back up the directory of a node as that of a single machine.
   *
   * @param disk where it is
   * @param data the directory
   * @throws DataDirectoryException if it is one; nothing was changed
   */
  public static void refuseToBackUp(Disk disk, Path data) {
    refuse(disk, data, "Back it up with ClusterHoldfast.backup; nothing was changed");
  }

  /**
   * Refuses to read the directory of a node as that of a single machine.
   *
   * @param disk where it is
   * @param data the directory
   * @throws DataDirectoryException if it is one
   */
  public static void refuseToRead(Disk disk, Path data) {
    refuse(disk, data, "Read it with StoppedNode.read (holdfast-cluster)");
  }

  /**
   * Refuses to open the directory of a single machine, or a backup of one, as that of a node: the
   * node would begin without its objects, and the single machine could not open it any longer.
   *
   * @param disk where it is
   * @param data the directory
   * @throws DataDirectoryException if it is one; nothing was changed
   */
  public static void refuseSingleMachine(Disk disk, Path data) {
    if (!isNode(disk, data)
        && SINGLE_MACHINE.stream().anyMatch(name -> disk.exists(data.resolve(name)))) {
      throw new DataDirectoryException(
          data,
          "The directory belongs to a single machine. Make it the first node of a cluster with"
              + " ./holdfast cluster adopt or ClusterHoldfast.adopt, or name another directory;"
              + " nothing was changed",
          null);
    }
  }

  /**
   * Refuses to restore from the directory of a node, as if it was that of a single machine.
   *
   * @param disk where it is
   * @param data the directory
   * @throws DataDirectoryException if it is one; nothing was changed
   */
  public static void refuseToRestore(Disk disk, Path data) {
    refuse(
        disk,
        data,
        "Objects of a node go to another directory one by one, with ./holdfast inspect export of"
            + " the stopped node or its backup, or all together as a new cluster, with ./holdfast"
            + " cluster recover of its backup; nothing was changed");
  }

  /**
   * Refuses to repair the directory of a node: what it has must be what the other nodes have.
   *
   * @param disk where it is
   * @param data the directory
   * @throws DataDirectoryException if it is one; nothing was changed
   */
  public static void refuseToRepair(Disk disk, Path data) {
    refuse(
        disk,
        data,
        "A node that is opened repairs its sealed segments from the others. If it does not open,"
            + " replace it (./holdfast cluster add and remove); nothing was changed");
  }

  private static void refuse(Disk disk, Path data, String remedy) {
    if (disk.exists(data.resolve(FILE_NAME))) {
      throw new DataDirectoryException(
          data, "The directory belongs to a node of a cluster. " + remedy, null);
    }
  }
}
