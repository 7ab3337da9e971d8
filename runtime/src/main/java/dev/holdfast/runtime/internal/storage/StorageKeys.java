package dev.holdfast.runtime.internal.storage;

import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.StorageLimits;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts the application's keys to bytes, and back. Keys are ordered by these bytes, unsigned,
 * which is not the order of {@link String#compareTo} for characters outside the basic plane.
 * Immutable.
 *
 * @param object the object that owns the keys
 */
record StorageKeys(ObjectKey object) {

  /** Of a key that is too long. */
  private static final int SHOWN_CHARS = 40;

  /** Returns the bytes of a key that is read or written, after a check of its length. */
  byte[] encode(String key) {
    byte[] bytes = KeyText.encode(Objects.requireNonNull(key, "The key is null."));
    if (bytes.length > StorageLimits.KEY_BYTES_MAX) {
      throw new StorageLimitException(
          object.namespace(),
          object.id(),
          "Keys cannot be larger than "
              + StorageLimits.KEY_BYTES_MAX
              + " bytes. A key of size "
              + bytes.length
              + " was provided. It begins with \""
              + key.substring(0, SHOWN_CHARS)
              + "\"; use a shorter key, such as a hash of this one.");
    }
    return bytes;
  }

  static String decode(byte[] key) {
    return KeyText.decode(key);
  }

  void checkCount(int count) {
    if (count > StorageLimits.KEYS_MAX) {
      throw new StorageLimitException(
          object.namespace(),
          object.id(),
          "Maximum number of key value pairs is "
              + StorageLimits.KEYS_MAX
              + ". "
              + count
              + " pairs were provided. Write or read them in several calls of one turn: all become"
              + " durable together.");
    }
  }

  /** Returns the range that options select; null if it cannot contain a key. */
  @Nullable KeyRange range(ListOptions options) {
    byte[] start = options.start() == null ? null : KeyText.encode(options.start());
    if (options.startAfter() != null) {
      start = after(KeyText.encode(options.startAfter()));
    }
    byte[] end = options.end() == null ? null : KeyText.encode(options.end());
    if (options.prefix() != null && !options.prefix().isEmpty()) {
      byte[] prefix = KeyText.encode(options.prefix());
      start = start == null || compare(start, prefix) < 0 ? prefix : start;
      byte[] afterPrefix = firstAfter(prefix);
      if (afterPrefix != null && (end == null || compare(end, afterPrefix) > 0)) {
        end = afterPrefix;
      }
    }
    if (start != null && end != null && compare(start, end) >= 0) {
      return null;
    }
    return new KeyRange(start, end, options.reverse(), options.limit());
  }

  /** Returns the next key in byte order: the key with a zero byte appended, not a "next string". */
  static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /**
   * Returns the first key in byte order that is larger than every key with a prefix: the prefix
   * with its last byte raised, carrying over bytes that are 0xFF. It need not be valid UTF-8.
   */
  static byte @Nullable [] firstAfter(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
      length--;
    }
    if (length == 0) {
      return null;
    }
    byte[] after = Arrays.copyOf(prefix, length);
    after[length - 1]++;
    return after;
  }

  static int compare(byte[] left, byte[] right) {
    return Arrays.compareUnsigned(left, right);
  }
}
