package dev.holdfast.runtime.internal.cache;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a key: its value as it is stored, or that it has none. Keeps besides what the
 * value was last read as, if that can be shared.
 *
 * <p>Owned by the object's turn; the cache itself looks only at the weight, which never changes.
 */
public final class CachedValue {

  /**
   * Estimate of what an entry costs beside the characters of its key and the bytes of its value:
   * this object, the key's two, the cache's node and a place in its table, and a node of the set of
   * its generation.
   */
  private static final int OVERHEAD_BYTES = 272;

  /** Weights are rounded up, so that a value can grow a little in its place. */
  private static final int WEIGHT_STEP_BYTES = 64;

  /** What cannot be changed by whoever gets it. */
  private static final Set<Class<?>> SHAREABLE =
      Set.of(
          String.class,
          Boolean.class,
          Character.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class);

  private final int weightBytes;
  private byte @Nullable [] bytes;
  private @Nullable Object decoded;
  private @Nullable Class<?> decodedAs;

  /**
   * Creates what is known of a key.
   *
   * @param key the key
   * @param bytes its value as it is stored; null if it is known to be absent
   */
  public CachedValue(String key, byte @Nullable [] bytes) {
    this.weightBytes = weight(key, bytes);
    this.bytes = bytes;
  }

  private static int weight(String key, byte @Nullable [] bytes) {
    int exact = OVERHEAD_BYTES + key.length() + (bytes == null ? 0 : bytes.length);
    return Math.ceilDiv(exact, WEIGHT_STEP_BYTES) * WEIGHT_STEP_BYTES;
  }

  int weightBytes() {
    return weightBytes;
  }

  /** {@return whether a value fits in here without a change of weight} */
  boolean hasRoomFor(String key, byte @Nullable [] value) {
    return weight(key, value) <= weightBytes;
  }

  void set(byte @Nullable [] value) {
    bytes = value;
    decoded = null;
    decodedAs = null;
  }

  /** {@return the stored form; null if the key is known to be absent} */
  public byte @Nullable [] bytes() {
    return bytes;
  }

  /**
   * {@return what the value was last read as, if that was the same type and can be shared; else
   * null}
   *
   * @param type the type asked for
   */
  public @Nullable Object decoded(Class<?> type) {
    return decodedAs == type ? decoded : null;
  }

  /**
   * Keeps what the value was read as, if nobody can change that.
   *
   * @param type the type asked for
   * @param value the value
   */
  public void decodedAs(Class<?> type, Object value) {
    if (SHAREABLE.contains(value.getClass())) {
      decodedAs = type;
      decoded = value;
    }
  }
}
