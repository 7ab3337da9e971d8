package dev.holdfast.clone.codec.bytes;

import dev.holdfast.clone.CloneFormatException;
import dev.holdfast.clone.internal.CloneBounds;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes with a position, and the format's primitives. Every length is compared with the number of
 * remaining bytes before memory is allocated for it.
 *
 * <p>Owned by the thread that decodes.
 */
public final class ByteSource {

  private static final VarHandle DOUBLES =
      MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int VARINT_BYTES_MAX = 5;
  private static final int BIG_INT_BYTES_MASK = (1 << 30) - 1;

  private final byte[] bytes;
  private int position;
  private boolean marks;
  private int mark;

  public ByteSource(byte[] bytes) {
    this.bytes = bytes;
  }

  public int remaining() {
    return bytes.length - position;
  }

  public int position() {
    return position;
  }

  /** Goes back to a position that was read before. */
  public void rewind(int earlier) {
    assert earlier <= position;
    position = earlier;
  }

  public CloneFormatException fault(String reason) {
    return new CloneFormatException(reason, position);
  }

  /** Accepts {@link WireTag#CLASS} before values. */
  public void allowMarks() {
    marks = true;
  }

  /** Returns the mark before the tag that was read last, and forgets it; 0 if there was none. */
  public int takeMark() {
    int taken = mark;
    mark = 0;
    return taken;
  }

  /** Removes bits from the mark before the tag that was read last. */
  public void unmark(int bits) {
    mark &= ~bits;
  }

  /** Returns the next tag and moves past it; padding and object counts before it are skipped. */
  public int tag() {
    mark = 0;
    while (true) {
      int tag = octet();
      if (tag == WireTag.OBJECT_COUNT) {
        varint();
      } else if (tag == WireTag.CLASS && marks) {
        mark = octet();
      } else if (tag != WireTag.PADDING) {
        return tag;
      }
    }
  }

  /** Returns the next tag that is not padding, and stays before it. */
  public int peek() {
    while (position < bytes.length) {
      int tag = bytes[position] & 0xFF;
      if (tag != WireTag.PADDING) {
        return tag;
      }
      position++;
    }
    throw endReached();
  }

  /**
   * Returns whether a tag comes next, and moves past it if so. The end of the bytes is not a tag.
   */
  public boolean skip(int tag) {
    if (position < bytes.length && (bytes[position] & 0xFF) == tag) {
      position++;
      return true;
    }
    return skipPaddedTag(tag);
  }

  private boolean skipPaddedTag(int tag) {
    int at = position;
    while (at < bytes.length && bytes[at] == WireTag.PADDING) {
      at++;
    }
    if (at == bytes.length || (bytes[at] & 0xFF) != tag) {
      return false;
    }
    position = at + 1;
    return true;
  }

  int octet() {
    if (position >= bytes.length) {
      throw endReached();
    }
    return bytes[position++] & 0xFF;
  }

  /** Reads 32 bits, unsigned. Higher bits are dropped and a sixth byte is not read. */
  public int varint() {
    if (position < bytes.length && bytes[position] >= 0) {
      return bytes[position++];
    }
    int value = 0;
    for (int shift = 0; shift < 7 * VARINT_BYTES_MAX; shift += 7) {
      int octet = octet();
      value |= (octet & 0x7F) << shift;
      if (octet < 0x80) {
        return value;
      }
    }
    if (position >= bytes.length) {
      throw endReached();
    }
    return value;
  }

  /** Reads 8 bits: the same, but at most two bytes. */
  public int varint8() {
    int low = octet();
    if (low < 0x80) {
      return low;
    }
    int high = octet();
    if (high >= 0x80 && position >= bytes.length) {
      throw endReached();
    }
    return ((low & 0x7F) | (high << 7)) & 0xFF;
  }

  /** Reads a 64-bit varint; only host objects have them. */
  public long varint64() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int octet = octet();
      value |= (long) (octet & 0x7F) << shift;
      if (octet < 0x80) {
        break;
      }
    }
    return value;
  }

  /** Reads a varint that is a length; that many bytes must remain. */
  public int length() {
    int length = varint();
    if (Integer.compareUnsigned(length, remaining()) > 0) {
      throw fault(
          "a length of "
              + Integer.toUnsignedString(length)
              + " with "
              + remaining()
              + " bytes left");
    }
    return length;
  }

  public int int32() {
    int zigZag = varint();
    return (zigZag >>> 1) ^ -(zigZag & 1);
  }

  public double float64() {
    if (remaining() < Double.BYTES) {
      throw endReached();
    }
    double value = (double) DOUBLES.get(bytes, position);
    position += Double.BYTES;
    return Double.isNaN(value) ? Double.NaN : value;
  }

  public byte[] bytes(int length) {
    byte[] read = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return read;
  }

  public BigInteger bigInt() {
    int bits = varint();
    boolean negative = (bits & 1) != 0;
    int length = (bits >>> 1) & BIG_INT_BYTES_MASK;
    if (length > remaining()) {
      throw fault("a BigInt of " + length + " bytes with " + remaining() + " bytes left");
    }
    if (length > CloneBounds.BIG_INT_BYTES_MAX) {
      throw fault("a BigInt of " + length + " bytes");
    }
    if (length == 0 && negative) {
      throw fault("a BigInt zero with a sign");
    }
    byte[] bigEndian = new byte[length];
    for (int i = 0; i < length; i++) {
      bigEndian[length - 1 - i] = bytes[position + i];
    }
    position += length;
    BigInteger magnitude = new BigInteger(1, bigEndian);
    return negative ? magnitude.negate() : magnitude;
  }

  public String oneByteString() {
    int length = length();
    String value = new String(bytes, position, length, StandardCharsets.ISO_8859_1);
    position += length;
    return value;
  }

  public String twoByteString() {
    int length = length();
    if ((length & 1) != 0) {
      throw fault("a two-byte string of " + length + " bytes");
    }
    char[] chars = new char[length / 2];
    ByteBuffer.wrap(bytes, position, length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asCharBuffer()
        .get(chars);
    position += length;
    return new String(chars);
  }

  public String utf8String() {
    return utf8String(length());
  }

  public String utf8String(int length) {
    String value = Utf8.decode(bytes, position, length);
    position += length;
    return value;
  }

  /** Moves past the given bytes if they come next. */
  public boolean skip(byte[] expected) {
    int end = position + expected.length;
    if (end > bytes.length || !Arrays.equals(bytes, position, end, expected, 0, expected.length)) {
      return false;
    }
    position = end;
    return true;
  }

  private CloneFormatException endReached() {
    return fault("the bytes end within a value");
  }
}
