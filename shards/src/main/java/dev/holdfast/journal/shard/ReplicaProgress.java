package dev.holdfast.journal.shard;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.replica.IncomingParts;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.OwnershipLostException;
import dev.holdfast.spi.log.ReplicatedLog;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How far a copy of a shard has come: what it has applied, what of that is durable here, which node
 * owns the shard, and the journal of this node's ownership. The log, the saver and a catch-up
 * change it.
 *
 * <p>Guarded by its lock, but for the volatile fields, which any thread may read.
 */
final class ReplicaProgress {

  /** Held while an entry is applied, so that a save sees all of it or nothing. */
  private final ReentrantLock lock = new ReentrantLock();

  private final ShardHost host;
  private final IncomingParts incoming;
  private final long incarnation;

  private volatile SavedPoint applied;
  private volatile SavedPoint saved;

  /** What the file {@code saved} has, as the saver wrote it last. */
  private volatile Saved durable;

  /** The first position that the views need, by the last owner on this node, or round. */
  private volatile long lowWaterMark;

  private volatile @Nullable NodeId owner;
  private volatile @Nullable ReplicatedLog log;
  private volatile boolean closed;
  private volatile @Nullable RuntimeException failure;

  private final ReplicaBytes bytes = new ReplicaBytes();
  private @Nullable ShardJournal journal;
  private OwnedPositions owned;

  /** The first record of the present epoch; 0 if the epoch began before the replica was opened. */
  private long epochPosition;

  ReplicaProgress(ShardHost host, IncomingParts incoming, Saved found) {
    this.host = host;
    this.incoming = incoming;
    this.incarnation = found.incarnation();
    this.applied = found.point();
    this.saved = found.point();
    this.durable = found;
    this.lowWaterMark = found.lowWaterMark();
    this.owned = found.owned();
    this.owner = found.owner();
  }

  ReentrantLock lock() {
    return lock;
  }

  long incarnation() {
    return incarnation;
  }

  ReplicaBytes bytes() {
    return bytes;
  }

  // ---------------------------------------------------------------- the log

  /**
   * The log begins to give entries.
   *
   * @throws JournalFailedException if the replica was stopped before
   */
  void start(ReplicatedLog started) {
    throwIfFailed();
    log = started;
  }

  boolean isStarted() {
    return log != null;
  }

  ReplicatedLog startedLog() {
    ReplicatedLog started = log;
    if (started == null) {
      throw new IllegalStateException("The replica was not started.");
    }
    return started;
  }

  SavedPoint applied() {
    return applied;
  }

  /** An entry was applied that changes no ownership. */
  void apply(SavedPoint after) {
    assert lock.isHeldByCurrentThread();
    applied = after;
  }

  /**
   * A group was written.
   *
   * @param groupBytes its length
   */
  void applyGroup(SavedPoint after, long groupBytes) {
    apply(after);
    bytes.apply(groupBytes);
  }

  /** A node has opened the shard. */
  void open(SavedPoint after, NodeId node) {
    apply(after);
    epochPosition = after.lastPosition() + 1;
    owner = node;
  }

  /** The owner has released the shard; {@link #end()} follows. */
  void release(SavedPoint after) {
    apply(after);
    owner = null;
  }

  /** {@return the node that owns the shard; null if none} */
  @Nullable NodeId owner() {
    return owner;
  }

  /**
   * {@return the first record of the present epoch; 0 if it began before the replica was opened}
   */
  long epochPosition() {
    assert lock.isHeldByCurrentThread();
    return epochPosition;
  }

  // ---------------------------------------------------------------- what is durable here

  /** {@return how far the segments are durable} */
  SavedPoint saved() {
    return saved;
  }

  /** {@return what the file {@code saved} has} */
  Saved durable() {
    return durable;
  }

  /** {@return the first position that the views need, which the next save makes durable} */
  long lowWaterMark() {
    return lowWaterMark;
  }

  /** {@return what is applied, as far as it may be saved or given to another node} */
  Saved current() {
    lock.lock();
    try {
      SavedPoint point =
          incoming.lengthBytes() == 0 ? applied : applied.at(incoming.firstIndex() - 1);
      return new Saved(point, incarnation, lowWaterMark, owned, owner);
    } finally {
      lock.unlock();
    }
  }

