package dev.holdfast.clone.internal;

/** The bounds of values that the format does not set. */
public final class CloneBounds {

  /**
   * The maximum nesting of collections, records and errors. This depth fits the usual stack of 1
   * MiB, however the code was compiled, and leaves a fifth for the caller. The reference was
   * observed to accept a thousand.
   */
  public static final int DEPTH_MAX = 1_024;

  /** The range of a Date, in milliseconds before and after 1970. */
  public static final double DATE_MILLIS_MAX = 8.64e15;

  /** Maximum nesting of type arguments: a record may contain itself with ever larger ones. */
  public static final int TYPE_DEPTH_MAX = 32;

  /** Maximum number of names of each kind in an error: a hostile value has thousands. */
  public static final int NAMES_SHOWN_MAX = 3;

  /** The longest BigInt that is read. */
  public static final int BIG_INT_BYTES_MAX = 1 << 27;

  /** The longest BigInt that is written: the reference does not read longer ones. */
  public static final int BIG_INT_BITS_MAX = 1 << 30;

  /** The longest encoded value: the longest array that every JVM can allocate. */
  public static final int VALUE_BYTES_MAX = Integer.MAX_VALUE - 8;

  /** The longest array without holes: the longest list that every JVM can hold. */
  public static final int PACKED_ARRAY_MAX = Integer.MAX_VALUE - 8;

  /** The longest ArrayBuffer. */
  public static final long BUFFER_BYTES_MAX = 0xFFFF_FFFFL;

  /**
   * The maximum initial capacity of a collection: each of several nested arrays may declare as many
   * elements as there are bytes.
   */
  public static final int CAPACITY_AT_FIRST_MAX = 256;

  private CloneBounds() {}
}
