package dev.holdfast.cluster.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archiver.ClusterArchive;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a node archives the shards that it owns: one place for all nodes and shards, to which the
 * owner of a shard adds what the earlier ones have not. Thread-safe.
 */
public final class NodeArchive implements AutoCloseable {

  /** Other nodes are asked less often the longer they need. */
  private static final long ASK_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final long ASK_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(200);

  /** A node that is only slower than the others is no trouble. */
  private static final long WAITING_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

  private final @Nullable ArchiveOptions options;
  private final @Nullable ClusterArchive shards;
  private final NodeFile file;
  private final Others others;
  private final TimeSource time;
  private final Executor work;
  private final Set<Asking> asking = ConcurrentHashMap.newKeySet();

  /** The nodes whose additions end before an archive is purged. */
  public interface Others {

    /** {@return the members that this node knows; it is among them or not} */
    Collection<NodeId> members();

    /**
     * Asks a node to {@linkplain NodeArchive#endAdditions end its additions}, and which members it
     * knows. Blocks.
     *
     * @param node the node
     * @param shard the number of the shard
     * @param epoch the epoch of the ownership that asks
     * @return whether none is under way
     * @throws RuntimeException if the node does not answer
     */
    boolean endAdditions(NodeId node, int shard, long epoch);
  }

  /**
   * Creates the archive; it opens nothing.
   *
   * @param options where and how; null for nowhere
   * @param file of the node
   * @param others the nodes that may have owned the shards
   * @param time says when to ask them again
   * @param work runs what blocks
   */
  public NodeArchive(
      @Nullable ArchiveOptions options,
      NodeFile file,
      Others others,
      TimeSource time,
      Executor work) {
    this.options = options;
    this.shards =
        options == null
            ? null
            : new ClusterArchive(
                options.store(), new ClusterArchive.Identity(file.cluster(), file.shards()));
    this.file = file;
    this.others = others;
    this.time = time;
    this.work = work;
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
    return all == null || places == null ? host : host.archivingTo(new OfShard(shard, all, places));
  }

  /** The archive of one shard. */
  private final class OfShard implements ShardRuntime.Archive {

    private final int shard;
    private final ArchiveOptions all;
    private final ClusterArchive places;

    OfShard(int shard, ArchiveOptions all, ClusterArchive places) {
      this.shard = shard;
      this.all = all;
      this.places = places;
    }

    @Override
    public ArchiveOptions options(long epoch) {
      return new ArchiveOptions(
          places.shard(shard, epoch),
          all.interval(),
          all.lateMax(),
          all.lagBytesMax(),
          all.baseBytes(),
          all.retention(),
          all.basesMax());
    }

    @Override
    public long lineage() {
      return file.lineage();
    }

    @Override
    public CompletableFuture<Void> whenAlone(long epoch) {
      Asking begun = new Asking(shard, epoch, () -> places.isClosed(shard, epoch));
      asking.add(begun);
      begun.askSoon();
      return begun.alone;
    }
  }

  /**
   * Ends what this node adds to the archive of a shard by its earlier ownerships: none of them
   * begins to add anything from now on.
   *
   * @param shard the number of the shard
   * @param epoch the epoch of the ownership that asks
   * @return whether nothing is being added by them any more
   */
  public boolean endAdditions(int shard, long epoch) {
    return shards == null || shards.endAdditions(shard, epoch);
  }

  private static String stillAdds(String node) {
    return node
        + " is in a call of the store, as an earlier owner, and adds what is older. If the call"
        + " does not end, end its process and start it again.";
  }

  /** Asks all members, again and again, until each of them adds nothing any more. */
  private final class Asking {

    private final int shard;
    private final long epoch;
    private final BooleanSupplier isOver;
    private final CompletableFuture<Void> alone = new CompletableFuture<>();
    private final long beganNanos = time.monotonicNanos();
    private long againNanos = ASK_NANOS_MIN;
    private volatile String lacking = "";

    Asking(int shard, long epoch, BooleanSupplier isOver) {
      this.shard = shard;
      this.epoch = epoch;
      this.isOver = isOver;
    }

    void askSoon() {
      try {
        work.execute(this::ask);
      } catch (RejectedExecutionException e) {
        asking.remove(this); // the node is closed
      }
    }

    private void ask() {
      if (isOver.getAsBoolean()) {
        asking.remove(this); // the next owner asks, if anybody still wants it
        return;
      }
      String found = lacking();
      if (found == null) {
        asking.remove(this);
        alone.complete(null);
        return;
      }
      lacking = found;
      time.schedule(againNanos, this::askSoon);
      againNanos = Math.min(2 * againNanos, ASK_NANOS_MAX);
    }

    /** {@return which node may add something; null if none does} */
    private @Nullable String lacking() {
      if (!endAdditions(shard, epoch)) {
        return stillAdds("This node");
      }
      Set<NodeId> ended = new HashSet<>();
      List<NodeId> left = List.copyOf(others.members());
      while (!left.isEmpty()) {
        for (NodeId each : left) {
          try {
            if (!others.endAdditions(each, shard, epoch)) {
              return stillAdds("Node " + each);
            }
          } catch (RuntimeException e) { // also while it is being opened
            return "Node "
                + each
                + " does not say that it adds nothing ("
                + e.getMessage()
                + "). Start it. Or end its process, and remove or replace it: then the purge goes"
                + " on.";
          }
          ended.add(each);
        }
        // They may have told of members that this node did not know.
        left = others.members().stream().filter(each -> !ended.contains(each)).toList();
      }
      return null;
    }
  }

  /** {@return that purges of archives wait for other nodes; empty if none waits for long} */
  public List<HealthReason> troubles() {
    long now = time.monotonicNanos();
    List<HealthReason> troubles = new ArrayList<>();
    for (Asking each : asking) {
      if (now - each.beganNanos >= WAITING_NANOS_MAX) {
        troubles.add(
            new HealthReason(
                HealthReason.PURGE_WAITS,
                HealthState.DEGRADED,
                "The purge of the archive of shard " + each.shard + " waits. " + each.lacking));
      }
    }
    return troubles;
  }

  @Override
  public void close() {
    if (options != null) {
      options.store().close();
    }
  }
}
