package dev.holdfast.cluster.route;

/**
 * The slots of a shard.
 *
 * @param first the first slot
 * @param end the first slot after it
 */
public record ShardRange(int first, int end) {

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if it is empty, or not within the slots
   */
  public ShardRange {
    if (first < 0 || first >= end || end > Slot.COUNT) {
      throw new IllegalArgumentException(
          "A shard has slots from 0 to " + (Slot.COUNT - 1) + ", not " + first + " to " + end);
    }
  }

  /**
   * {@return whether a slot belongs to the shard}
   *
   * @param slot the slot
   */
  public boolean contains(int slot) {
    return slot >= first && slot < end;
  }

  /** {@return the number of slots} */
  public int size() {
    return end - first;
  }
}
