package dev.holdfast.cluster.shard;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archiver.ClusterArchive;
import dev.holdfast.cluster.member.NodeFile;
import org.jspecify.annotations.Nullable;

/**
 * Where a node archives the shards that it owns: one place for all nodes and shards, to which the
 * owner of a shard adds what the earlier ones have not. Thread-safe.
 */
public final class NodeArchive implements AutoCloseable {

  private final @Nullable ArchiveOptions options;
  private final @Nullable ClusterArchive shards;
  private final NodeFile file;

  /**
   * Creates the archive; it opens nothing.
   *
   * @param options where and how; null for nowhere
   * @param file of the node
   */
  public NodeArchive(@Nullable ArchiveOptions options, NodeFile file) {
    this.options = options;
    this.shards =
        options == null
            ? null
            : new ClusterArchive(
                options.store(), new ClusterArchive.Identity(file.cluster(), file.shards()));
    this.file = file;
  }

  /**
   * {@return what a shard is opened with}
   *
   * @param shard its number
   * @param host what it is opened with without an archive
   */
  public ShardRuntime.Host hostOf(int shard, ShardRuntime.Host host) {
    ArchiveOptions all = options;
    ClusterArchive places = shards;
    return all == null || places == null
        ? host
        : host.archivingTo(
            new ShardRuntime.Archive(
                new ArchiveOptions(
                    places.shard(shard),
                    all.interval(),
                    all.lateMax(),
                    all.lagBytesMax(),
                    all.baseBytes(),
                    all.retention(),
                    all.basesMax()),
                file.lineage()));
  }

  @Override
  public void close() {
    if (options != null) {
      options.store().close();
    }
  }
}
