package dev.holdfast.storage;

/** The limits of the key-value API; the same on every storage engine and in every transaction. */
public final class StorageLimits {

  /** Longest key, in bytes of UTF-8. */
  public static final int KEY_BYTES_MAX = 2_048;

  /** Largest value, in bytes, not counting {@link #VALUE_HEADER_BYTES}. */
  public static final int VALUE_BYTES_MAX = 131_072;

  /**
   * Bytes that the serialised form may take in addition to {@link #VALUE_BYTES_MAX}, for the
   * header, tags and lengths of the format. The reference runtime has the same figure.
   */
  public static final int VALUE_HEADER_BYTES = 34;

  /** Largest number of keys or pairs in one get, put or delete. */
  public static final int KEYS_MAX = 128;

  /** Largest number of pairs that {@code stream} reads ahead. */
  public static final int STREAM_PAIRS_MAX = 256;

  private StorageLimits() {}
}
