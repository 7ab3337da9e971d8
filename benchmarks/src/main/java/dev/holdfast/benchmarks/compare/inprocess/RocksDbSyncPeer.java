package dev.holdfast.benchmarks.compare.inprocess;

import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteOptions;

/** Plain rocksdbjni with one database for all objects. */
public final class RocksDbSyncPeer implements Peer {

  private final Options options = new Options().setCreateIfMissing(true);
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB rocks;

  /** Without a cache of blocks: what it reads from its files is in no memory of the process. */
  private final Options coldOptions =
      new Options()
          .setCreateIfMissing(true)
          .setTableFormatConfig(new BlockBasedTableConfig().setNoBlockCache(true));

  private final RocksDB cold;
  private final AtomicBoolean isColdInFiles = new AtomicBoolean();

  private RocksDbSyncPeer(Path directory) throws Exception {
    this.rocks = RocksDB.open(options, directory.toString());
    this.cold = RocksDB.open(coldOptions, directory.resolve("cold").toString());
  }

  /** Opens a database. */
  public static RocksDbSyncPeer open(Path directory) throws Exception {
    RocksDB.loadLibrary();
    Files.createDirectories(directory);
    return new RocksDbSyncPeer(directory);
  }

  @Override
  public String name() {
    return "rocksdbjni, sync";
  }

  @Override
  public Place place() {
    return Place.IN_PROCESS;
  }

  @Override
  public String durability() {
    return "WriteOptions.sync: fdatasync of the log before each write returns; threads share it";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public Session session() {
    return new Session() {
      @Override
      public void put(String object, byte[] value) throws Exception {
        (object.startsWith("cold") ? cold : rocks)
            .put(synced, object.getBytes(StandardCharsets.UTF_8), value);
      }

      @Override
      public int read(String object) throws Exception {
        byte[] value = rocks.get(object.getBytes(StandardCharsets.UTF_8));
        return value == null ? 0 : value.length;
      }

      @Override
      public int readCold(String object) throws Exception {
        if (isColdInFiles.compareAndSet(false, true)) {
          try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
            cold.flush(wait);
          }
        }
        byte[] value = cold.get(object.getBytes(StandardCharsets.UTF_8));
        return value == null ? 0 : value.length;
      }
    };
  }

  @Override
  public void close() {
    rocks.close();
    cold.close();
    coldOptions.close();
    synced.close();
    options.close();
  }
}
