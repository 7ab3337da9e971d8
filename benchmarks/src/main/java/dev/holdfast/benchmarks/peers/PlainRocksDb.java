package dev.holdfast.benchmarks.peers;

import dev.holdfast.benchmarks.objects.PairsObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

/**
 * The peer: one plain RocksDB with its own log, each write synced by RocksDB before it returns;
 * threads that write concurrently share a sync. Thread-safe.
 */
public final class PlainRocksDb implements AutoCloseable {

  private static final int PREFIX_BYTES = 36;

  private final Statistics statistics = new Statistics();
  private final Options options = new Options().setCreateIfMissing(true).setStatistics(statistics);
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB rocks;

  private PlainRocksDb(Path directory) throws RocksDBException {
    this.rocks = RocksDB.open(options, directory.toString());
  }

  public static PlainRocksDb open(Path directory) throws Exception {
    RocksDB.loadLibrary();
    Files.createDirectories(directory);
    return new PlainRocksDb(directory);
  }

  public void put(int object, String key, byte[] value) throws RocksDBException {
    rocks.put(synced, key(object, key), value);
  }

  /** Writes without a sync, for filling. */
  public void fill(int count, int valueBytes) throws RocksDBException {
    for (int i = 0; i < count; i++) {
      rocks.put(key(0, PairsObject.pair(i)), new byte[valueBytes]);
    }
  }

  /** Reads a number of pairs from a key on, both keys and values, like a program that uses them. */
  public int scan(String from, int count) throws RocksDBException {
    int found = 0;
    long bytes = 0;
    try (RocksIterator iterator = rocks.newIterator()) {
      for (iterator.seek(key(0, from)); iterator.isValid() && found < count; iterator.next()) {
        bytes += iterator.key().length + iterator.value().length;
        found++;
      }
      iterator.status();
    }
    if (bytes == 0) {
      throw new IllegalStateException("Nothing was read");
    }
    return found;
  }

  public long syncCount() {
    return statistics.getTickerCount(TickerType.WAL_FILE_SYNCED);
  }

  /** As long as Holdfast's keys, and cheaper to create. */
  private static byte[] key(int object, String key) {
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(PREFIX_BYTES + name.length)
        .putInt(object)
        .put(PREFIX_BYTES, name)
        .array();
  }

  @Override
  public void close() {
    rocks.close();
    synced.close();
    options.close();
    statistics.close();
  }
}
