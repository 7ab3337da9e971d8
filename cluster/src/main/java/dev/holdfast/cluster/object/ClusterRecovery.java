package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.Neighbor;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.recovery.Restoration;
import dev.holdfast.runtime.OutsideCalls;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * The past of an object, wherever it is. Thread-safe.
 *
 * @param namespace of the object
 * @param id the object
 * @param shards of this node
 * @param operations of the shards
 */
public record ClusterRecovery(
    ClusterNamespace<?> namespace, ObjectId id, NodeShards shards, ClusterOperations operations)
    implements ObjectRecovery {

  private ShardOperations shard() {
    return operations.of(id);
  }

  private String of() {
    return namespace.name();
  }

  @Override
  public String bookmarkForTime(Instant time) {
    return shard().bookmarkForTime(of(), id, time);
  }

  @Override
  public HistoryPage history(int limit) {
    return shard().history(of(), id, limit, /* from= */ null);
  }

  @Override
  public HistoryPage history(int limit, String from) {
    return shard().history(of(), id, limit, from);
  }

  @Override
  public List<Restoration> restorations() {
    return shard().restorations(of(), id);
  }

  @Override
  public String restoreOnNextSession(String bookmark) {
    return shard().restoreOnNextSession(of(), id, bookmark);
  }

  @Override
  public boolean withdrawRestore() {
    return shard().withdrawRestore(of(), id);
  }

  @Override
  public List<Difference> diff(String from, String to) {
    return shard().diff(of(), id, from, to);
  }

  @Override
  public void fork(String bookmark, String name) {
    requireSameShard(namespace.idFromName(name), name);
    shard().fork(of(), id, bookmark, name);
  }

  @Override
  public void fork(String bookmark, String name, Neighbor near) {
    ObjectId fork = namespace.registered().idFromName(name, near);
    requireSameShard(fork, name);
    shard().fork(of(), id, bookmark, name, fork);
  }

  private void requireSameShard(ObjectId fork, String name) {
    int target = shards.of(fork).number();
    if (target != shards.of(id).number()) {
      throw new ClusterException(
          Reason.UNSUPPORTED,
          "The object \""
              + name
              + "\" would be in shard "
              + target
              + ", and a fork stays in the shard of its origin, "
              + shards.of(id).number()
              + ". Fork it near its origin, with the id of that as near, or export the object and"
              + " import it.",
          null);
    }
  }

  @Override
  public void exportTo(Path file) {
    if (!here(recovery -> recovery.exportTo(file))) {
      new TravellingFile(of(), id, file, operations).fetch();
    }
  }

  @Override
  public void importFrom(Path file) {
    if (!here(recovery -> recovery.importFrom(file))) {
      new TravellingFile(of(), id, file, operations).send();
    }
  }

  /** {@return whether this node owns the object, so that no file has to travel} */
  private boolean here(Consumer<ObjectRecovery> work) {
    OwnedShard here = shards.of(id).openObjects();
    if (here == null || OutsideCalls.isInObject()) {
      return false;
    }
    try {
      work.accept(here.runtime().recovery(of(), id));
    } catch (JournalFailedException | RuntimeClosedException e) {
      throw ClusterCalls.lost(of(), id, e);
    }
    return true;
  }
}
