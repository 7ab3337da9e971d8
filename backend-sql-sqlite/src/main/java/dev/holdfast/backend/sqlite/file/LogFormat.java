package dev.holdfast.backend.sqlite.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The format of a {@code -wal} file of SQLite: a header, then frames, each a header and a page. All
 * numbers are big-endian. A frame counts if it has the salts of the header; a commit is a run of
 * frames up to one that has the size of the database.
 */
public final class LogFormat {

  public static final int HEADER_BYTES = 32;
  public static final int FRAME_HEADER_BYTES = 24;

  /** Its last bit gives the byte order of the words of checksums. */
  private static final int MAGIC = 0x377F0682;

  /** The part of a header that its checksum covers. */
  private static final int HEADER_SUMMED_BYTES = 24;

  /** The part of a frame's header that its checksum covers. */
  private static final int FRAME_SUMMED_BYTES = 8;

  private LogFormat() {}

  /** {@return whether a header was written; if not, SQLite takes the log as empty} */
  public static boolean isBegun(ByteBuffer header) {
    return header.getInt(0) != 0;
  }

  /** {@return the size of a page, valid or not} */
  public static int pageBytes(ByteBuffer header) {
    return header.getInt(8);
  }

  /** {@return what all frames have that belong to the header} */
  public static long salts(ByteBuffer header) {
    return header.getLong(16);
  }

  /** {@return where a frame begins in the file; the first has number 0} */
  public static long offset(int frame, int pageBytes) {
    return HEADER_BYTES + (long) frame * frameBytes(pageBytes);
  }

  /** {@return the length of a frame} */
  public static int frameBytes(int pageBytes) {
    return FRAME_HEADER_BYTES + pageBytes;
  }

  /** {@return the number of the page in the frame that begins at an offset} */
  public static int page(ByteBuffer frames, int at) {
    return frames.getInt(at);
  }

  /** {@return the size of the database after the commit that a frame ends; 0 if it ends none} */
  public static int pagesAfter(ByteBuffer frames, int at) {
    return frames.getInt(at + 4);
  }

  /** {@return the salts of a frame} */
  public static long frameSalts(ByteBuffer frames, int at) {
    return frames.getLong(at + 8);
  }

  /** SQLite's checksum, over the header and all frames from the beginning of the log. */
  public static final class Checksum {
    private final ByteOrder order;
    private int first;
    private int second;

    /** Begins with the byte order that a header gives. */
    public Checksum(ByteBuffer header) {
      order = (header.getInt(0) & 1) == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    /** {@return whether a header is one, and has the right checksum} */
    public boolean matchesHeader(ByteBuffer header) {
      update(header, 0, HEADER_SUMMED_BYTES);
      return (header.getInt(0) & ~1) == MAGIC && is(header, HEADER_SUMMED_BYTES);
    }

    /** {@return whether the next frame has the right checksum} */
    public boolean matchesFrame(ByteBuffer frames, int at, int pageBytes) {
      update(frames, at, FRAME_SUMMED_BYTES);
      update(frames, at + FRAME_HEADER_BYTES, pageBytes);
      return is(frames, at + 16);
    }

    private void update(ByteBuffer bytes, int offset, int length) {
      ByteBuffer words = bytes.duplicate().order(order);
      for (int at = offset; at < offset + length; at += 2 * Integer.BYTES) {
        first += words.getInt(at) + second;
        second += words.getInt(at + Integer.BYTES) + first;
      }
    }

    private boolean is(ByteBuffer fields, int offset) {
      return fields.getInt(offset) == first && fields.getInt(offset + Integer.BYTES) == second;
    }
  }
}
