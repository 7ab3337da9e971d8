package dev.holdfast.spi.log;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The log of one shard, as one of its nodes sees it: entries in one order, each kept by a majority
 * of the nodes before any replica gets it.
 *
 * <p>Safety rests on the entries alone. A log may believe that two nodes lead, or none, and may
 * lose what was proposed; it never changes the order of entries, and never takes one back that a
 * replica was given. Thread-safe.
 */
public interface ReplicatedLog extends AutoCloseable {

  /** Maximum length of an entry in bytes, envelope included. */
  int ENTRY_BYTES_MAX = 1 << 20;

  /**
   * Begins to pass entries to the replica of this node, from the one after {@link
   * Replica#appliedIndex} on. Called once.
   *
   * @param replica receives the entries, on a thread of the log
   */
  void start(Replica replica);

  /**
   * Proposes an entry. Returns at once. Entries that are proposed one after the other on this node
   * are in that order in the log, or are not in it. An entry is in the log at most once.
   *
   * @param entry the bytes between position and limit, at most {@link #ENTRY_BYTES_MAX}; they
   *     belong to the log from now on
   * @param refused called once the log gives the entry up: it is not in the log, or may not be. An
   *     entry may also be lost without this call
   */
  void propose(ByteBuffer entry, Runnable refused);

  /**
   * Allows the log to drop entries: the replica of this node does not need them again.
   *
   * @param index the last such entry; less than before has no effect
   */
  void compactTo(long index);

  /**
   * Returns what the log of another node has to know to go on after an entry; see {@link LogPlace}.
   *
   * @param index an entry that the replica of this node was given
   * @return its term; empty if this log does not have the entry any more
   */
  OptionalLong termOf(long index);

  /**
   * {@return an entry that every node that keeps the log has, with all before it, as far as this
   * node knows; empty if it has not heard of every node}
   */
  default OptionalLong heldByAll() {
    return OptionalLong.empty();
  }

  /**
   * Returns whether the files of the log on this node may have an entry up to this one. The log
   * drops files that are full, so one that is not is filled by later entries.
   *
   * @param index the entry, which the log was allowed to drop
   * @return whether they may
   */
  default boolean mayHave(long index) {
    return true;
  }

  /** {@return whether this node is changing which nodes keep the log} */
  default boolean isChanging() {
    return false;
  }

  /**
   * Asks that another node leads instead of this one. Returns at once, and may have no effect: the
   * other node may be away or behind, and this node may not lead. What this node has proposed
   * before is in the log before anything of the other one, or is not in it.
   *
   * @param node the node
   */
  void transferTo(NodeId node);

  /**
   * {@return which nodes keep the log, as far as this node knows; what is newest here may not be
   * agreed yet. A node that waits to be added knows none, or those that do not count it yet}
   */
  Configuration configuration();

  /**
   * Changes which nodes keep the log. A new one first gets the entries, and has no vote before it
   * has them; then majorities of the nodes before and after it agree. Only one change is under way
   * at a time, and a node that may not lead refuses.
   *
   * @param expected the members that are changed, as {@link #configuration} had them
   * @param wanted the members from then on, and where the log reaches each
   * @return completed once the change is agreed; with a {@link ConfigurationChangeException} if it
   *     is not, or may not be: look at the configuration then, and repeat the change
   */
  CompletableFuture<Void> change(Configuration expected, Map<NodeId, String> wanted);

  /**
   * Ends this node's part in the log, because its replica cannot go on: another node is to lead.
   * Returns at once. The replica is given nothing more, and what is proposed is given up.
   *
   * @param why the reason
   */
  void abandon(RuntimeException why);

  /** Ends the calls of the replica, and gives up what is proposed. */
  @Override
  void close();
}
