package dev.holdfast.verify.split;

import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Which numbers the records of one source have among the records of all sources. Eight bytes for
 * each record are in a file, from the first one on that does not directly follow the one before it:
 * a source alone needs none. Confined to one thread.
 */
final class RecordNumbers implements AutoCloseable {

  private static final int BLOCK_RECORDS = 512;

  private final BlockFile full;
  private final long oldest;
  private ByteBuffer block = ByteBuffer.allocate(BLOCK_RECORDS * Long.BYTES);
  private long next;
  private long last;

  /** From here on numbers are in the file; before it, they follow each other from 1 on. */
  private long writtenFrom;

  /**
   * Creates it without a record.
   *
   * @param disk where the file is
   * @param file the file; missing
   * @param oldest the position of the first record
   * @throws IOException if the file cannot be created
   */
  RecordNumbers(Disk disk, Path file, long oldest) throws IOException {
    this.full = new BlockFile(disk, file, BLOCK_RECORDS * Long.BYTES);
    this.oldest = oldest;
    this.next = oldest;
    this.writtenFrom = oldest;
  }

  /** {@return whether records up to a position were added} */
  boolean isPast(long position) {
    return position < next;
  }

  /** Adds the number of the next record; a position that was left out has no record. */
  void add(long position, long number) throws IOException {
    while (next < position) {
      addNext(last);
    }
    addNext(number);
  }

  private void addNext(long number) throws IOException {
    if (next == writtenFrom && number == next - oldest + 1) {
      writtenFrom++;
    } else {
      if (!block.hasRemaining()) {
        full.add(block.array());
        block = ByteBuffer.allocate(block.capacity());
      }
      block.putLong(number);
    }
    last = number;
    next++;
  }

  /** {@return the number of the last record up to a position; 0 if there is none} */
  long upTo(long position) {
    long at = Math.min(position, next - 1);
    if (at < writtenFrom) {
      return Math.max(0, at - oldest + 1);
    }
    long index = (at - writtenFrom) / BLOCK_RECORDS;
    ByteBuffer found = index == full.count() ? block : ByteBuffer.wrap(full.get(index));
    return found.getLong((int) ((at - writtenFrom) % BLOCK_RECORDS) * Long.BYTES);
  }

  @Override
  public void close() throws IOException {
    full.close();
  }
}
