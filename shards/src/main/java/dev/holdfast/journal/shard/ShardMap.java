package dev.holdfast.journal.shard;

import dev.holdfast.ObjectId;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Which shard has an object: the slots of the ids are divided evenly among the shards, in their
 * order. Immutable.
 *
 * @param shardCount the number of shards, from 1 to {@value #SHARDS_MAX}
 */
public record ShardMap(int shardCount) {

  /** Maximum number of shards. */
  public static final int SHARDS_MAX = 128;

  /**
   * Checks the number.
   *
   * @throws IllegalArgumentException if there are more or fewer
   */
  public ShardMap {
    requireCount(shardCount);
  }

  /**
   * Checks a number of shards.
   *
   * @param shardCount the number
   * @throws IllegalArgumentException if it is not from 1 to {@value #SHARDS_MAX}
   */
  public static void requireCount(int shardCount) {
    if (shardCount < 1 || shardCount > SHARDS_MAX) {
      throw new IllegalArgumentException(
          "A cluster has from 1 to " + SHARDS_MAX + " shards, not " + shardCount);
    }
  }

  /**
   * {@return the number of the shard of an object}
   *
   * @param id the object's id
   */
  public int shardOf(ObjectId id) {
    // The last shard that begins at the slot or before it; see firstIds.
    return ((id.slot() + 1) * shardCount - 1) >> ObjectId.SLOT_BITS;
  }

  /**
   * {@return the bytes before which, and from which on, the ids of a shard are not those of the
   * shard before: each begins at its share of the slots, rounded down}
   *
   * @param shard its number; the number of shards for the end of all ids
   */
  public byte[] firstIds(int shard) {
    if (shard == shardCount) {
      byte[] end = new byte[ObjectId.LENGTH_BYTES + 1];
      Arrays.fill(end, (byte) 0xFF);
      return end;
    }
    int slot = (shard << ObjectId.SLOT_BITS) / shardCount;
    short bits = (short) (slot << (Short.SIZE - ObjectId.SLOT_BITS));
    return ByteBuffer.allocate(Short.BYTES).putShort(bits).array();
  }

  /**
   * {@return an id that is in a shard, and of no object}
   *
   * @param shard its number
   */
  public ObjectId placeIn(int shard) {
    return ObjectId.of(Arrays.copyOf(firstIds(shard), ObjectId.LENGTH_BYTES), null);
  }
}
