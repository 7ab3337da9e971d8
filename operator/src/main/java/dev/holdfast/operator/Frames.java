package dev.holdfast.operator;

import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a connection: each has its length in four bytes, big-endian, and then a map in
 * the format of stored values. {@code docs/formats/operator-socket.md}. Confined to one thread, but
 * any thread may close it.
 */
final class Frames implements Closeable {

  static final int REQUEST_BYTES_MAX = 4 << 20;
  static final int ANSWER_BYTES_MAX = 64 << 20;

  private static final StructuredClone CODEC = StructuredClone.standard();

  private final SocketChannel channel;
  private final DataInputStream in;
  private final DataOutputStream out;

  Frames(SocketChannel channel) {
    this.channel = channel;
    this.in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
    this.out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
  }

  void write(Map<String, ?> message) throws IOException {
    byte[] bytes = CODEC.encode(message);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  void flush() throws IOException {
    out.flush();
  }

  /**
   * Reads a message.
   *
   * @param bytesMax the longest that is read
   * @throws IOException if the connection ends, or the message is malformed
   */
  Map<?, ? extends @Nullable Object> read(int bytesMax) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > bytesMax) {
      throw new IOException("a message of " + length + " bytes; at most " + bytesMax);
    }
    byte[] bytes = in.readNBytes(length);
    try {
      if (CODEC.decode(bytes) instanceof Map<?, ?> message) {
        return message;
      }
    } catch (StructuredCloneException e) {
      throw new IOException("a malformed message: " + e.getMessage(), e);
    }
    throw new IOException("a message that is not a map");
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
