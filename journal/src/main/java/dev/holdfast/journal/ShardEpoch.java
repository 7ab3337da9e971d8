package dev.holdfast.journal;

/**
 * The ownership of a shard, whose node archives the shard's journal. Immutable.
 *
 * @param lineage which cluster of its name it is
 * @param epoch the index of the entry with which the ownership began; 0 if there is no shard
 */
public record ShardEpoch(long lineage, long epoch) {

  /** Of a data directory that has its journal alone. */
  public static final ShardEpoch NONE = new ShardEpoch(0, 0);

  /** {@return whether there is no shard} */
  public boolean isNone() {
    return epoch == 0;
  }

  /**
   * {@return whether this ownership began after the other one, which has ended then}
   *
   * @param other an ownership, or {@link #NONE}
   */
  public boolean isAfter(ShardEpoch other) {
    return !isNone() && !other.isNone() && lineage == other.lineage && epoch > other.epoch;
  }
}
