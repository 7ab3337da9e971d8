package dev.holdfast.spi.log;

import java.nio.ByteBuffer;

/** A node's copy of a shard. The log calls it on one thread, in the order of the entries. */
public interface Replica {

  /** {@return the last entry that the replica has durably in its own files; 0 for none} */
  long appliedIndex();

  /**
   * Applies an entry. Every replica does the same with it. What only this one suffers, above all an
   * error of its disk, is thrown; the replica is then unusable until it is opened again, and the
   * log passes it nothing more.
   *
   * @param index its place in the log: more than that of the entry before it
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
}
