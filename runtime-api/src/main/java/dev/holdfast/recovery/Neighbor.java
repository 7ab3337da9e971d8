package dev.holdfast.recovery;

/**
 * What an object may be made near: the id of another object, {@code dev.holdfast.ObjectId}. Objects
 * that are near each other share a shard of a cluster, however many shards there are.
 */
public interface Neighbor {

  /** {@return the slot that both have: the first 14 bits of an id, 0 to 16,383} */
  int slot();
}
