package dev.holdfast.cluster.member;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archiver.ArchiveRestore;
import dev.holdfast.archiver.ClusterArchive;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.journal.StagedDirectory;
import dev.holdfast.journal.shard.RestoredReplica;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.verify.ShardSplit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes the directory of the first node of a cluster from what another one has archived, or from
 * what a single machine has. It appears when all shards are complete and durable. Stateless.
 */
public final class RestoredDirectory {

  private RestoredDirectory() {}

  /**
   * Whose directory it is.
   *
   * @param cluster the name of the cluster
   * @param self the node
   * @param shards the number of shards
   */
  public record Owner(String cluster, NodeId self, int shards) {}

  /**
   * Restores all shards. With another number of shards than were archived, their objects are
   * divided among the new ones.
   *
   * @param host what a restore needs
   * @param archive where all shards are archived; not closed
   * @param data the directory, absolute; missing or empty
   * @param owner whose directory it is
   * @param request the moment, and what receives the progress
   * @param random makes what must not be repeated
   * @return what was restored, in the order of the shards
   * @throws ArchiveException if the archive cannot be read, is damaged or does not cover the moment
   * @throws dev.holdfast.errors.DataDirectoryException if the directory is not empty, or cannot be
   *     written
   * @throws IllegalArgumentException if the request asks for a part or for a position
   */
  public static List<RestoreResult> restore(
      ArchiveRestore.Host host,
      ArchiveStore archive,
      Path data,
      Owner owner,
      RestoreRequest request,
      RandomGenerator random) {
    requireOffered(request);
    ClusterArchive shards = ClusterArchive.read(archive);
    int archived = shards.identity().shards();
    Disk disk = host.disk();
    return StagedDirectory.make(
        data,
        ".restoring",
        disk,
        /* source= */ null,
        (work, made) -> {
          Path restoring = archived == owner.shards() ? made : work.resolve("archived");
          if (archived > 1 && archived != owner.shards()) {
            requireClock(host, shards, restoring, request.target());
          }
          List<RestoreResult> restored = new ArrayList<>();
          List<Path> sources = new ArrayList<>();
          for (int shard = 0; shard < archived; shard++) {
            restored.add(restore(host, shards.shard(shard), restoring, shard, request));
            sources.add(ShardDirectories.shard(restoring, shard));
          }
          requireSome(archive, request.target(), restored);
          if (archived == owner.shards()) {
            NewNodeFile.restored(disk, made, owner.cluster(), owner.self(), archived, random);
            disk.forceDirectory(made);
            return restored;
          }
          try (ShardSplit split = ShardSplit.ofShards(disk, sources)) {
            return divide(host, split, work, made, owner, request, random);
          }
        });
  }

  /**
   * Divides what a single machine has among the shards.
   *
   * @param host what a restore needs
   * @param source where it is
   * @param data the directory, absolute; missing or empty
   * @param owner whose directory it is
   * @param request the moment, and what receives the progress
   * @param random makes what must not be repeated
   * @return what was restored, in the order of the shards
   * @throws ArchiveException if the archive cannot be read, is damaged or does not cover the moment
   * @throws dev.holdfast.errors.DataDirectoryException if the directory is not empty, or cannot be
   *     written, or the source is damaged or has a purge that is not done
   * @throws IllegalArgumentException if the request asks for a part or for a position
   */
  public static List<RestoreResult> divide(
      ArchiveRestore.Host host,
      Single source,
      Path data,
      Owner owner,
      RestoreRequest request,
      RandomGenerator random) {
    requireOffered(request);
    Disk disk = host.disk();
    return StagedDirectory.make(
        data,
        ".restoring",
        disk,
        source.directory(),
        (work, made) -> {
          try (ShardSplit split = ShardSplit.open(disk, source.whole(work, request))) {
            return divide(host, split, work, made, owner, request, random);
          }
        });
  }

  /** What a single machine has. */
  public interface Single {

    /** {@return the directory that is read; null if it is an archive} */
    @Nullable Path directory();

    /**
     * {@return a data directory as it was at the moment}
     *
     * @param work a directory where it can be made
     * @param request the moment, and what receives the progress
     */
    Path whole(Path work, RestoreRequest request);
  }

  private static List<RestoreResult> divide(
      ArchiveRestore.Host host,
      ShardSplit split,
      Path work,
      Path made,
      Owner owner,
      RestoreRequest request,
      RandomGenerator random)
      throws IOException {
    Disk disk = host.disk();
    List<Path> shards = new ArrayList<>();
    for (int shard = 0; shard < owner.shards(); shard++) {
      shards.add(ShardDirectories.shard(made, shard));
    }
    disk.ensureDirectory(made);
    disk.ensureDirectory(Objects.requireNonNull(shards.getFirst().getParent()));
    split.write(shards, work, host.nowMillis(), host.random(), request.progress());
    FileTree.force(disk, made);
    List<RestoreResult> restored = new ArrayList<>();
    for (Path shard : shards) {
      long last = RestoredReplica.prepareOwn(disk, shard, host.random());
      restored.add(new RestoreResult(0, last, FileTree.bytesBelow(disk, shard), List.of()));
    }
    NewNodeFile.restored(disk, made, owner.cluster(), owner.self(), owner.shards(), random);
    disk.forceDirectory(made);
    return restored;
  }

  private static RestoreResult restore(
      ArchiveRestore.Host host, ArchiveStore archive, Path data, int shard, RestoreRequest request)
      throws IOException {
    Path directory = ShardDirectories.shard(data, shard);
    host.disk().ensureDirectory(Objects.requireNonNull(directory.getParent()));
    RestoreResult restored =
        ArchiveRestore.ofShard(archive, host)
            .run(directory, request.target(), /* selection= */ null, request.progress());
    RestoredReplica.prepare(host.disk(), directory, host.random());
    return restored;
  }

  /** Before the work: the division refuses what ends in the future. */
  private static void requireClock(
      ArchiveRestore.Host host, ClusterArchive archive, Path restoring, RestoreTarget target) {
    for (int shard = 0; shard < archive.identity().shards(); shard++) {
      long last = ArchiveRestore.ofShard(archive.shard(shard), host).lastMillis(target);
      ShardSplit.requireNotAfter(ShardDirectories.shard(restoring, shard), last, host.nowMillis());
    }
  }

  /** A shard alone may have been empty at the time. */
  private static void requireSome(
      ArchiveStore archive, RestoreTarget target, List<RestoreResult> restored) {
    if (target instanceof RestoreTarget.AtTime
        && restored.stream().allMatch(shard -> shard.position() == 0)) {
      throw new ArchiveException(archive + " has no record at or before the moment", null);
    }
  }

  private static void requireOffered(RestoreRequest request) {
    if (request.namespace() != null || request.target() instanceof RestoreTarget.AtPosition) {
      throw new IllegalArgumentException(
          "All objects of a cluster are restored, to the latest state or to a time: each shard"
              + " counts its own positions");
    }
  }
}
