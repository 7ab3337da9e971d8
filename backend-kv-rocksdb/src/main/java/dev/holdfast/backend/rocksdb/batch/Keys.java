package dev.holdfast.backend.rocksdb.batch;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The order of keys: unsigned bytes, as RocksDB's own. */
public final class Keys {

  public static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  private Keys() {}

  /** {@return the smallest key that is larger} */
  public static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /**
   * Returns the first key that is larger than every key with a prefix.
   *
   * @param prefix at least one byte of it is not {@code FF}
   */
  public static byte[] endOfPrefix(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
      length--;
    }
    if (length == 0) {
      throw new IllegalArgumentException("A prefix of FF bytes alone has no end");
    }
    byte[] end = Arrays.copyOf(prefix, length);
    end[length - 1]++;
    return end;
  }

  /** {@return whether no key can be in a range} */
  public static boolean isEmpty(byte @Nullable [] startInclusive, byte @Nullable [] endExclusive) {
    return startInclusive != null
        && endExclusive != null
        && ORDER.compare(startInclusive, endExclusive) >= 0;
  }
}
