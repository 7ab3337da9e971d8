package dev.holdfast.archiver;

import dev.holdfast.spi.disk.StoredName;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of a file in a pack of a base image. Not changed after it was made.
 *
 * @param name the name of the file, relative to the data directory
 * @param fileOffset where the bytes are in the file; 0 begins the file
 * @param bytes the bytes, in an array
 */
record Piece(String name, long fileOffset, ByteBuffer bytes) {

  /** The length of the name, the offset and the length of the bytes. */
  static final int HEADER_BYTES = 2 + 8 + 4;

  /**
   * Reads the pieces of a pack.
   *
   * @param entry the name of its entry, for messages
   * @param isShard whether the image is one of a shard
   * @throws IOException if it has something else
   */
  static List<Piece> of(byte[] pack, String entry, boolean isShard) throws IOException {
    List<Piece> pieces = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(pack);
    try {
      while (bytes.hasRemaining()) {
        byte[] name = new byte[Short.toUnsignedInt(bytes.getShort())];
        bytes.get(name);
        long offset = bytes.getLong();
        int length = bytes.getInt();
        ByteBuffer content = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        Piece piece = new Piece(new String(name, StandardCharsets.UTF_8), offset, content);
        piece.requireInside(entry, isShard);
        pieces.add(piece);
      }
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new DamagedEntryException(entry, "The pack ends in the middle of a file.", e);
    }
    return pieces;
  }

  /** The store may be one that others can write. */
  private void requireInside(String entry, boolean isShard) throws IOException {
    if (!(isShard ? StoredName.isOfShard(name) : StoredName.isOfView(name))) {
      throw new DamagedEntryException(entry, "The pack has a file that is not of the data.", null);
    }
  }
}
