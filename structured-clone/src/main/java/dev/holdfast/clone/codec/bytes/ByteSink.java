package dev.holdfast.clone.codec.bytes;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.internal.CloneBounds;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A growing array with the format's primitives. One per written value, never cached: a buffer per
 * thread would be a buffer per virtual thread.
 *
 * <p>Owned by the thread that encodes.
 */
public final class ByteSink {

  private static final VarHandle DOUBLES =
      MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int VARINT_BYTES_MAX = 5;

  /** Up to this length, a loop over the characters is as fast as the bulk copy and its check. */
  private static final int SHORT_STRING_CHARS = 48;

  /** Characters copied at a time when each takes two bytes. */
  private static final int PIECE_CHARS = 1024;

  private static final int INTEGERS_RESERVED_MAX = 1 << 16;

  private byte[] buffer;
  private int position;

  public ByteSink(int capacity) {
    buffer = new byte[capacity];
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(buffer, position);
  }

  int position() {
    return position;
  }

  /** Drops the bytes written after a position. */
  void rewind(int earlier) {
    assert earlier >= 0 && earlier <= position;
    position = earlier;
  }

  public void tag(int tag) {
    ensure(1);
    buffer[position++] = (byte) tag;
  }

  public void varint(int unsigned) {
    ensure(VARINT_BYTES_MAX);
    putVarint(unsigned);
  }

