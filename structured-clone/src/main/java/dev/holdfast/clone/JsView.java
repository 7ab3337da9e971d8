package dev.holdfast.clone;

import java.util.Arrays;

/**
 * A typed array or a {@code DataView}: a window on a buffer. Several views may share one {@link
 * JsBuffer}, and still share it after writing and reading.
 *
 * @param kind the kind of view
 * @param buffer the buffer that it covers
 * @param byteOffset the offset at which it begins
 * @param byteLength the number of bytes that it covers now
 * @param lengthTracking whether it always extends to the end of its resizable buffer
 */
public record JsView(
    Kind kind, JsBuffer buffer, int byteOffset, int byteLength, boolean lengthTracking)
    implements JsValue {

  /** The kinds of view, named as in JavaScript. */
  public enum Kind {
    /** Signed bytes. */
    INT8(1),
    /** Unsigned bytes. */
    UINT8(1),
    /** Unsigned bytes that saturate when written to. */
    UINT8_CLAMPED(1),
    /** Signed 16-bit integers. */
    INT16(2),
    /** Unsigned 16-bit integers. */
    UINT16(2),
    /** Signed 32-bit integers. */
    INT32(4),
    /** Unsigned 32-bit integers. */
    UINT32(4),
    /** 16-bit floating point numbers. */
    FLOAT16(2),
    /** 32-bit floating point numbers. */
    FLOAT32(4),
    /** 64-bit floating point numbers. */
    FLOAT64(8),
    /** Signed 64-bit integers. */
    BIG_INT64(8),
    /** Unsigned 64-bit integers. */
    BIG_UINT64(8),
    /** Bytes without an element type. */
    DATA_VIEW(1);

    private final int elementBytes;

    Kind(int elementBytes) {
      this.elementBytes = elementBytes;
    }

    /**
     * Returns the size of an element.
     *
     * @return bytes; 1 for a {@code DataView}
     */
    public int elementBytes() {
      return elementBytes;
    }
  }

  /**
   * Checks that the window lies within its buffer and on whole elements.
   *
   * @throws IllegalArgumentException if it does not, or tracks the length of a buffer of fixed
   *     length
   */
  public JsView {
    int bufferBytes = buffer.bytes().length;
    if (byteOffset < 0 || byteLength < 0 || byteLength > bufferBytes - byteOffset) {
      throw new IllegalArgumentException(
          byteLength + " bytes from " + byteOffset + " in a buffer of " + bufferBytes);
    }
    if (byteOffset % kind.elementBytes != 0 || byteLength % kind.elementBytes != 0) {
      throw new IllegalArgumentException(
          byteLength
              + " bytes from "
              + byteOffset
              + " are not a whole number of elements of "
              + kind);
    }
    if (lengthTracking && !buffer.isResizable()) {
      throw new IllegalArgumentException("length tracking on a buffer of fixed length");
    }
  }

  /**
   * Returns a view of a whole new buffer.
   *
   * @param kind the kind of view
   * @param bytes the content, not copied
   * @return the view
   * @throws IllegalArgumentException if the bytes are not a whole number of elements
   */
  public static JsView of(Kind kind, byte[] bytes) {
    return new JsView(kind, JsBuffer.fixed(bytes), 0, bytes.length, false);
  }

  /**
   * Returns the bytes that the view covers.
   *
   * @return a copy, little-endian elements one after the other
   */
  public byte[] toByteArray() {
    return Arrays.copyOfRange(buffer.bytes(), byteOffset, byteOffset + byteLength);
  }
}
