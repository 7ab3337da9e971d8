package dev.holdfast.clone.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The objects written so far, numbered from 0 in the order of their first appearance, compared by
 * identity.
 *
 * <p>Most values have a few objects, so the first ones are kept in an array and searched linearly:
 * this is cheaper than the identity hash of a new object. Above that, an open hash table is used.
 *
 * <p>Owned by the thread that encodes.
 */
public final class IdentityTable {

  private static final int LINEAR_MAX = 12;

  private @Nullable Object[] objects = new Object[4];
  private int count;

  /** Ids plus one by hash, 0 for a free slot; null while the objects are searched linearly. */
  private int @Nullable [] slots;

  /** Returns whether two references are to the same object, not whether the objects are equal. */
  @SuppressWarnings("ReferenceEquality")
  public static boolean same(@Nullable Object a, @Nullable Object b) {
    return a == b;
  }

  /**
   * Numbers an object.
   *
   * @return its existing number, or -1 if it was just assigned the next one
   */
  public int put(Object object) {
    int[] table = slots;
    return table == null ? putLinear(object) : putHashed(object, table);
  }

  /** Returns the number of an object; -1 if it has none. */
  public int find(Object object) {
    int[] table = slots;
    if (table == null) {
      for (int id = 0; id < count; id++) {
        if (same(objects[id], object)) {
          return id;
        }
      }
      return -1;
    }
    int mask = table.length - 1;
    for (int slot = slotOf(object, mask); table[slot] != 0; slot = slot + 1 & mask) {
      if (same(objects[table[slot] - 1], object)) {
        return table[slot] - 1;
      }
    }
    return -1;
  }

  private int putLinear(Object object) {
    for (int id = 0; id < count; id++) {
      if (same(objects[id], object)) {
        return id;
      }
    }
    append(object);
    if (count > LINEAR_MAX) {
      slots = rehash(8 * LINEAR_MAX);
    }
    return -1;
  }

  private int putHashed(Object object, int[] table) {
    int mask = table.length - 1;
    int slot = slotOf(object, mask);
    while (table[slot] != 0) {
      int id = table[slot] - 1;
      if (same(objects[id], object)) {
        return id;
      }
      slot = slot + 1 & mask;
    }
    append(object);
    table[slot] = count;
    if (2 * count > table.length) {
      slots = rehash(2 * table.length);
    }
    assert find(object) == count - 1;
    return -1;
  }

  private void append(Object object) {
    if (count == objects.length) {
      objects = Arrays.copyOf(objects, 2 * count);
    }
    objects[count++] = object;
  }

  private int[] rehash(int capacity) {
    int[] table = new int[Integer.highestOneBit(capacity - 1) << 1];
    int mask = table.length - 1;
    for (int id = 0; id < count; id++) {
      int slot = slotOf(objects[id], mask);
      while (table[slot] != 0) {
        slot = slot + 1 & mask;
      }
      table[slot] = id + 1;
    }
    return table;
  }

  private static int slotOf(@Nullable Object object, int mask) {
    int hash = System.identityHashCode(object);
    return (hash ^ hash >>> 15) & mask;
  }
}
