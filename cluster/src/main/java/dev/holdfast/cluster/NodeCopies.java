package dev.holdfast.cluster;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.cluster.call.Members;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.event.NodeTopics;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.cluster.shard.AwayShard;
import dev.holdfast.cluster.shard.KeptShard;
import dev.holdfast.cluster.shard.NodeParts;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.ShardObjects;
import dev.holdfast.cluster.shard.ShardRuntime;
import dev.holdfast.embedded.parts.StartedArchive;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.OfflineLog;
import dev.holdfast.log.ratis.RatisNode;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The shards that a node keeps: those that it has when it is opened, those that it takes when their
 * owner asks for it, and those that it gives up. Thread-safe.
 *
 * <p>A copy that is given up is not needed by any majority: an entry of the log says so that a
 * majority has agreed on, and the log here has no later one. If the node is added to the shard
 * again, it begins without anything, and votes when it has caught up.
 */
final class NodeCopies implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** What a copy is called while it is deleted; it is never opened again. */
  private static final String LEFT_SUFFIX = ".left";

  /**
   * Where copies are.
   *
   * @param data the directory of the node
   * @param disk has it
   * @param file says which shards the node keeps
   */
  record Files(Path data, Disk disk, NodeFile file) {

    Path of(int shard) {
      return ShardDirectories.shard(data, shard);
    }
  }

  /**
   * What opens the objects of a shard.
   *
   * @param journals options of its journal
   * @param host what objects need of the node, by the number of their shard
   * @param registrations registers namespaces
   * @param topics brings events to other nodes
   */
  record Objects(
      JournalOptions journals,
      IntFunction<ShardRuntime.Host> host,
      Consumer<ObjectRegistrar> registrations,
      NodeTopics topics) {}

  private final Files files;
  private final MemberBook book;
  private final NodeShards shards;
  private final NodeParts parts;
  private final RatisNode ratis;
  private final Objects objects;
  private final Executor work;

  /** Held while a copy is opened or given up. */
  private final ReentrantLock changing = new ReentrantLock();

  private boolean isClosed; // guarded by changing

  NodeCopies(
      Files files,
      MemberBook book,
      NodeShards shards,
      NodeParts parts,
      RatisNode ratis,
      Objects objects,
      Executor work) {
    this.files = files;
    this.book = book;
    this.shards = shards;
    this.parts = parts;
    this.ratis = ratis;
    this.objects = objects;
    this.work = work;
  }

  /** Opens the copies that the node has; they take part once each is started. */
  void open() {
    boolean hasJoined = files.file().hasJoined();
    for (int shard = 0; shard < book.shards(); shard++) {
      deleteLeft(shard);
      // One that is added begins a log when an owner asks for it, whatever it has heard.
      boolean begins = hasJoined || !files.file().isAdded() || hasLog(shard);
      boolean isKept = begins && book.keeps(shard);
      if (!isKept && isLeftOver(shard)) {
        deleteFiles(shard);
      } else if (isKept || hasLog(shard)) {
        shards.set(open(shard, book.firstLogsOf(shard), hasJoined && isKept));
      }
    }
  }

  private boolean hasLog(int shard) {
    return files.disk().exists(files.of(shard).resolve("log"));
  }

  /**
   * A copy of a change that has not ended, or of one whose end this node has not heard: no majority
   * needs it unless its log has a later configuration than this node knows. It must not be opened,
   * as an old configuration in it may name this node, which would vote with what it lacks.
   */
  private boolean isLeftOver(int shard) {
    if (!hasLog(shard)) {
      return files.disk().exists(files.of(shard));
    }
    Optional<Configuration> agreed = book.configurationOf(shard);
    OptionalLong newest =
        new OfflineLog(files.data().resolve("shards"), files.file().logName(), shard)
            .newestConfiguration();
    return newest.isEmpty() || (agreed.isPresent() && newest.getAsLong() <= agreed.get().index());
  }

  private KeptShard open(int shard, Map<NodeId, InetSocketAddress> first, boolean mustExist) {
    Path directory = files.of(shard);
    StartedArchive.deleteLeftovers(directory); // also if this node does not own the shard any more
    return new KeptShard(
        shard,
        directory,
        objects.journals(),
        onStopped -> ratis.log(shard, first, mustExist, onStopped::accept),
        parts,
        new ShardObjects() {
          @Override
          public ObjectRuntime open(ShardJournal journal) {
            return ShardRuntime.open(
                directory,
                journal,
                objects.host().apply(shard),
                new EngineBuilder(objects.registrations())
                    .published(objects.topics().of(shard, journal.epoch())));
          }

          @Override
          public @Nullable Boolean follow(ShardReplica replica, long bytesMax) {
            return ShardRuntime.follow(
                directory, replica, bytesMax, objects.host().apply(shard), objects.registrations());
          }
        });
  }

  /** For {@link dev.holdfast.cluster.object.NodeService#keep}. */
  void keep(int shard, int replicas, boolean isDraining) {
    apart(() -> keepNow(shard, replicas, isDraining));
  }

  /**
   * Opens or deletes files on a thread of the platform. The first log of a process takes seconds on
   * a busy machine; on a carrier of virtual threads the connections of this node would be silent
   * meanwhile, and the node that waits for it would take it for lost.
   */
  private static void apart(Runnable task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("holdfast-cluster-copy")
        .start(
            () -> {
              try {
                task.run();
                done.complete(null);
              } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
              }
            });
    try {
      done.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException refused ? refused : e;
    }
  }

  private void keepNow(int shard, int replicas, boolean isDraining) {
    changing.lock();
    try {
      if (isClosed) {
        throw new ClusterException(Reason.CLOSED, "Node " + parts.self() + " is closed.", null);
      }
      if (book.learntLineage().orElse(0) == Members.UNKNOWN_LINEAGE) {
        throw new ClusterException(
            Reason.STARTING,
            "Node " + parts.self() + " has not heard yet which cluster lets it in.",
            null);
      }
      if (book.isBeingMade()) { // it would take part, and could begin its other logs again
        throw new ClusterException(
            Reason.STARTING, "Node " + parts.self() + " has not begun its logs yet.", null);
      }
      if (shards.get(shard) instanceof KeptShard known) {
        if (!known.hasStopped() || book.keeps(shard)) {
          return;
        }
        giveUp(known); // what an earlier change has left
      }
      book.learnReplicas(replicas);
      ratis.inCluster(files.file().logName()); // a node that is added has learnt it
      KeptShard taken = open(shard, Map.of(), /* mustExist= */ false);
      RuntimeException refused = taken.start();
      if (refused != null) {
        delete(taken);
        throw refused;
      }
      if (isDraining) {
        taken.drain();
      }
      files.file().joined();
      shards.set(taken);
      LOG.log(Level.INFO, "Node {0} takes a copy of shard {1}.", parts.self(), shard);
    } finally {
      changing.unlock();
    }
  }

  /** For {@link dev.holdfast.cluster.object.NodeService#leave}. */
  void leave(int shard, Configuration agreed) {
    apart(() -> leaveNow(shard, agreed));
  }

  private void leaveNow(int shard, Configuration agreed) {
    changing.lock();
    try {
      book.configured(shard, agreed); // durable before the first file is gone
      if (isClosed
          || agreed.members().containsKey(parts.self())
          || !(shards.get(shard) instanceof KeptShard left)
          || left.newestConfiguration().index() > agreed.index()
          || book.keeps(shard)) {
        return;
      }
      giveUp(left);
      LOG.log(Level.INFO, "Node {0} has given its copy of shard {1} up.", parts.self(), shard);
    } finally {
      changing.unlock();
    }
  }

  private void giveUp(KeptShard left) {
    shards.set(new AwayShard(left.number(), parts.self(), parts.table()));
    book.unfollow(left.number());
    delete(left);
  }

  private void delete(KeptShard left) {
    left.close();
    deleteFiles(left.number());
  }

  /** Under another name first: what a kill leaves of it is no copy. */
  private void deleteFiles(int shard) {
    Path directory = files.of(shard);
    deleteLeft(shard);
    try {
      if (files.disk().exists(directory)) {
        files.disk().move(directory, leftOf(shard));
        files.disk().forceDirectory(files.data().resolve("shards"));
      }
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The copy of the shard cannot be given up", e);
    }
    deleteLeft(shard);
  }

  private Path leftOf(int shard) {
    Path directory = files.of(shard);
    return directory.resolveSibling(directory.getFileName() + LEFT_SUFFIX);
  }

  private void deleteLeft(int shard) {
    Path left = leftOf(shard);
    try {
      if (files.disk().exists(left)) {
        FileTree.delete(files.disk(), left);
      }
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "A copy that this node has given up could not be deleted from " + left + ".",
          e);
    }
  }

  /** Closes the shards of the node, all at once. No other one is taken from now on. */
  @Override
  public void close() {
    changing.lock();
    try {
      isClosed = true;
    } finally {
      changing.unlock();
    }
    List<CompletableFuture<Void>> closing =
        shards.all().stream().map(shard -> CompletableFuture.runAsync(shard::close, work)).toList();
    closing.forEach(NodeCopies::await);
  }

  /** One shard that fails must not keep the others open. */
  private static void await(CompletableFuture<Void> closed) {
    try {
      closed.join();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "Closing a shard of a node failed.", e);
    }
  }
}
