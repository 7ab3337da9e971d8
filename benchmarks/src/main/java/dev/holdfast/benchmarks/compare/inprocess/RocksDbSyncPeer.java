package dev.holdfast.benchmarks.compare.inprocess;

import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteOptions;

/** Plain rocksdbjni with one database for all objects. */
public final class RocksDbSyncPeer implements Peer {

  private final Options options = new Options().setCreateIfMissing(true);
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB rocks;

  private RocksDbSyncPeer(Path directory) throws Exception {
    this.rocks = RocksDB.open(options, directory.toString());
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
    return EnumSet.complementOf(EnumSet.of(Workload.COLD_OBJECT));
  }

  @Override
  public Session session() {
    return new Session() {
      @Override
      public void put(String object, byte[] value) throws Exception {
        rocks.put(synced, object.getBytes(StandardCharsets.UTF_8), value);
      }

      @Override
      public int read(String object) throws Exception {
        byte[] value = rocks.get(object.getBytes(StandardCharsets.UTF_8));
        return value == null ? 0 : value.length;
      }
    };
  }

  @Override
  public void close() {
    rocks.close();
    synced.close();
    options.close();
  }
}
