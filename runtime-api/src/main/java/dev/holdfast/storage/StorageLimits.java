package dev.holdfast.storage;

/** The limits of the key-value API; the same on every storage engine and in every transaction. */
public final class StorageLimits {

  /** Longest key, in bytes of UTF-8. */
  public static final int KEY_BYTES_MAX = 2_048;

  /** Largest value, in bytes, not counting {@link #VALUE_HEADER_BYTES}. */
  public static final int VALUE_BYTES_MAX = 131_072;

  /**
   * What the serialised form of a value may add to {@link #VALUE_BYTES_MAX}: the format's header,
   * tags and lengths. The figure is the reference runtime's.
   */
  public static final int VALUE_HEADER_BYTES = 34;

  /** Most keys or pairs in one get, put or delete. */
  public static final int KEYS_MAX = 128;

  /** Most pairs that {@code stream} reads ahead. */
  public static final int STREAM_PAIRS_MAX = 256;

  private StorageLimits() {}
}
