package dev.holdfast.cluster.frame;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads frames from a stream. A frame that states a length gets memory as its bytes arrive, so that
 * a length alone costs nothing. Confined to one thread.
 */
public final class FrameReader {

  /** What is allocated before the first byte of a frame has arrived, in bytes. */
  private static final int FIRST_BYTES = 8 << 10;

  private final InputStream in;

  /**
   * Creates a reader.
   *
   * @param in has frames only
   */
  public FrameReader(InputStream in) {
    this.in = in;
  }

  /**
   * Reads the next frame.
   *
   * @param lengthMax the maximum length of the frame in bytes
   * @return the frame without its length
   * @throws EOFException if the stream has ended, also within a frame
   * @throws FrameException if the stated length is not that of a frame
   * @throws IOException if the stream cannot be read
   */
  public byte[] next(int lengthMax) throws IOException {
    int length = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      length = length << 8 | one();
    }
    if (length < FrameCodec.HEADER_BYTES || length > lengthMax) {
      throw new FrameException(
          "a frame states a length of "
              + Integer.toUnsignedString(length)
              + " bytes, where "
              + FrameCodec.HEADER_BYTES
              + " to "
              + lengthMax
              + " may be");
    }
    byte[] frame = new byte[Math.min(length, FIRST_BYTES)];
    int end = 0;
    while (end < length) {
      if (end == frame.length) {
        frame = Arrays.copyOf(frame, (int) Math.min(length, 2L * frame.length));
      }
      int count = in.read(frame, end, frame.length - end);
      if (count < 0) {
        throw new EOFException("the connection ended within a frame");
      }
      end += count;
    }
    return frame;
  }

  private int one() throws IOException {
    int read = in.read();
    if (read < 0) {
      throw new EOFException("the connection ended");
    }
    return read;
  }
}
