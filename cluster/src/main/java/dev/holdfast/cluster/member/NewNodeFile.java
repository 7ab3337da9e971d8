package dev.holdfast.cluster.member;

import static dev.holdfast.cluster.call.EndpointOptions.RANDOM_BITS;
import static dev.holdfast.cluster.member.NodeFile.ADOPTED;
import static dev.holdfast.cluster.member.NodeFile.ADOPTING;
import static dev.holdfast.cluster.member.NodeFile.INCARNATION;
import static dev.holdfast.cluster.member.NodeFile.LINEAGE;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** The files of first nodes, whose directories are made of others. Stateless. */
final class NewNodeFile {

  private NewNodeFile() {}

  /**
   * Begins the file of a node whose directory was that of a single machine: the first node of a
   * cluster of one shard. The cluster has a lineage, because the directory may have been copied
   * before: two clusters that are made of the copies do not understand each other.
   *
   * @param disk the disk
   * @param directory of the node
   * @param cluster the name of the cluster
   * @param self the node
   * @param lastPosition the last record of the single machine
   * @param random makes what must not be repeated
   * @throws DataDirectoryException if the file cannot be written
   */
  static void adopt(
      Disk disk,
      Path directory,
      String cluster,
      NodeId self,
      long lastPosition,
      RandomGenerator random) {
    Map<String, String> adopted = Map.of(ADOPTED, String.valueOf(lastPosition), ADOPTING, "true");
    begin(disk, directory, cluster, self, /* shards= */ 1, adopted, random);
  }

  /**
   * Begins the file of a node whose shards were restored: the first node of a cluster. It has
   * another lineage than the cluster that was archived, which may run still.
   *
   * @param disk the disk
   * @param directory of the node
   * @param cluster the name of the cluster
   * @param self the node
   * @param shards the number of shards
   * @param random makes what must not be repeated
   * @throws DataDirectoryException if the file cannot be written
   */
  static void restored(
      Disk disk, Path directory, String cluster, NodeId self, int shards, RandomGenerator random) {
    begin(disk, directory, cluster, self, shards, Map.of(), random);
  }

  private static void begin(
      Disk disk,
      Path directory,
      String cluster,
      NodeId self,
      int shards,
      Map<String, String> more,
      RandomGenerator random) {
    Map<String, String> values = new TreeMap<>(more);
    values.put("cluster", cluster);
    values.put("node", self.name());
    values.put("shards", String.valueOf(shards));
    values.put(INCARNATION, Long.toHexString(random.nextLong()));
    // With the number of a first cluster: it must not send the members of such a one away.
    values.put(LINEAGE, Long.toHexString(random.nextLong(1, 1L << RANDOM_BITS)));
    NodeFile.write(disk, directory.resolve(NodeFile.NAME), values);
  }
}
