package dev.holdfast.verify.split;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which shard has the record at a position, and where it has it. One byte for each record is in a
 * file, in blocks; each block begins with how many records each shard had before it. Some blocks
 * are in memory. Confined to one thread.
 */
public final class RecordShards implements AutoCloseable {

  /** The number of a record that no shard has. */
  public static final int NONE = 0xFF;

  /** The number of a record that all shards have. */
  public static final int ALL = 0xFE;

  private static final int BLOCK_RECORDS = 4096;
  private static final int BLOCKS_CACHED = 256;

  private final DiskFile file;
  private final int shards;
  private final long oldest;
  private final long before;
  private final Map<Long, Block> cached = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);

  /** How many records each shard has up to now. */
  private final long[] counts;

  private Block last;
  private long next;

  /** The records from one position on; its arrays change only while it is the last one. */
  private static final class Block {
    private final long[] countsBefore;
    private final byte[] numbers = new byte[BLOCK_RECORDS];

    Block(long[] countsBefore) {
      this.countsBefore = countsBefore.clone();
    }
  }

  /**
   * Creates it without a record.
   *
   * @param disk where the file is
   * @param file the file; missing
   * @param shards how many shards there are
   * @param oldest the position of the first record
   * @param before the position that shards have for all records before the first one; the first
   *     record of each shard follows it
   * @throws IOException if the file cannot be created
   */
  public RecordShards(Disk disk, Path file, int shards, long oldest, long before)
      throws IOException {
    this.file = disk.open(file, Mode.CREATE);
    this.shards = shards;
    this.oldest = oldest;
    this.before = before;
    this.next = oldest;
    this.counts = new long[shards];
    this.last = new Block(counts);
  }

  /**
   * Adds the next record.
   *
   * @param number the shard that has it, {@link #ALL} or {@link #NONE}
   * @throws IOException if the file cannot be written
   */
  public void add(int number) throws IOException {
    int index = (int) ((next - oldest) % BLOCK_RECORDS);
    if (index == 0 && next > oldest) {
      write(last);
      last = new Block(counts);
    }
    last.numbers[index] = (byte) number;
    next++;
    if (number == ALL) {
      for (int shard = 0; shard < shards; shard++) {
        counts[shard]++;
      }
    } else if (number != NONE) {
      counts[number]++;
    }
  }

  private void write(Block block) throws IOException {
    byte[] bytes = new byte[blockBytes()];
    ByteBuffer target = ByteBuffer.wrap(bytes);
    for (long count : block.countsBefore) {
      target.putLong(count);
    }
    target.put(block.numbers);
    file.write(
        bytes, 0, bytes.length, (next - oldest) / BLOCK_RECORDS * bytes.length - bytes.length);
  }

  private int blockBytes() {
    return shards * Long.BYTES + BLOCK_RECORDS;
  }

  /**
   * {@return where a shard has its last record that is at a position or before it}
   *
   * @param shard the shard
   * @param position the position; 0 stays 0, and a position before the first record becomes the one
   *     that stands for all of these
   */
  public long lastUpTo(int shard, long position) {
    if (position <= 0) {
      return 0;
    }
    if (position < oldest || next == oldest) {
      return before;
    }
    long ordinal = Math.min(position, next - 1) - oldest;
    Block block = block(ordinal / BLOCK_RECORDS);
    long count = before + block.countsBefore[shard];
    int end = (int) (ordinal % BLOCK_RECORDS);
    for (int i = 0; i <= end; i++) {
      int number = block.numbers[i] & 0xFF;
      count += number == shard || number == ALL ? 1 : 0;
    }
    return count;
  }

  /**
   * {@return where a shard has its first record that is at a position or after it}
   *
   * @param shard the shard
   * @param position the position; one before the first record becomes the one that stands for these
   */
  public long firstFrom(int shard, long position) {
    if (position < oldest) {
      return Math.min(position, before);
    }
    return position == oldest ? before + 1 : lastUpTo(shard, position - 1) + 1;
  }

  /**
   * {@return whether a shard has the record at a position}
   *
   * @param shard the shard
   * @param position the position
   */
  public boolean has(int shard, long position) {
    if (position < oldest || position >= next) {
      return false;
    }
    long ordinal = position - oldest;
    int number = block(ordinal / BLOCK_RECORDS).numbers[(int) (ordinal % BLOCK_RECORDS)] & 0xFF;
    return number == shard || number == ALL;
  }

  private Block block(long index) {
    if (index == (next - 1 - oldest) / BLOCK_RECORDS) {
      return last;
    }
    Block known = cached.get(index);
    if (known != null) {
      return known;
    }
    Block read = read(index);
    cached.put(index, read);
    if (cached.size() > BLOCKS_CACHED) {
      cached.remove(cached.keySet().iterator().next());
    }
    return read;
  }

  private Block read(long index) {
    byte[] bytes = new byte[blockBytes()];
    try {
      if (file.read(bytes, 0, bytes.length, index * bytes.length) != bytes.length) {
        throw new IOException("The file with the shards of records became shorter");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ByteBuffer source = ByteBuffer.wrap(bytes);
    long[] countsBefore = new long[shards];
    Arrays.setAll(countsBefore, _ -> source.getLong());
    Block block = new Block(countsBefore);
    source.get(block.numbers);
    return block;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
