package dev.holdfast.cluster.route;

import dev.holdfast.ObjectId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which slots each shard has. The ranges are data, so that a shard can be split later. Immutable.
 */
public final class ShardMap {

  /** Maximum number of shards. */
  public static final int SHARDS_MAX = 128;

  private final List<ShardRange> ranges;

  /** The shard of each slot. */
  private final byte[] shards = new byte[Slot.COUNT];

  private ShardMap(List<ShardRange> ranges) {
    this.ranges = ranges;
    for (int shard = 0; shard < ranges.size(); shard++) {
      ShardRange range = ranges.get(shard);
      Arrays.fill(shards, range.first(), range.end(), (byte) shard);
    }
  }

  /**
   * Divides the slots evenly: no shard has more than one slot more than another one.
   *
   * @param shardCount from 1 to {@value #SHARDS_MAX}
   * @return the map
   * @throws IllegalArgumentException if there are more or fewer
   */
  public static ShardMap even(int shardCount) {
    requireCount(shardCount);
    List<ShardRange> ranges = new ArrayList<>(shardCount);
    for (int shard = 0; shard < shardCount; shard++) {
      ranges.add(
          new ShardRange(shard * Slot.COUNT / shardCount, (shard + 1) * Slot.COUNT / shardCount));
    }
    return new ShardMap(List.copyOf(ranges));
  }

  /**
   * Returns a map of given ranges.
   *
   * @param ranges the slots of shard 0, of shard 1 and so on, in any order of slots
   * @return the map
   * @throws IllegalArgumentException if a slot belongs to no shard or to two, or there are more
   *     than {@value #SHARDS_MAX} shards
   */
  public static ShardMap of(List<ShardRange> ranges) {
    requireCount(ranges.size());
    int slots = 0;
    boolean[] taken = new boolean[Slot.COUNT];
    for (ShardRange range : ranges) {
      for (int slot = range.first(); slot < range.end(); slot++) {
        if (taken[slot]) {
          throw new IllegalArgumentException("Slot " + slot + " belongs to two shards.");
        }
        taken[slot] = true;
      }
      slots += range.size();
    }
    if (slots != Slot.COUNT) {
      throw new IllegalArgumentException(
          (Slot.COUNT - slots) + " slots belong to no shard; each must belong to one.");
    }
    return new ShardMap(List.copyOf(ranges));
  }

  private static void requireCount(int shardCount) {
    if (shardCount < 1 || shardCount > SHARDS_MAX) {
      throw new IllegalArgumentException(
          "A cluster has from 1 to " + SHARDS_MAX + " shards, not " + shardCount);
    }
  }

  /** {@return the number of shards} */
  public int shardCount() {
    return ranges.size();
  }

  /** {@return the slots of each shard; unmodifiable} */
  public List<ShardRange> ranges() {
    return ranges;
  }

  /**
   * {@return the shard of an object}
   *
   * @param id the object's id
   */
  public int shardOf(ObjectId id) {
    return shardOf(Slot.of(id));
  }

  /**
   * {@return an id that is in a shard, and of no object}
   *
   * @param shard its number
   */
  public ObjectId placeIn(int shard) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(id).putShort((short) (ranges.get(shard).first() << (Short.SIZE - Slot.BITS)));
    return ObjectId.of(id, null);
  }

  /**
   * {@return the shard of a slot}
   *
   * @param slot from 0 to {@code Slot.COUNT - 1}
   */
  public int shardOf(int slot) {
    return shards[slot];
  }
}
