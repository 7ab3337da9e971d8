package dev.holdfast.journal.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What a replica needs of its node. The executors may be shared by the shards of a node.
 *
 * @param node the node
 * @param time the clock for records, and timers
 * @param saver makes files durable, one task after the other; may block
 * @param proposer proposes groups for threads that may not, such as virtual threads
 * @param notifier calls listeners, one task after the other
 * @param owner hears of ownership
 * @param segments makes room for segments, one task after the other; may block; null for a thread
 *     of the replica's own
 */
public record ShardHost(
    NodeId node,
    TimeSource time,
    Executor saver,
    Executor proposer,
    Executor notifier,
    Owner owner,
    @Nullable Executor segments) {

  /**
   * The host of a replica that has a thread of its own to make room for segments.
   *
   * @param node the node
   * @param time the clock for records, and timers
   * @param saver makes files durable
   * @param proposer proposes groups for threads that may not
   * @param notifier calls listeners
   * @param owner hears of ownership
   */
  public ShardHost(
      NodeId node,
      TimeSource time,
      Executor saver,
      Executor proposer,
      Executor notifier,
      Owner owner) {
    this(node, time, saver, proposer, notifier, owner, null);
  }

  /** Receives what other nodes have purged. */
  public interface PurgedAnswer {

    /**
     * All have answered.
     *
     * @param done the last purge that all of them have done
     * @param segments the last one that the segments of all are without
     * @param last the node that has done least; null if none was asked
     */
    void said(long done, long segments, @Nullable NodeId last);

    /**
     * Some have not.
     *
     * @param why the reason
     */
    void failed(RuntimeException why);
  }

  /** The part of a node that opens and closes engines. Called on the thread of the log. */
  public interface Owner {

    /**
     * Says that a claim of this node is likely, or no longer likely, to succeed.
     *
     * @param yes whether it is
     */
    void mayLead(boolean yes);

    /**
     * Says which node owns the shard from now on, as this replica applies it.
     *
     * @param node the owner; null if it has given the shard up
     * @param epoch the index of the entry with which the ownership began or ended
     */
    default void owned(@Nullable NodeId node, long epoch) {}

    /**
     * Says which nodes keep the shard, as {@link dev.holdfast.spi.log.Replica#configured} does.
     *
     * @param configuration the nodes
     */
    default void configured(Configuration configuration) {}

    /** {@return the newest version of entries that this node reads} */
    default int newestVersion() {
      return LogEntry.VERSION;
    }

    /**
     * {@return the version of the entries that this node writes if it owns the shard: all members
     * read it, as far as is known}
     */
    default int versionToAgree() {
      return LogEntry.VERSION;
    }

    /**
     * Says which version of entries the owner writes from now on.
     *
     * @param version the version
     */
    default void agreed(int version) {}

    /**
     * {@return what the replicas of other nodes have, for one that its log cannot bring forward;
     * null if this node asks no other}
     */
    default @Nullable ReplicaSource others() {
      return null;
    }

    /**
     * Asks the replicas of other nodes which purge they have done, as {@link ReplicaSource#purged}
     * says it. Returns at once.
     *
     * @param nodes the nodes
     * @param answer receives what those say of which the log or the segments have most; or the
     *     reason why not all of them say it
     */
    default void askPurged(Collection<NodeId> nodes, PurgedAnswer answer) {
      answer.said(Long.MAX_VALUE, Long.MAX_VALUE, null);
    }

    /** Says that what another replica gave was damaged, or does not continue this one. */
    default void fetchedDamage() {}

    /**
     * Runs a task while the files of the objects are not open and no round is under way. This node
     * does not own the shard any more; the objects of its last ownership are closed first. Blocks
     * until the task has ended.
     *
     * @param task puts other files in their place
     */
    default void whileClosed(Runnable task) {
      task.run();
    }

    /**
     * {@return how long this node may answer without a proof, as an owner, after it has proposed a
     * group that is accepted; zero if it never does} Its claims state it, and the next owner waits
     * for that. In whole milliseconds.
     */
    default Duration lease() {
      return Duration.ZERO;
    }

    /**
     * Says that this replica has made more of the shard durable in its own files, so that a
     * {@linkplain ShardReplica#beginRound round} may be due. Called on the thread of the saver.
     */
    default void saved() {}

    /**
     * Says that this replica has stopped for good: it does not know what happens to the shard from
     * now on. The end of the ownership, if this node has it, is said by its journal.
     *
     * @param why the reason
     */
    default void stopped(RuntimeException why) {}

    /**
     * Gives the journal of an ownership that begins. It ends as a journal that fails.
     *
     * @param journal the journal; the receiver closes it
     */
    void owns(ShardJournal journal);
  }
}
