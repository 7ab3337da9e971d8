package dev.holdfast.cluster.member;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.shard.AdoptedJournal;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.verify.WholeJournal;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Makes the data directory of a single machine that of the first node of a cluster of one shard.
 *
 * <p>First everything is checked, and the file {@code saved} of the shard is written; all of that
 * means nothing to the single machine. The file {@code node} is the moment of change. From then on
 * the directory is a node's, and its files are moved to the place of the shard, here or by the
 * process that opens it next.
 */
public final class AdoptedDirectory {

  /** What a shard has in its own directory, with the same names. */
  private static final List<String> OF_SHARD =
      List.of(FileJournal.DIRECTORY_NAME, "sqlite", "rocksdb", "rocksdb.flushed", "import");

  private static final List<String> OF_SINGLE_MACHINE =
      List.of(FileJournal.DIRECTORY_NAME, FileJournal.MARK_FILE_NAME, "sqlite", "rocksdb");

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private static final String PROBE = "adopt.probe";
  private static final String SHARDS = "shards";

  private AdoptedDirectory() {}

  /**
   * Makes the change. Does nothing if it was made before, for the same node.
   *
   * @param disk the disk
   * @param data the data directory, absolute
   * @param cluster the name of the cluster
   * @param self the node
   * @param random makes what must not be repeated
   * @return the position of the last record that the directory had
   * @throws dev.holdfast.DirectoryInUseException if a process has the directory open
   * @throws DataDirectoryException if it is no data directory, is that of another node, is damaged,
   *     has objects that other nodes could not get, or cannot be read or written
   */
  public static long adopt(
      Disk disk, Path data, String cluster, NodeId self, RandomGenerator random) {
    return adopt(disk, data, cluster, self, random, Files::getFileStore);
  }

  /** Says on which file system a file is. */
  interface FileSystems {

    /**
     * {@return the file system, equal for files between which one can be moved}
     *
     * @throws IOException also if the machine does not say it, as in some containers
     */
    Object of(Path file) throws IOException;
  }

  /** Makes the change, as the public method does. */
  static long adopt(
      Disk disk,
      Path data,
      String cluster,
      NodeId self,
      RandomGenerator random,
      FileSystems systems) {
    WholeJournal.completeBackup(disk, data);
    requireData(disk, data); // before the lock, which would create the directory
    try (DirectoryLock lock = DirectoryLock.acquire(data, disk)) {
      lock.requireHeld();
      if (!disk.exists(data.resolve(NodeFile.NAME))) {
        requireData(disk, data);
        requireMovable(disk, data, systems);
        long lastPosition =
            AdoptedJournal.prepare(
                disk,
                lock,
                shardOf(data),
                random::nextLong,
                (records, last) -> WholeJournal.requireAllObjects(disk, data, records, last));
        NewNodeFile.adopt(disk, data, cluster, self, lastPosition, random);
      }
      NodeFile file = NodeFile.existing(disk, data);
      requireAdopted(data, file, cluster, self);
      finish(disk, data);
      return file.adopted().orElseThrow();
    }
  }

  /**
   * Moves what an interrupted change has not moved yet. Does nothing in another directory of a
   * node, or in a new one.
   *
   * @param disk the disk
   * @param data the data directory, which the caller has locked
   * @throws DataDirectoryException if it is that of a single machine, or cannot be read or written
   */
  public static void finish(Disk disk, Path data) {
    if (!disk.exists(data.resolve(NodeFile.NAME))) {
      requireNew(disk, data);
      return;
    }
    NodeFile file = NodeFile.existing(disk, data);
    if (!file.isAdopting()) {
      return;
    }
    Path shard = shardOf(data);
    try {
      // The file "node" first: without it, what is in its place already would be missing.
      disk.forceDirectory(data);
      for (String name : OF_SHARD) {
        if (disk.exists(data.resolve(name))) {
          disk.move(data.resolve(name), shard.resolve(name));
        }
      }
      disk.forceDirectory(shard);
      // The mark stays: versions that do not know the file "node" miss the journal that it names.
      disk.forceDirectory(data);
      file.endAdoption();
    } catch (IOException e) {
      boolean isUndone = undo(disk, data, shard, e);
      throw new DataDirectoryException(
          data,
          isUndone
              ? "The files of the directory cannot be moved to the place of the shard, "
                  + shard
                  + ". The directory still belongs to a single machine; nothing was changed"
              : "The files of the directory cannot be moved to the place of the shard. The"
                  + " directory already belongs to a node; check the disk and open it, or repeat"
                  + " ./holdfast cluster adopt",
          e);
    }
  }

