package dev.holdfast.runtime.internal.cache;

import java.lang.reflect.Type;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cached state of a key: its stored value, or that it is absent. Also keeps the last decoded
 * form of the value, if that can be shared.
 *
 * <p>Owned by the object's turn; the cache itself reads only the weight, which never changes.
 */
public final class CachedValue {

  /**
   * Estimated cost of an entry besides the characters of its key and the bytes of its value: this
   * object, the key's two, the cache's node and a place in its table, and a node of the set of its
   * generation.
   */
  private static final int OVERHEAD_BYTES = 272;

  /** Weights are rounded up, so that a value can grow a little in place. */
  private static final int WEIGHT_STEP_BYTES = 64;

  /** Types whose values no receiver can change. */
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
  private @Nullable Type decodedAs;

  /**
   * Creates the state of a key.
   *
   * @param key the key
   * @param bytes its stored value; null if the key is absent
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

  /** {@return whether a value fits without a change of weight} */
  boolean hasRoomFor(String key, byte @Nullable [] value) {
    return weight(key, value) <= weightBytes;
  }

  void set(byte @Nullable [] value) {
    bytes = value;
    decoded = null;
    decodedAs = null;
  }

  /** {@return the stored form; null if the key is absent} */
  public byte @Nullable [] bytes() {
    return bytes;
  }

  /**
   * {@return the last decoded form of the value, if it has the same type and can be shared; else
   * null}
   *
   * @param type the type asked for
   */
  public @Nullable Object decoded(Type type) {
    return type.equals(decodedAs) ? decoded : null;
  }

  /**
   * Keeps a decoded form of the value, if it is immutable.
   *
   * @param type the type asked for
   * @param value the value
   */
  public void decodedAs(Type type, Object value) {
    if (SHAREABLE.contains(value.getClass())) {
      decodedAs = type;
      decoded = value;
    }
  }
}
