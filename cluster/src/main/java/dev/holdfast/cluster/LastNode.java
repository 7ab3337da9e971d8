package dev.holdfast.cluster;

import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.shard.LoneReplica;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.OfflineLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Makes a cluster of one from the directory of a node, after the others are lost.
 *
 * <p>First every copy gets all that its log has, as if a majority had it, and the file {@code node}
 * says so. Only then are the logs deleted and the copies separated from them. So a process that is
 * killed in between leaves either a node of the old cluster, or a directory that cannot be opened
 * before this is repeated.
 */
final class LastNode {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Path data;
  private final Disk disk;
  private final RandomGenerator random;

  LastNode(Path data, Disk disk, RandomGenerator random) {
    this.data = data;
    this.disk = disk;
    this.random = random;
  }

  /** See {@link ClusterHoldfast#recover}. */
  List<RecoveredShard> recover(boolean isDamageAccepted) {
    NodeFile.existing(disk, data); // before the lock, which would create the directory
    try (DirectoryLock lock = DirectoryLock.acquire(data, disk)) {
      lock.requireHeld();
      NodeFile file = NodeFile.existing(disk, data);
      if (file.isCopyWithoutLogs()) {
        LOG.log(
            Level.WARNING,
            "The directory {0} is a backup of a cluster whose nodes may still run. One of them that"
                + " meets the new cluster stops for good, with RECOVERED, and what the nodes have"
                + " acknowledged since the backup is not in the new cluster. Open it where it"
                + " reaches none of them, or end them first.",
            data);
      }
      if (!file.isRecovering() && !file.isCopyWithoutLogs()) {
        requireJoined(file);
        requireAllShards(file);
        if (!isDamageAccepted) {
          requireWholeLogs(file);
        }
        readLogs(file);
        file.recovering("true");
      }
      List<RecoveredShard> shards = leaveLogs(file);
      file.beginLineage(random);
      return shards;
    } catch (IOException e) {
      throw new DataDirectoryException(data, "The directory cannot be made a cluster of one", e);
    }
  }

  private void requireJoined(NodeFile file) {
    if (!file.hasJoined()) {
      throw new DataDirectoryException(
          data,
          "The node has not taken part in its cluster yet, so it has no copies. Open it as a node"
              + " of that cluster, or use the directory of another one",
          null);
    }
  }

  /** What another node keeps is not here, whatever damage is accepted. */
  private void requireAllShards(NodeFile file) {
    for (int shard = 0; shard < file.shards(); shard++) {
      if (!file.isKept(shard)) {
        throw new DataDirectoryException(
            directoryOf(shard),
            "The node does not keep shard "
                + shard
                + ". Use the directory of a node that keeps all shards; if there is none, restore"
                + " the cluster from its archive",
            null);
      }
    }
  }

  private void requireWholeLogs(NodeFile file) {
    for (int shard = 0; shard < file.shards(); shard++) {
      OfflineLog.Condition found =
          logOf(file, shard).examine(LoneReplica.appliedIndex(directoryOf(shard), disk));
      if (found != OfflineLog.Condition.WHOLE) {
        throw new DataDirectoryException(
            directoryOf(shard),
            "The log of shard "
                + shard
                + switch (found) {
                  case MISSING -> " is missing";
                  case TAKEN_BACK -> " has taken back what this copy has";
                  default -> " is damaged at its end";
                }
                + ", so this copy may lack what it has acknowledged. Use the directory of another"
                + " node, or accept the damage",
            null);
      }
    }
  }

  private OfflineLog logOf(NodeFile file, int shard) {
    return new OfflineLog(data.resolve("shards"), file.logName(), shard);
  }

  private Path directoryOf(int shard) {
    return ShardDirectories.shard(data, shard);
  }

  /** All copies get what their logs have, durably. */
  private void readLogs(NodeFile file) {
    for (int shard = 0; shard < file.shards(); shard++) {
      OfflineLog log = logOf(file, shard);
      withReplica(
          file,
          shard,
          replica -> {
            replica.start(log);
            return replica;
          });
    }
  }

  private List<RecoveredShard> leaveLogs(NodeFile file) throws IOException {
    List<RecoveredShard> shards = new ArrayList<>();
    for (int shard = 0; shard < file.shards(); shard++) {
      Path directory = directoryOf(shard);
      LoneReplica.leaveLog(directory, disk);
      FileTree.delete(disk, directory.resolve("log"));
      disk.forceDirectory(directory);
      int number = shard;
      shards.add(withReplica(file, shard, replica -> described(number, replica)));
    }
    return shards;
  }

  private static RecoveredShard described(int shard, ShardReplica replica) {
    long last = replica.lastPosition();
    List<Instant> written = new ArrayList<>();
    if (last > 0) {
      replica
          .history()
          .forEach(last, last, record -> written.add(Instant.ofEpochMilli(record.wallMillis())));
    }
    return new RecoveredShard(shard, last, written.isEmpty() ? null : written.getLast());
  }

  /** Uses a copy, and makes durable what it has got. */
  private <R> R withReplica(NodeFile file, int shard, Function<ShardReplica, R> use) {
    return OfflineReplica.use(
        directoryOf(shard), disk, new NodeId(file.node()), /* others= */ null, use);
  }
}
