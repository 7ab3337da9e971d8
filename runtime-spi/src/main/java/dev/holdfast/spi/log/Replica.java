package dev.holdfast.spi.log;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A node's copy of a shard. The log calls it on one thread, in the order of the entries. */
public interface Replica {

  /**
   * {@return the last entry that the replica has durably in its own files; empty if it has none}
   * Not a number for none: a log may give its first entry any number, and the first entry of Ratis
   * has 0.
   */
  OptionalLong appliedIndex();

  /**
   * Applies an entry. Every replica does the same with it. What only this one suffers, above all an
   * error of its disk, is thrown; the replica is then unusable until it is opened again, and the
   * log passes it nothing more.
   *
   * @param index its place in the log: 1 or more, and more than the index of the entry before it
   * @param entry the bytes between position and limit, as they were proposed
   * @throws dev.holdfast.HoldfastException if this replica cannot apply it
   */
  void apply(long index, ByteBuffer entry);

  /**
   * Says that proposals of this node are likely, or no longer likely, to get into the log. A hint:
   * nothing that must be right rests on it.
   *
   * @param yes whether they are
   */
  void mayLead(boolean yes);

  /**
   * Says which nodes keep the log: a majority has agreed. Configurations come in their order, after
   * a restart perhaps again from an earlier one, and in no order with entries. A node that does not
   * belong to one may not hear of it.
   *
   * @param configuration the nodes
   */
  default void configured(Configuration configuration) {}

  /** A later state of the shard, which was fetched from another node and is not in effect yet. */
  interface Fetched {

    /** {@return the last entry of the state} */
    LogPlace place();

    /**
     * Puts the state in effect. When this returns, the replica has the entry of {@link #place}
     * durably in its own files. Killed in the middle, it has this state or the one before. The log
     * passes no entry meanwhile, and goes on after this one.
     *
     * @throws dev.holdfast.HoldfastException if this replica cannot do that; it is then as unusable
     *     as after {@link Replica#apply}
     */
    void install();
  }

  /**
   * Fetches a later state from another node, because the log has dropped entries that this replica
   * does not have. Blocks, on a thread that may; entries that the log still has may be applied
   * meanwhile. Changes nothing that the replica states. Safe to repeat.
   *
   * @param atLeastIndex the state has this entry: the log begins with the next one, or earlier
   * @return the state; null if this replica takes nothing from other nodes
   * @throws RuntimeException if there is no such state now; the log asks again
   */
  default @Nullable Fetched fetch(long atLeastIndex) {
    return null;
  }
}
