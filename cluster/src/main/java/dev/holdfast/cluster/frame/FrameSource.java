package dev.holdfast.cluster.frame;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.log.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a frame. Each length is compared with what is left before anything is
 * allocated. Confined to one thread.
 */
final class FrameSource {

  private final ByteBuffer bytes;

  FrameSource(byte[] frame) {
    this.bytes = ByteBuffer.wrap(frame);
  }

  private void require(int count) throws FrameException {
    if (count < 0 || count > bytes.remaining()) {
      throw new FrameException(
          "a frame ends at byte " + bytes.limit() + ", where a field has " + count + " bytes more");
    }
  }

  boolean hasMore() {
    return bytes.hasRemaining();
  }

  int u8() throws FrameException {
    require(1);
    return bytes.get() & 0xFF;
  }

  int u16() throws FrameException {
    require(Short.BYTES);
    return bytes.getShort() & 0xFFFF;
  }

  int i32() throws FrameException {
    require(Integer.BYTES);
    return bytes.getInt();
  }

  long i64() throws FrameException {
    require(Long.BYTES);
    return bytes.getLong();
  }

  boolean flag() throws FrameException {
    return count(1) == 1;
  }

  /** Reads a small number. */
  int count(int max) throws FrameException {
    int count = u8();
    if (count > max) {
      throw new FrameException("a frame has " + count + " where at most " + max + " may be");
    }
    return count;
  }

  byte[] raw(int length) throws FrameException {
    require(length);
    byte[] read = new byte[length];
    bytes.get(read);
    return read;
  }

  String text() throws FrameException {
    int length = u16();
    require(length);
    ByteBuffer part = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(part).toString();
    } catch (CharacterCodingException e) {
      throw new FrameException("a frame has a text that is not UTF-8");
    }
  }

  @Nullable String optional() throws FrameException {
    return flag() ? text() : null;
  }

  ObjectId id() throws FrameException {
    return ObjectId.of(raw(ObjectId.LENGTH_BYTES), optional());
  }

  NodeId node() throws FrameException {
    return node(text());
  }

  static NodeId node(String name) throws FrameException {
    try {
      return new NodeId(name);
    } catch (IllegalArgumentException e) {
      throw new FrameException("a frame has a malformed name of a node");
    }
  }

  void requireEnd() throws FrameException {
    if (bytes.hasRemaining()) {
      throw new FrameException("a frame has " + bytes.remaining() + " bytes after its last field");
    }
  }
}