  /** The file {@code saved} has this state. On the saver. */
  void written(Saved state) {
    durable = state;
  }

  /**
   * A save has made the segments durable.
   *
   * @param appliedBytes how much was applied when it began
   */
  void save(SavedPoint point, long appliedBytes) {
    lock.lock();
    try {
      saved = point;
      bytes.save(appliedBytes);
    } finally {
      lock.unlock();
    }
  }

  /** The oldest purge is done, which the next save makes durable. */
  void purged() {
    lock.lock();
    try {
      applied = applied.purged();
    } finally {
      lock.unlock();
    }
  }

  /** What another node has was put in the place of the segments, and is durable. On the saver. */
  void replace(Saved state) {
    assert lock.isHeldByCurrentThread();
    owned = state.owned();
    lowWaterMark = state.lowWaterMark();
    durable = state;
    owner = state.owner();
    applied = state.point();
    saved = state.point();
    epochPosition = 0;
    bytes.fetched();
  }

  /** As {@link #replace}, with the files of the objects. */
  void replaceWithFiles(Saved state) {
    bytes.fetchedWithFiles();
    replace(state);
  }

  /** Raises the low-water mark, which the next save makes durable. */
  void mark(long position) {
    lock.lock();
    try {
      lowWaterMark = Math.max(lowWaterMark, position);
    } finally {
      lock.unlock();
    }
  }

  /**
   * @param allBytes how much was applied if the rounds have read all of it; otherwise 0
   */
  void readInRounds(long allBytes, long readBytes) {
    lock.lock();
    try {
      bytes.readInRounds(allBytes, readBytes);
    } finally {
      lock.unlock();
    }
  }

  /** A node with records from before its log may have them at the index that this one has. */
  boolean isBehind(ReplicaState state) {
    assert lock.isHeldByCurrentThread();
    return applied.index() < state.index()
        || (applied.index() == state.index() && applied.lastPosition() < state.lastPosition());
  }

  // ---------------------------------------------------------------- the ownership of this node

  /** {@return the journal of this node's ownership; null if another node owns the shard} */
  @Nullable ShardJournal journal() {
    lock.lock();
    try {
      return journal;
    } finally {
      lock.unlock();
    }
  }

  /** {@return which records this node has appended itself} */
  OwnedPositions owned() {
    assert lock.isHeldByCurrentThread();
    return owned;
  }

  /** The records from here on are of this node. */
  void beginOwned() {
    assert lock.isHeldByCurrentThread();
    owned = owned.begin(applied.lastPosition() + 1);
  }

  void begin(ShardJournal begun) {
    assert lock.isHeldByCurrentThread();
    journal = begun;
  }

  /** {@return the journal of this node, whose epoch has ended; null if it had none} */
  @Nullable ShardJournal end() {
    assert lock.isHeldByCurrentThread();
    owned = owned.end(applied.lastPosition());
    ShardJournal ended = journal;
    journal = null;
    return ended;
  }

  void end(String why) {
    lock.lock();
    try {
      ShardJournal ended = end();
      if (ended != null) {
        ended.commit().stop(new OwnershipLostException(why));
      }
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- closing and failing

  boolean isClosed() {
    return closed;
  }

  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  @Nullable RuntimeException failure() {
    return failure;
  }

  void throwIfFailed() {
    RuntimeException failed = failure;
    if (failed != null) {
      throw new JournalFailedException(
          "The replica of the shard has stopped: " + failed.getMessage(), failed);
    }
  }

  /** Stops the replica for good, and with it this node's ownership. */
  void stop(RuntimeException cause) {
    lock.lock();
    try {
      boolean isFirst = failure == null;
      if (isFirst) {
        failure = cause;
      }
      ReplicatedLog abandoned = log;
      if (isFirst && abandoned != null) {
        // Otherwise this node would lead on, and nobody else would open the shard.
        abandoned.abandon(cause);
        host.owner().stopped(cause);
      }
      ShardJournal ended = journal;
      journal = null;
      if (ended != null) {
        ended.commit().stop(cause);
      }
    } finally {
      lock.unlock();
    }
  }
}
