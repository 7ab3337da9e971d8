package dev.holdfast.log.ratis.threads;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.AwaitToRun;

/**
 * Drops entries from the memory of a log when another file begins. Ratis 3.3.0 has a thread in each
 * shard that waits for that; here it is done on a thread that ends. Thread-safe.
 */
public final class CacheEviction extends AwaitToRun {

  private final Runnable eviction;
  private final AtomicBoolean isUnderWay = new AtomicBoolean();

  private CacheEviction(String name, Runnable eviction) {
    super(name, eviction); // this makes a thread, which is not started
    this.eviction = eviction;
  }

  /**
   * Replaces the thread of a log.
   *
   * @param log the log
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  public static void takeOver(RaftLog log) {
    AwaitToRun thread = (AwaitToRun) RatisInternals.valueOf(log, "cacheEviction");
    RatisInternals.set(
        log,
        "cacheEviction",
        new CacheEviction(thread.toString(), () -> RatisInternals.call(log, "checkAndEvictCache")));
    thread.close();
  }

  @Override
  public void signal() {
    if (isUnderWay.compareAndSet(false, true)) {
      // It waits for a lock under which a disk may be slow: not on a carrier of virtual threads.
      Thread.ofPlatform().daemon().name("holdfast-log-eviction").start(this::run);
    }
  }

  private void run() {
    isUnderWay.set(false); // first: what is signalled from now on is looked at again
    eviction.run();
  }
}
