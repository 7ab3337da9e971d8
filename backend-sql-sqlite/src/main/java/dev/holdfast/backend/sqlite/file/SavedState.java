package dev.holdfast.backend.sqlite.file;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A saved state of an object: what its database file is once it is durable. It describes only the
 * content of the file, not its writer.
 *
 * @param position the last batch that is in the file
 * @param pageBytes the size of its pages
 * @param pages how many it has
 * @param checksum of the checksums of all pages, see {@link PageSums}
 * @param chunks the checksums of pages that may differ from the previous saved state
 */
public record SavedState(
    long position, int pageBytes, int pages, int checksum, List<SumChunk> chunks) {

  private static final int VERSION = 1;
  private static final int FIXED_BYTES = 24;

  /** {@return the length of the file} */
  public long fileBytes() {
    return (long) pages * pageBytes;
  }

  /** {@return the payload of a checkpoint record} */
  public ByteBuffer encode() {
    int bytes = FIXED_BYTES;
    for (SumChunk chunk : chunks) {
      bytes += 2 * Integer.BYTES + chunk.sums().length;
    }
    ByteBuffer payload = ByteBuffer.allocate(bytes);
    payload.putLong(position).put((byte) VERSION);
    payload.put((byte) Integer.numberOfTrailingZeros(pageBytes)).putShort((short) 0);
    payload.putInt(pages).putInt(checksum).putInt(chunks.size());
    for (SumChunk chunk : chunks) {
      payload.putInt(chunk.index()).putInt(chunk.sums().length).put(chunk.sums());
    }
    return payload.flip();
  }

  /**
   * Reads the payload of a checkpoint record.
   *
   * @param payload the payload; not changed
   * @return the saved state
   * @throws IllegalArgumentException if it is malformed
   */
  public static SavedState decode(ByteBuffer payload) {
    ByteBuffer bytes = payload.slice();
    require(bytes.remaining() >= FIXED_BYTES, "too short");
    long position = bytes.getLong();
    int version = bytes.get();
    require(version == VERSION, "unknown version " + version);
    int pageBits = bytes.get();
    require(pageBits >= 9 && pageBits <= 16, "page size of 2^" + pageBits + " bytes");
    require(bytes.getShort() == 0, "unknown bytes");
    int pages = bytes.getInt();
    int checksum = bytes.getInt();
    int count = bytes.getInt();
    require(pages >= 1 && count >= 0, "sizes " + pages + ", " + count);
    List<SumChunk> chunks = new ArrayList<>();
    for (int read = 0; read < count; read++) {
      require(bytes.remaining() >= 2 * Integer.BYTES, "ends within a chunk");
      int index = bytes.getInt();
      int length = bytes.getInt();
      require(index >= 0 && length == SumChunk.bytes(index, pages), "chunk " + index);
      require(bytes.remaining() >= length, "ends within a chunk");
      byte[] sums = new byte[length];
      bytes.get(sums);
      chunks.add(new SumChunk(index, sums));
    }
    require(!bytes.hasRemaining(), "bytes after the last chunk");
    return new SavedState(position, 1 << pageBits, pages, checksum, chunks);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(
          "not a saved state of version " + VERSION + ": " + otherwise);
    }
  }
}