  /** Writes a 64-bit varint; only host objects have them. */
  void varint64(long unsigned) {
    ensure(2 * VARINT_BYTES_MAX);
    long rest = unsigned;
    while ((rest & ~0x7FL) != 0) {
      buffer[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[position++] = (byte) rest;
  }

  public void int32(int value) {
    ensure(1 + VARINT_BYTES_MAX);
    int32Unchecked(value);
  }

  private void int32Unchecked(int value) {
    int zigZag = (value << 1) ^ (value >> 31);
    byte[] to = buffer;
    int at = position;
    to[at] = WireTag.INT32;
    if ((zigZag & ~0x7F) == 0) {
      to[at + 1] = (byte) zigZag;
      position = at + 2;
    } else if ((zigZag & ~0x3FFF) == 0) {
      to[at + 1] = (byte) (zigZag | 0x80);
      to[at + 2] = (byte) (zigZag >>> 7);
      position = at + 3;
    } else {
      position = at + 1;
      putVarint(zigZag);
    }
  }

  /**
   * Writes the leading elements of a list that are small integers: arrays of them are frequent, and
   * need no further check of each element's type.
   *
   * @return the number of such elements
   */
  int leadingIntegers(List<?> list) {
    int size = list.size();
    int index = 0;
    while (index < size) {
      Object element = list.get(index);
      long number;
      if (element instanceof Long l) {
        number = l;
      } else if (element instanceof Integer i) {
        number = i;
      } else {
        break;
      }
      if (!JsNumbers.isSmallInteger(number)) {
        break;
      }
      if (buffer.length - position < 1 + VARINT_BYTES_MAX) {
        // Most of the others take at most three bytes.
        grow((int) Math.min(INTEGERS_RESERVED_MAX, 3L * (size - index)) + VARINT_BYTES_MAX + 1);
      }
      int32Unchecked((int) number);
      index++;
    }
    return index;
  }

  public void taggedDouble(int tag, double value) {
    ensure(9);
    buffer[position] = (byte) tag;
    // Not the raw bits: the format has one NaN.
    DOUBLES.set(buffer, position + 1, Double.isNaN(value) ? Double.NaN : value);
    position += 9;
  }

  public void bytes(byte[] source, int offset, int length) {
    ensure(length);
    System.arraycopy(source, offset, buffer, position, length);
    position += length;
  }

  /** Writes a BigInt: sign and length in bytes, then digits of 64 bits, the lowest first. */
  public void bigInt(int tag, BigInteger value) {
    if (value.bitLength() > CloneBounds.BIG_INT_BITS_MAX) {
      throw new CloneException(
          "a BigInt has at most "
              + CloneBounds.BIG_INT_BITS_MAX
              + " bits, this one has "
              + value.bitLength(),
          BigInteger.class);
    }
    BigInteger magnitude = value.abs();
    int digits = (magnitude.bitLength() + 63) / 64;
    tag(tag);
    varint((digits * 8) << 1 | (value.signum() < 0 ? 1 : 0));
    byte[] bigEndian = magnitude.toByteArray();
    ensure(digits * 8);
    for (int i = 0; i < digits * 8; i++) {
      int from = bigEndian.length - 1 - i;
      buffer[position++] = from >= 0 ? bigEndian[from] : 0;
    }
  }

  public void bigInt(long value) {
    ensure(10);
    buffer[position++] = WireTag.BIG_INT;
    buffer[position++] = (byte) (8 << 1 | (value < 0 ? 1 : 0));
    long magnitude = Math.abs(value);
    for (int shift = 0; shift < 64; shift += 8) {
      buffer[position++] = (byte) (magnitude >>> shift);
    }
  }

  /**
   * Writes a string with its tag: one byte per character if all are below U+0100, otherwise two.
   */
  public void string(String value) {
    int chars = value.length();
    int start = position;
    ensure(1 + VARINT_BYTES_MAX + chars);
    buffer[position++] = WireTag.ONE_BYTE_STRING;
    putVarint(chars);
    boolean oneByte =
        chars <= SHORT_STRING_CHARS
            ? copyLatin1(value, chars)
            // A short check first avoids the bulk attempt for most texts in other scripts.
            : copyLatin1(value, SHORT_STRING_CHARS) && copyLongLatin1(value, chars);
    if (!oneByte) {
      position = start;
      twoByteString(value);
    }
  }

  private boolean copyLatin1(String value, int chars) {
    int to = position;
    for (int i = 0; i < chars; i++) {
      char c = value.charAt(i);
      if (c > 0xFF) {
        return false;
      }
      buffer[to++] = (byte) c;
    }
    position = to;
    return true;
  }

  // The deprecated method drops the high bytes, which is intended: for a string that the JVM stores
  // in Latin-1 it is one array copy. The comparison then detects the strings for which this is
  // wrong, at the cost of a second copy. Both are several times faster than a check of each
  // character.
  @SuppressWarnings("deprecation")
  private boolean copyLongLatin1(String value, int chars) {
    int from = position - SHORT_STRING_CHARS;
    value.getBytes(0, chars, buffer, from);
    if (!value.equals(new String(buffer, from, chars, StandardCharsets.ISO_8859_1))) {
      return false;
    }
    position = from + chars;
    return true;
  }

  /**
   * Writes the name of a property.
   *
   * @param encoded its one-byte form with tag; empty if it has none
   */
  public void name(String name, byte[] encoded) {
    if (encoded.length == 0) {
      string(name);
    } else {
      bytes(encoded, 0, encoded.length);
    }
  }

  public void twoByteString(String value) {
    int chars = value.length();
    if (chars > (CloneBounds.VALUE_BYTES_MAX - 8) / 2) {
      throw tooLarge();
    }
    int bytes = chars * 2;
    ensure(2 + VARINT_BYTES_MAX + bytes);
    // Readers require the characters at an even offset.
    if (((position + 1 + varintBytes(bytes)) & 1) != 0) {
      buffer[position++] = WireTag.PADDING;
    }
    buffer[position++] = WireTag.TWO_BYTE_STRING;
    putVarint(bytes);
    // In pieces through an array, because the JVM copies in bulk only from an array.
    CharBuffer to =
        ByteBuffer.wrap(buffer, position, bytes).order(ByteOrder.LITTLE_ENDIAN).asCharBuffer();
    char[] piece = new char[Math.min(chars, PIECE_CHARS)];
    for (int from = 0; from < chars; from += piece.length) {
      int count = Math.min(piece.length, chars - from);
      value.getChars(from, from + count, piece, 0);
      to.put(piece, 0, count);
    }
    position += bytes;
  }

  /** Writes a string in the form of host objects: length in bytes, then UTF-8. */
  public void lengthDelimited(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    varint64(utf8.length);
    bytes(utf8, 0, utf8.length);
  }

  private void putVarint(int unsigned) {
    int rest = unsigned;
    while ((rest & ~0x7F) != 0) {
      buffer[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[position++] = (byte) rest;
  }

  private static int varintBytes(int unsigned) {
    return Math.max(1, (38 - Integer.numberOfLeadingZeros(unsigned)) / 7);
  }

  private void ensure(int more) {
    if (more > buffer.length - position) {
      grow(more);
    }
  }

  private void grow(int more) {
    long needed = (long) position + more;
    if (needed > CloneBounds.VALUE_BYTES_MAX) {
      throw tooLarge();
    }
    long doubled = Math.min(2L * buffer.length, CloneBounds.VALUE_BYTES_MAX);
    buffer = Arrays.copyOf(buffer, (int) Math.max(needed, doubled));
  }

  private static CloneException tooLarge() {
    return new CloneException(
        "the value is larger than " + CloneBounds.VALUE_BYTES_MAX + " bytes when written", null);
  }
}
