package dev.holdfast.cluster.route;

import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The owners of shards, as hints: a call that comes to the wrong node has not begun, and is
 * answered with a better hint. So nothing depends on the table being right. Thread-safe.
 */
public final class RoutingTable implements AutoCloseable {

  /**
   * What is known of a shard. The epoch outlives the node: a third node that is behind must not
   * lead back to an older owner.
   */
  private record Known(@Nullable NodeId node, long epoch) {}

  private final ShardMap map;
  private final AtomicReferenceArray<Known> owners;

  /** For each shard, what waits for its next ownership. */
  private final List<Set<Runnable>> waiting = new ArrayList<>();

  private volatile boolean isClosed;

  /**
   * Creates a table that knows no owner.
   *
   * @param map the slots of the shards
   */
  public RoutingTable(ShardMap map) {
    this.map = map;
    this.owners = new AtomicReferenceArray<>(map.shardCount());
    for (int shard = 0; shard < map.shardCount(); shard++) {
      owners.set(shard, new Known(null, 0));
      waiting.add(ConcurrentHashMap.newKeySet());
    }
  }

  /** {@return the slots of the shards} */
  public ShardMap map() {
    return map;
  }

  /**
   * {@return the owner of a shard, if one is known}
   *
   * @param shard the shard
   */
  public Optional<ShardOwnership> ownerOf(int shard) {
    Known known = owners.get(shard);
    NodeId node = known.node();
    return node == null ? Optional.empty() : Optional.of(new ShardOwnership(node, known.epoch()));
  }

  /**
   * Records an owner, unless a later one was known.
   *
   * @param shard the shard
   * @param owner its owner
   * @return whether another node is the owner now than before
   */
  public boolean learn(int shard, ShardOwnership owner) {
    Known learned = new Known(owner.node(), owner.epoch());
    while (true) {
      Known known = owners.get(shard);
      if (known.epoch() > owner.epoch()) {
        return false;
      }
      if (owners.compareAndSet(shard, known, learned)) {
        if (owner.epoch() > known.epoch()) {
          waiting.get(shard).forEach(Runnable::run);
        }
        return !owner.node().equals(known.node());
      }
    }
  }

  /**
   * {@return the epoch of the last ownership of a shard that was learned; 0 if there is none}
   *
   * @param shard the shard
   */
  public long lastEpoch(int shard) {
    return owners.get(shard).epoch();
  }

  /**
   * Runs an action when a later ownership of a shard is learned. An owner that was forgotten and is
   * learned again is no later one, so a caller is woken once for each ownership, however often
   * nodes contradict each other.
   *
   * @param shard the shard
   * @param afterEpoch the {@link #lastEpoch} that the caller has seen; the action runs at once if
   *     it is not the last any more
   * @param wake the action, which may run more than once; short, never blocks, never throws. {@link
   *     #stopWaiting} must follow
   */
  public void awaitLater(int shard, long afterEpoch, Runnable wake) {
    waiting.get(shard).add(wake);
    if (isClosed || lastEpoch(shard) > afterEpoch) {
      wake.run();
    }
  }

  /**
   * Wakes all that wait, and lets nobody wait any more: the node is closed, and so is its clock.
   */
  @Override
  public void close() {
    isClosed = true; // before they are woken: one that comes now sees it, or is woken
    waiting.forEach(each -> each.forEach(Runnable::run));
  }

  /** {@return whether the node is closed} */
  public boolean isClosed() {
    return isClosed;
  }

  /**
   * Ends {@link #awaitLater}.
   *
   * @param shard the shard
   * @param wake the action
   */
  public void stopWaiting(int shard, Runnable wake) {
    waiting.get(shard).remove(wake);
  }

  /**
   * Forgets an owner that does not answer, or says that it is none.
   *
   * @param shard the shard
   * @param node the owner; if another one is known, nothing changes
   */
  public void forget(int shard, NodeId node) {
    Known known = owners.get(shard);
    if (node.equals(known.node())) {
      // Lost only to a change that makes it needless.
      owners.compareAndSet(shard, known, new Known(null, known.epoch()));
    }
  }

  /**
   * Forgets an ownership that has ended.
   *
   * @param shard the shard
   * @param ended the ownership; if another one is known, also a later one of the same node, nothing
   *     changes
   */
  public void forget(int shard, ShardOwnership ended) {
    Known known = owners.get(shard);
    if (known.epoch() == ended.epoch() && ended.node().equals(known.node())) {
      owners.compareAndSet(shard, known, new Known(null, known.epoch()));
    }
  }
}
