package dev.holdfast.clone;

/**
 * The bounds of values that the format does not set; see also {@link StructuredClone#DEPTH_MAX}.
 */
final class CloneBounds {

  /** Maximum nesting of type arguments: a record may contain itself with ever larger ones. */
  static final int TYPE_DEPTH_MAX = 32;

  /** Maximum number of names of each kind in an error: a hostile value has thousands. */
  static final int NAMES_SHOWN_MAX = 3;

  /** The longest BigInt that is read. */
  static final int BIG_INT_BYTES_MAX = 1 << 27;

  /** The longest BigInt that is written: the reference does not read longer ones. */
  static final int BIG_INT_BITS_MAX = 1 << 30;

  /** The longest encoded value: the longest array that every JVM can allocate. */
  static final int VALUE_BYTES_MAX = Integer.MAX_VALUE - 8;

  /** The longest array without holes: the longest list that every JVM can hold. */
  static final int PACKED_ARRAY_MAX = Integer.MAX_VALUE - 8;

  /** The longest ArrayBuffer. */
  static final long BUFFER_BYTES_MAX = 0xFFFF_FFFFL;

  /**
   * The maximum initial capacity of a collection: each of several nested arrays may declare as many
   * elements as there are bytes.
   */
  static final int CAPACITY_AT_FIRST_MAX = 256;

  private CloneBounds() {}
}