  /** {@return whether nothing was moved, and the directory is durably not that of a node} */
  private static boolean undo(Disk disk, Path data, Path shard, IOException failure) {
    if (OF_SHARD.stream().anyMatch(name -> disk.exists(shard.resolve(name)))) {
      return false;
    }
    try {
      disk.delete(data.resolve(NodeFile.NAME));
      disk.forceDirectory(data);
      return true;
    } catch (IOException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /** A node that began in it would have no object, and the file {@code node} locks these out. */
  private static void requireNew(Disk disk, Path data) {
    for (String name : OF_SINGLE_MACHINE) {
      if (disk.exists(data.resolve(name))) {
        throw new DataDirectoryException(
            data,
            "The directory belongs to a single machine: it has "
                + name
                + ". Turn it into the directory of a node first, with ./holdfast cluster adopt or"
                + " ClusterHoldfast.adopt, or give this node another directory; nothing was"
                + " changed",
            null);
      }
    }
  }

  private static Path shardOf(Path data) {
    return data.resolve(SHARDS).resolve("0000");
  }

  private static void requireData(Disk disk, Path data) {
    if (disk.exists(data.resolve(NodeFile.NAME))) {
      return;
    }
    if (!Files.isDirectory(data.resolve(FileJournal.DIRECTORY_NAME))) {
      throw new DataDirectoryException(
          data, "The directory has no journal; name the data directory of a single machine", null);
    }
  }

  /** What is on another file system cannot be moved, and a link would lead to the old place. */
  private static void requireMovable(Disk disk, Path data, FileSystems systems) {
    try {
      for (String name : OF_SHARD) {
        Path each = data.resolve(name);
        if (Files.isSymbolicLink(each)) {
          throw notMovable(each, "The path is a symbolic link");
        }
        if (Files.isDirectory(each) && !isMovable(disk, data, each, systems)) {
          throw notMovable(each, "The path is on another file system than " + data);
        }
      }
    } catch (IOException e) {
      throw new DataDirectoryException(data, "The directory cannot be read", e);
    }
  }

  private static DataDirectoryException notMovable(Path file, String why) {
    return new DataDirectoryException(
        file,
        why
            + ", so it cannot be moved to the place of the shard. Move it into the data"
            + " directory first; nothing was changed",
        null);
  }

  /** If the machine does not say it, an empty file is moved out of the directory. */
  private static boolean isMovable(Disk disk, Path data, Path directory, FileSystems systems)
      throws IOException {
    try {
      return systems.of(directory).equals(systems.of(data));
    } catch (IOException | RuntimeException e) {
      Path probe = directory.resolve(PROBE);
      Path moved = data.resolve(PROBE);
      disk.delete(probe);
      disk.delete(moved);
      disk.open(probe, Mode.CREATE).close();
      try {
        disk.move(probe, moved);
        return true;
      } catch (IOException | RuntimeException notMoved) {
        e.addSuppressed(notMoved);
        LOG.log(Level.DEBUG, "A file cannot be moved out of " + directory, e);
        return false;
      } finally {
        disk.delete(probe);
        disk.delete(moved);
      }
    }
  }

  private static void requireAdopted(Path data, NodeFile file, String cluster, NodeId self) {
    boolean isSame = file.cluster().equals(cluster) && file.node().equals(self.name());
    if (!isSame || file.adopted().isEmpty()) {
      throw new DataDirectoryException(
          data,
          "The directory belongs to node "
              + file.node()
              + " of cluster "
              + file.cluster()
              + " already. Open it as that node; nothing was changed",
          null);
    }
  }
}
