package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.route.Ownership;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.RatisLog;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A shard on this node: its copy, and its objects while this node owns it. Takes the shard when the
 * log says that it may, and gives its objects up when the ownership ends. Thread-safe.
 *
 * <p>Objects are opened and closed by one thread, one ownership after the other: two would use the
 * same files.
 */
final class NodeShard implements ShardHost.Owner, AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final int number;
  private final Parts parts;
  private final ShardReplica replica;
  private final RatisLog log;
  private final Function<ShardJournal, ObjectRuntime> open;
  private final ExecutorService opener;

  private volatile boolean mayLead;
  private volatile boolean closing;

  /** The objects that are open or being opened; null if this node does not own the shard. */
  private final AtomicReference<@Nullable CompletableFuture<OwnedShard>> objects =
      new AtomicReference<>();

  /** Confined to the opener until it has ended: must be closed before the next is opened. */
  private @Nullable ObjectRuntime opened;

  /**
   * What a shard needs of its node.
   *
   * @param open the shards that are open on the node
   * @param retryNanos after how long a claim without effect is repeated
   */
  record Parts(
      NodeId self,
      TimeSource time,
      ExecutorService saver,
      ExecutorService proposer,
      ExecutorService notifier,
      RoutingTable table,
      OpenShards open,
      long retryNanos) {}

  /**
   * @param open opens the objects on a journal
   */
  NodeShard(
      int number,
      Path directory,
      JournalOptions options,
      RatisLog log,
      Parts parts,
      Function<ShardJournal, ObjectRuntime> open) {
    this.number = number;
    this.parts = parts;
    this.open = open;
    this.log = log;
    this.opener =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("holdfast-shard-" + number).factory());
    this.replica =
        ShardReplica.open(
            directory,
            options,
            new ShardHost(
                parts.self(),
                parts.time(),
                parts.saver(),
                parts.proposer(),
                parts.notifier(),
                this));
  }

  void start() {
    replica.start(log);
  }

  /** {@return the objects, perhaps still being opened; null if this node does not own the shard} */
  @Nullable CompletableFuture<OwnedShard> objects() {
    return objects.get();
  }

  /** {@return the objects, if they are open; null if they are not, or are being opened} */
  @Nullable OwnedShard openObjects() {
    CompletableFuture<OwnedShard> here = objects.get();
    return here != null && here.isDone() && !here.isCompletedExceptionally()
        ? here.resultNow()
        : null;
  }

  /** {@return whether the shard has an owner, whose objects are open if it is this node} */
  boolean isReady() {
    Optional<Ownership> owner = parts.table().ownerOf(number);
    if (owner.isEmpty()) {
      return false;
    }
    return owner.get().node().equals(parts.self()) ? openObjects() != null : objects.get() == null;
  }

  ShardStatus status() {
    Optional<Ownership> owner = parts.table().ownerOf(number);
    RuntimeException failure = replica.failure();
    return new ShardStatus(
        number,
        owner.map(known -> known.node().name()).orElse(null),
        owner.map(Ownership::epoch).orElse(0L),
        openObjects() != null,
        replica.lastPosition(),
        failure == null ? null : failure.getMessage());
  }

  // ---------------------------------------------------------------- told by the log

  @Override
  public void mayLead(boolean yes) {
    mayLead = yes;
    if (yes) {
      later(this::claim);
    }
  }

  @Override
  public void owned(@Nullable NodeId node, long epoch) {
    if (node != null) {
      parts.table().learn(number, new Ownership(node, epoch));
    } else {
      parts.table().ownerOf(number).ifPresent(last -> parts.table().forget(number, last.node()));
    }
  }

  @Override
  public void owns(ShardJournal journal) {
    CompletableFuture<OwnedShard> next = new CompletableFuture<>();
    objects.set(next);
    journal.onFailure(failure -> lost(next, failure));
    later(() -> open(journal, next));
  }

  /** Called on the thread that met the failure, which may hold locks. */
  private void lost(CompletableFuture<OwnedShard> owned, RuntimeException failure) {
    objects.compareAndSet(owned, null);
    owned.completeExceptionally(failure);
    later(
        () -> {
          closeObjects();
          claim();
        });
  }

  // ---------------------------------------------------------------- on the opener

  private void later(Runnable task) {
    try {
      opener.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "Shard {0} is closed.", number);
    }
  }

  private void claim() {
    if (!mayLead || closing || objects.get() != null || replica.failure() != null) {
      return;
    }
    replica.claim();
    claimLater(); // the log may give the claim up without a word
  }

  private void claimLater() {
    parts.time().schedule(parts.retryNanos(), () -> later(this::claim));
  }

  private void open(ShardJournal journal, CompletableFuture<OwnedShard> next) {
    closeObjects();
    try {
      if (closing) {
        journal.close();
        throw new RuntimeClosedException();
      }
      ObjectRuntime runtime = open.apply(journal);
      opened = runtime;
      parts.open().opened(number, runtime);
      next.complete(new OwnedShard(runtime, journal));
    } catch (RuntimeClosedException e) {
      objects.compareAndSet(next, null);
      next.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      objects.compareAndSet(next, null);
      next.completeExceptionally(e);
      LOG.log(
          Level.ERROR,
          () -> "Node " + parts.self() + " cannot open the objects of shard " + number + ".",
          e);
      claimLater();
    }
  }

  private void closeObjects() {
    ObjectRuntime last = opened;
    opened = null;
    if (last != null) {
      parts.open().closing(number);
      try {
        last.close();
      } catch (RuntimeException | Error e) {
        LOG.log(Level.DEBUG, () -> "The objects of shard " + number + " were given up.", e);
      }
    }
  }

  /** Gives the shard up, and ends this node's part in its log. */
  @Override
  public void close() {
    closing = true;
    later(
        () -> {
          objects.set(null);
          closeObjects();
        });
    opener.close();
    closeObjects(); // of an ownership that began meanwhile; the opener has ended
    log.close();
    replica.close();
  }
}
