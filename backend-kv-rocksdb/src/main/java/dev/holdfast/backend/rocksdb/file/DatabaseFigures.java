package dev.holdfast.backend.rocksdb.file;

import java.util.EnumSet;
import org.rocksdb.HistogramType;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/**
 * What RocksDB reports about itself, from memory.
 *
 * @param memtableBytes the memory of the write buffers
 * @param tableBytes the size of the files
 * @param blockCacheBytes the memory of the block cache
 * @param blockCacheHits blocks found there
 * @param blockCacheMisses blocks read from files
 * @param flushedBytes bytes written by flushes
 * @param compactedBytes bytes written by compactions
 * @param stallMicros how long writes were held back
 */
public record DatabaseFigures(
    long memtableBytes,
    long tableBytes,
    long blockCacheBytes,
    long blockCacheHits,
    long blockCacheMisses,
    long flushedBytes,
    long compactedBytes,
    long stallMicros) {

  public static final DatabaseFigures NONE = new DatabaseFigures(0, 0, 0, 0, 0, 0, 0, 0);

  /** {@return counters for a database, without histograms: those would read clocks} */
  public static Statistics counters() {
    return new Statistics(EnumSet.allOf(HistogramType.class));
  }

  public static DatabaseFigures of(RocksDB rocks, Statistics counters) throws RocksDBException {
    return new DatabaseFigures(
        rocks.getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables"),
        rocks.getAggregatedLongProperty("rocksdb.live-sst-files-size"),
        rocks.getLongProperty("rocksdb.block-cache-usage"), // one cache for all families
        counters.getTickerCount(TickerType.BLOCK_CACHE_HIT),
        counters.getTickerCount(TickerType.BLOCK_CACHE_MISS),
        counters.getTickerCount(TickerType.FLUSH_WRITE_BYTES),
        counters.getTickerCount(TickerType.COMPACT_WRITE_BYTES),
        counters.getTickerCount(TickerType.STALL_MICROS));
  }
}
