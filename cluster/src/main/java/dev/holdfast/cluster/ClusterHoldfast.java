package dev.holdfast.cluster;

import dev.holdfast.ObjectRegistrar;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.Consumer;

/** Opens durable objects on several machines. */
public final class ClusterHoldfast {

  private ClusterHoldfast() {}

  /**
   * Opens a node: takes part in the logs of all shards, and takes calls. Returns before the shards
   * have owners; {@link ClusterRuntime#awaitReady} waits for that, and calls do.
   *
   * @param directory the node's directory; created if missing. It belongs to this node for ever
   * @param options the cluster, this node and the members
   * @param objects registers namespaces and options, the same on all nodes; called now, before any
   *     file is touched, and whenever this node takes a shard
   * @return the node
   * @throws IllegalArgumentException if the options do not fit
   * @throws dev.holdfast.errors.NamespaceException if a namespace is malformed or registered twice
   * @throws dev.holdfast.DirectoryInUseException if another process has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if the directory is one of another node,
   *     cluster or number of shards, or cannot be used
   * @throws dev.holdfast.cluster.errors.ClusterException if the certificates cannot be used, or the
   *     address is taken
   */
  public static ClusterRuntime open(
      Path directory, ClusterOptions options, Consumer<ObjectRegistrar> objects) {
    return ClusterNode.open(directory, options, objects, new SecureRandom());
  }
}
