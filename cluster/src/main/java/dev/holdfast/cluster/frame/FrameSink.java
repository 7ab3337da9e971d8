package dev.holdfast.cluster.frame;

import dev.holdfast.ObjectId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes the fields of a frame. Confined to one thread. */
final class FrameSink {

  private static final int LENGTH_FIELD_BYTES = Integer.BYTES;

  private byte[] bytes = new byte[256];
  private int end = LENGTH_FIELD_BYTES;

  private void reserve(int more) throws FrameException {
    // Neither operand exceeds what an array can have, so the sum needs a long.
    long needed = (long) end + more;
    if (needed > LENGTH_FIELD_BYTES + (long) Frame.LENGTH_MAX) {
      throw new FrameException(
          "a frame would have more than " + Frame.LENGTH_MAX + " bytes, which is the limit");
    }
    if (needed > bytes.length) {
      bytes =
          Arrays.copyOf(
              bytes,
              (int)
                  Math.min(
                      Math.max(needed, 2L * bytes.length),
                      LENGTH_FIELD_BYTES + (long) Frame.LENGTH_MAX));
    }
  }

  FrameSink u8(int value) throws FrameException {
    reserve(1);
    bytes[end++] = (byte) value;
    return this;
  }

  FrameSink u16(int value) throws FrameException {
    assert value >= 0 && value <= 0xFFFF;
    return u8(value >>> 8).u8(value);
  }

  FrameSink i32(int value) throws FrameException {
    return u16(value >>> 16).u16(value & 0xFFFF);
  }

  FrameSink i64(long value) throws FrameException {
    return i32((int) (value >>> 32)).i32((int) value);
  }

  FrameSink raw(byte[] added) throws FrameException {
    reserve(added.length);
    System.arraycopy(added, 0, bytes, end, added.length);
    end += added.length;
    return this;
  }

  FrameSink text(String text) throws FrameException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > Frame.TEXT_BYTES_MAX) {
      throw new FrameException(
          "a text of " + utf8.length + " bytes is longer than " + Frame.TEXT_BYTES_MAX);
    }
    return u16(utf8.length).raw(utf8);
  }

  FrameSink optional(@Nullable String text) throws FrameException {
    return text == null ? u8(0) : u8(1).text(text);
  }

  FrameSink id(ObjectId id) throws FrameException {
    return raw(id.toBytes()).optional(id.name().orElse(null));
  }

  /** Returns the frame with its length. */
  byte[] toBytes() {
    byte[] frame = bytes.length == end ? bytes : Arrays.copyOf(bytes, end);
    ByteBuffer.wrap(frame).putInt(0, end - LENGTH_FIELD_BYTES);
    return frame;
  }
}
