package dev.holdfast.cluster.member;

import dev.holdfast.errors.BackupException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.StagedDirectory;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.StoppedReplica;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Set;

/**
 * The backup of a node that does not run: all files of its directory, with its logs, because a
 * cluster of one is made of all that a log has. It appears as a whole. Its file {@code node} says
 * that it is a copy, so that no process opens it as the node. Stateless.
 */
public final class NodeBackup {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** A line of the file {@code node}. */
  private static final String COPY = "copy=true\n";

  /** Of processes, and not of the node. */
  private static final Set<String> LEFT_OUT = Set.of("LOCK", "operator", "operator.sock");

  private NodeBackup() {}

  /**
   * Makes the backup.
   *
   * @param data the directory of the node, absolute
   * @param target the directory of the backup, absolute
   * @param now the time of the backup
   * @return the backup
   * @throws BackupException if the target cannot be used, or a file cannot be read or written
   * @throws DataDirectoryException if it cannot be said which shards the node has
   */
  public static Backup make(Path data, Path target, Instant now) {
    if (target.startsWith(data) || data.startsWith(target)) {
      throw new BackupException(
          target,
          "The target is the directory of the node, is in it or has it; nothing was changed. Name a"
              + " directory outside of it, best on another disk",
          null);
    }
    Disk disk = JournalOptions.DEFAULT.disk();
    try (DirectoryReadLock _ = DirectoryReadLock.acquire(data)) {
      long position = 0;
      for (Path shard : ShardDirectories.shards(disk, data)) {
        position = Math.max(position, savedPosition(disk, shard));
      }
      long last = position;
      return StagedDirectory.make(
          target, ".backup", disk, data, (_, made) -> copy(disk, data, made, target, last, now));
    }
  }

  /** {@return what a copy states; 0 if it does not: a backup of what is damaged is one, too} */
  private static long savedPosition(Disk disk, Path shard) {
    try {
      StoppedReplica replica = StoppedReplica.read(disk, shard);
      return replica == null ? 0 : replica.savedPosition();
    } catch (DataDirectoryException e) {
      LOG.log(Level.WARNING, "The copy of a shard is backed up as it is.", e);
      return 0;
    }
  }

  private static Backup copy(
      Disk disk, Path data, Path made, Path target, long position, Instant now) throws IOException {
    FileTree.Copied copied =
        FileTree.copy(disk, data, made, file -> !LEFT_OUT.contains(file.toString()));
    Path node = made.resolve(NodeDirectory.FILE_NAME);
    if (disk.exists(node) && !isCopy(node)) {
      Files.write(node, COPY.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
    }
    FileTree.force(disk, made);
    return new Backup(target, position, now, copied.files(), copied.bytes(), 0);
  }

  /** {@return whether it is a copy already, perhaps of another kind: so is a copy of that} */
  private static boolean isCopy(Path node) throws IOException {
    return Files.readString(node).lines().anyMatch(line -> line.startsWith("copy="));
  }
}
