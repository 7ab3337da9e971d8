package dev.holdfast.cluster.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.LoneReplica;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.SealedSegments;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.RatisLog;
import dev.holdfast.spi.disk.Disk;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The copy of a shard on this node: opened, begun, made again from those of other nodes if its log
 * has taken back what it had. Thread-safe.
 */
final class ShardCopy implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final int number;
  private final NodeParts parts;
  private final RatisLog log;
  private final Runnable begun;

  /** The copy; null if it could not be opened. */
  private final @Nullable ShardReplica replica;

  /** Why it could not be opened; null if it could. */
  private final @Nullable RuntimeException unreadable;

  /** Whether a copy was set aside and another one has not begun yet. */
  private volatile boolean isCopiedAgain;

  private volatile boolean closing;

  /**
   * @param begun is called when the copy has begun to apply its log
   */
  ShardCopy(
      int number,
      Path directory,
      JournalOptions options,
      RatisLog log,
      NodeParts parts,
      ShardHost.Owner owner,
      Runnable begun) {
    this.number = number;
    this.parts = parts;
    this.log = log;
    this.begun = begun;
    ShardReplica found = null;
    RuntimeException failed = null;
    try {
      setAsideIfTakenBack(directory, options.disk());
      found =
          ShardReplica.open(
              directory,
              options,
              new ShardHost(
                  parts.self(),
                  parts.times().objects(),
                  parts.threads().saver(),
                  parts.threads().proposer(),
                  parts.threads().notifier(),
                  owner));
    } catch (DataDirectoryException | JournalCorruptException e) {
      failed = e;
    }
    this.replica = found;
    this.unreadable = failed;
  }

  /**
   * The copy has what no majority has. Its files are kept beside another copy: if the others have
   * lost what they had acknowledged, it is nowhere else.
   */
  private void setAsideIfTakenBack(Path directory, Disk disk) {
    OptionalLong entry = log.takenBack();
    if (entry.isEmpty()) {
      return;
    }
    String name = LoneReplica.SET_ASIDE_PREFIX + entry.getAsLong();
    LoneReplica.setAside(directory, disk, name, directory.resolve("log"));
    log.replicaIsSetAside();
    LOG.log(
        Level.WARNING,
        "The log of shard {0} has taken entry {1} back, which the copy of node {2} had. The copy is"
            + " set aside in {3}, and is made again from the copies of the other nodes. Delete that"
            + " directory when the shard has what it should.",
        number,
        entry.getAsLong(),
        parts.self(),
        directory.resolve(name));
  }

  /** For {@link NodeShard#start}. */
  @Nullable RuntimeException start() {
    ShardReplica copy = replica;
    if (copy == null) {
      return unreadable;
    }
    try {
      if (log.lacksReplica()) {
        isCopiedAgain = true;
        copyAgainLater(copy);
      } else {
        begin(copy);
      }
      return null;
    } catch (RuntimeException e) {
      copy.logStopped(e);
      return e;
    }
  }

  private void begin(ShardReplica copy) {
    copy.start(log);
    parts.book().follow(number, log::configuration);
    begun.run();
  }

  /** Blocks in files and waits for other nodes: on a thread that ends with it. */
  private void copyAgainLater(ShardReplica copy) {
    Thread.ofPlatform().daemon().name("holdfast-shard-copy-" + number).start(() -> copyAgain(copy));
  }

  private void copyAgain(ShardReplica copy) {
    try {
      log.refill(copy);
      begin(copy);
      isCopiedAgain = false;
    } catch (RuntimeException e) {
      if (closing) {
        return;
      }
      if (copy.failure() != null || !log.lacksReplica()) {
        copy.logStopped(e);
        return;
      }
      LOG.log(
          Level.WARNING,
          () ->
              "The copy of shard "
                  + number
                  + " on node "
                  + parts.self()
                  + " could not be made again now; it is tried again.",
          e);
      parts.times().node().schedule(parts.times().retryNanos(), () -> copyAgainLater(copy));
    }
  }

  /** {@return the copy; null if it could not be opened, or has stopped} */
  @Nullable ShardReplica working() {
    ShardReplica copy = replica;
    return copy == null || copy.failure() != null ? null : copy;
  }

  /** {@return why the copy does not work; null if it does} */
  @Nullable RuntimeException failure() {
    ShardReplica copy = replica;
    return copy == null ? unreadable : copy.failure();
  }

  /** {@return about how much of the journal no round has read} */
  long behindBytes() {
    ShardReplica copy = replica;
    return copy == null ? 0 : copy.behindBytes();
  }

  /**
   * {@return as {@link #behindBytes}, but at least what is due if a purge waits for a round}
   *
   * @param due so much that a round begins
   */
  long toRead(long due) {
    ShardReplica copy = replica;
    return copy == null
        ? 0
        : copy.purges().awaitsErasing() ? Math.max(due, copy.behindBytes()) : copy.behindBytes();
  }

  /** {@return whether it fetches what its log lacks, or is made again} */
  boolean isCatchingUp() {
    ShardReplica copy = working();
    return copy != null && (isCopiedAgain || copy.isFetching());
  }

  /** {@return whether entries are to come to it} */
  boolean isFed() {
    return working() != null && !isCopiedAgain;
  }

  /** {@return the first position that the files of the objects need; durable, and only rises} */
  long lowWaterMark() {
    ShardReplica copy = replica;
    return copy == null ? 0 : copy.lowWaterMark();
  }

  /** {@return the last record} */
  long lastPosition() {
    ShardReplica copy = replica;
    return copy == null ? 0 : copy.lastPosition();
  }

  /** {@return the ownership that the last entry left; null if none, or the copy has stopped} */
  ShardReplica.@Nullable Owned owned() {
    ShardReplica copy = working();
    return copy == null ? null : copy.owned();
  }

  /** {@return the replica, whether it works or not; null if it could not be opened} */
  @Nullable ShardReplica replica() {
    return replica;
  }

  /** {@return the segments that nothing is written to any more; null if there are none yet} */
  @Nullable SealedSegments sealed() {
    ShardReplica copy = working();
    return copy != null && copy.hasHistory() ? copy.sealed() : null;
  }

  /** {@return what this copy gives to those of other nodes; null if it has stopped} */
  @Nullable ReplicaSource source() {
    ShardReplica copy = working();
    return copy != null && !isCopiedAgain ? copy.source() : null;
  }

  /** {@return from when on history is given; null if that is not known, or there is none} */
  @Nullable Instant restorableSince() {
    ShardReplica copy = replica;
    if (copy == null || !copy.hasHistory()) {
      return null;
    }
    long oldest = copy.history().oldestWallMillis();
    return oldest == Long.MAX_VALUE ? null : Instant.ofEpochMilli(Math.max(0, oldest));
  }

  /** The log has stopped, and with it this copy. */
  void logStopped(RuntimeException why) {
    ShardReplica copy = replica;
    if (copy != null) {
      copy.logStopped(why);
    }
  }

  /** The node is about to close it: it is not made again any more. */
  void closeSoon() {
    closing = true;
  }

  /** Closes the copy, whose log is closed. */
  @Override
  public void close() {
    ShardReplica copy = replica;
    if (copy != null) {
      copy.close();
    }
  }
}
