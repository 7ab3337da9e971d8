package dev.holdfast.benchmarks.compare.inprocess;

import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** H2's MVStore with one map for all objects. */
public final class MvStorePeer implements Peer {

  private final MVStore store;
  private final MVMap<String, byte[]> map;
  private final ReentrantLock lock = new ReentrantLock();

  private MvStorePeer(Path file) {
    // Without its background thread: a commit is what a caller asks for.
    this.store = new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().open();
    this.map = store.openMap("values");
  }

  /** Opens a store. */
  public static MvStorePeer open(Path directory) throws Exception {
    Files.createDirectories(directory);
    return new MvStorePeer(directory.resolve("values.mv"));
  }

  @Override
  public String name() {
    return "H2 MVStore, sync";
  }

  @Override
  public Place place() {
    return Place.IN_PROCESS;
  }

  @Override
  public String durability() {
    return "commit and sync after each put, under a lock: a fsync of the file for each";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.complementOf(EnumSet.of(Workload.COLD_OBJECT));
  }

  @Override
  public Session session() {
    return new Session() {
      @Override
      public void put(String object, byte[] value) {
        lock.lock();
        try {
          map.put(object, value);
          store.commit();
          store.sync();
        } finally {
          lock.unlock();
        }
      }

      @Override
      public int read(String object) {
        byte[] value = map.get(object);
        return value == null ? 0 : value.length;
      }
    };
  }

  @Override
  public void close() {
    store.close();
  }
}
