package dev.holdfast.clone;

import dev.holdfast.clone.internal.CloneBounds;

/**
 * An {@code ArrayBuffer}: the memory that views cover. On its own, a buffer of fixed length is a
 * {@code byte[]}; the buffer and the {@code byte[]} are the same JavaScript object.
 *
 * <p>The bytes are shared with the caller, not copied.
 */
public final class JsBuffer implements JsValue {

  private static final long FIXED = -1;

  private final byte[] bytes;
  private final long byteLengthMax;

  private JsBuffer(byte[] bytes, long byteLengthMax) {
    this.bytes = bytes;
    this.byteLengthMax = byteLengthMax;
  }

  /**
   * Returns a buffer of fixed length.
   *
   * @param bytes its content, not copied
   * @return the buffer
   */
  public static JsBuffer fixed(byte[] bytes) {
    return new JsBuffer(bytes, FIXED);
  }

  /**
   * Returns a resizable buffer.
   *
   * @param bytes its content now, not copied
   * @param byteLengthMax the length that it may grow to, from {@code bytes.length} to
   *     2<sup>32</sup> - 1; no memory is taken for it
   * @return the buffer
   * @throws IllegalArgumentException if the maximum is out of range
   */
  public static JsBuffer resizable(byte[] bytes, long byteLengthMax) {
    if (byteLengthMax < bytes.length || byteLengthMax > CloneBounds.BUFFER_BYTES_MAX) {
      throw new IllegalArgumentException(
          "maximum of " + byteLengthMax + " bytes for " + bytes.length + " bytes");
    }
    return new JsBuffer(bytes, byteLengthMax);
  }

  /**
   * Returns the content.
   *
   * @return the bytes, not copied
   */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * Returns whether JavaScript may change the length.
   *
   * @return whether there is a {@link #byteLengthMax()}
   */
  public boolean isResizable() {
    return byteLengthMax != FIXED;
  }

  /**
   * Returns the length that the buffer may grow to.
   *
   * @return bytes; the present length if it is fixed
   */
  public long byteLengthMax() {
    return isResizable() ? byteLengthMax : bytes.length;
  }
}
