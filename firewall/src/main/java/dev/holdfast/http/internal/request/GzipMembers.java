package dev.holdfast.http.internal.request;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decodes the members of gzip (RFC 1952). The library's own stream ends at bytes that begin no
 * member, where others search for the next one, and takes a frame of the stack for each empty
 * member. Owned by one thread.
 */
final class GzipMembers extends InputStream {

  private static final int MAGIC = 0x8B1F;
  private static final int DEFLATE = 8;
  private static final int HEAD_CHECK = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED = 0xE0;
  private static final int TIME_AND_SYSTEM_BYTES = 6;

  private final ByteBuffer coded;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 check = new CRC32();
  private boolean isBegun;

  GzipMembers(byte[] coded) {
    this.coded = ByteBuffer.wrap(coded).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
  }

  /**
   * {@inheritDoc}
   *
   * @throws EOFException if the bytes end within a member
   * @throws ZipException if they are malformed
   */
  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    try {
      while (isBegun || coded.hasRemaining()) {
        if (!isBegun) {
          head();
          inflater.setInput(coded);
          isBegun = true;
        }
        int count = inflater.inflate(bytes, from, length);
        check.update(bytes, from, count);
        if (inflater.finished()) {
          trailer();
        } else if (count == 0 && length > 0) {
          throw inflater.needsInput()
              ? new EOFException("the data of a member end early")
              : new ZipException("a dictionary is needed");
        }
        if (count > 0 || length == 0) {
          return count;
        }
      }
      return -1;
    } catch (BufferUnderflowException e) {
      throw (EOFException) new EOFException("a member ends early").initCause(e);
    } catch (DataFormatException e) {
      throw new ZipException(e.getMessage());
    }
  }

  private void head() throws ZipException {
    int start = coded.position();
    if ((coded.getShort() & 0xFFFF) != MAGIC || coded.get() != DEFLATE) {
      throw new ZipException("not the head of a member");
    }
    int flags = coded.get();
    if ((flags & RESERVED) != 0) {
      throw new ZipException("unknown flags");
    }
    skip(TIME_AND_SYSTEM_BYTES);
    if ((flags & EXTRA) != 0) {
      skip(coded.getShort() & 0xFFFF);
    }
    if ((flags & NAME) != 0) {
      skipText();
    }
    if ((flags & COMMENT) != 0) {
      skipText();
    }
    if ((flags & HEAD_CHECK) != 0) {
      CRC32 head = new CRC32();
      head.update(coded.duplicate().flip().position(start));
      if ((coded.getShort() & 0xFFFF) != (head.getValue() & 0xFFFF)) {
        throw new ZipException("the checksum of a head is wrong");
      }
    }
  }

  private void skip(int bytes) {
    if (bytes > coded.remaining()) {
      throw new BufferUnderflowException();
    }
    coded.position(coded.position() + bytes);
  }

  private void skipText() {
    while (coded.get() != 0) {
      // Nobody needs it.
    }
  }

  private void trailer() throws ZipException {
    if (coded.getInt() != (int) check.getValue()
        || coded.getInt() != (int) inflater.getBytesWritten()) {
      throw new ZipException("the checksum or the length of a member is wrong");
    }
    inflater.reset();
    check.reset();
    isBegun = false;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
