package dev.holdfast.verify.split;

import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Which shard has a record, and where it has it. The records of all sources are numbered from 1 on,
 * in the order in which they are written. One byte for each record is in a file, in blocks; each
 * block begins with how many records each shard had before it. Confined to one thread.
 */
public final class RecordShards implements AutoCloseable {

  /** The number of a record that no shard has. */
  public static final int NONE = 0xFF;

  /** The number of a record that all shards have. */
  public static final int ALL = 0xFE;

  private static final int BLOCK_RECORDS = 4096;

  private final BlockFile full;
  private final int countBytes;
  private final long before;

  /** How many records each shard has up to now. */
  private final long[] counts;

  private byte[] last;
  private long recordCount;

  /**
   * Creates it without a record.
   *
   * @param disk where the file is
   * @param file the file; missing
   * @param shards how many shards there are
   * @param before the position that shards have for all records before the first one; the first
   *     record of each shard follows it
   * @throws IOException if the file cannot be created
   */
  public RecordShards(Disk disk, Path file, int shards, long before) throws IOException {
    this.countBytes = shards * Long.BYTES;
    this.full = new BlockFile(disk, file, countBytes + BLOCK_RECORDS);
    this.before = before;
    this.counts = new long[shards];
    this.last = begun();
  }

  private byte[] begun() {
    ByteBuffer block = ByteBuffer.allocate(countBytes + BLOCK_RECORDS);
    for (long count : counts) {
      block.putLong(count);
    }
    return block.array();
  }

  /**
   * Adds the next record.
   *
   * @param shard the shard that has it, {@link #ALL} or {@link #NONE}
   * @return the number of the record
   * @throws IOException if the file cannot be written
   */
  public long add(int shard) throws IOException {
    int index = (int) (recordCount % BLOCK_RECORDS);
    if (index == 0 && recordCount > 0) {
      full.add(last);
      last = begun();
    }
    last[countBytes + index] = (byte) shard;
    if (shard == ALL) {
      for (int each = 0; each < counts.length; each++) {
        counts[each]++;
      }
    } else if (shard != NONE) {
      counts[shard]++;
    }
    return ++recordCount;
  }

  /**
   * {@return where a shard has its last record up to a number}
   *
   * @param shard the shard
   * @param number the number of a record; 0 stands for all records before the first one
   */
  public long lastUpTo(int shard, long number) {
    if (number == 0) {
      return before;
    }
    long index = (number - 1) / BLOCK_RECORDS;
    byte[] block = index == full.count() ? last : full.get(index);
    long count = before + ByteBuffer.wrap(block).getLong(shard * Long.BYTES);
    int end = (int) ((number - 1) % BLOCK_RECORDS);
    for (int i = 0; i <= end; i++) {
      int found = block[countBytes + i] & 0xFF;
      count += found == shard || found == ALL ? 1 : 0;
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    full.close();
  }
}
