package dev.holdfast.backend.sqlite.wal;

import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;

/** A batch in a journal that has its records at other positions. Stateless. */
public final class MovedBatch {

  private MovedBatch() {}

  /**
   * Returns the payload of a batch, or of a part of one, with the position of its first part as it
   * is in another journal.
   *
   * @param payload the payload; not changed
   * @param positions gives the position in the other journal
   * @return the payload in the other journal; the same if it names no position
   * @throws IllegalArgumentException if it is not a batch of a format known here
   */
  public static ByteBuffer of(ByteBuffer payload, LongUnaryOperator positions) {
    BatchReader batch = new BatchReader(payload);
    if (batch.firstPart() == 0) {
      return payload;
    }
    ByteBuffer moved = ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    int at = BatchFormat.HEADER_BYTES;
    if ((moved.get(2) & BatchFormat.HAS_CATALOG_CHANGE) != 0) {
      at += Integer.BYTES + moved.getInt(at);
    }
    return moved.putLong(at, positions.applyAsLong(batch.firstPart()));
  }
}
