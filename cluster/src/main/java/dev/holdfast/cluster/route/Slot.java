package dev.holdfast.cluster.route;

import dev.holdfast.ObjectId;

/**
 * The part of an id that says where the object is: its first 14 bits. Ids are random, or the output
 * of a keyed hash, so objects spread evenly over the slots. Stateless.
 */
public final class Slot {

  /** Number of bits. */
  public static final int BITS = ObjectId.SLOT_BITS;

  /** Number of slots. */
  public static final int COUNT = 1 << BITS;

  private Slot() {}

  /**
   * {@return the slot of an object, from 0 to {@code COUNT - 1}}
   *
   * @param id the object's id
   */
  public static int of(ObjectId id) {
    return id.slot();
  }
}
