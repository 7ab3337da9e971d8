package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectRuntime;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The shards whose objects are open on this node, and what the application has begun on this node:
 * it is begun in each shard that is opened later, too. Thread-safe.
 */
public final class OpenShards {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** By shard. Guarded by this. */
  private final Map<Integer, ObjectRuntime> runtimes = new TreeMap<>();

  /** Guarded by this. */
  private final List<Begun> begun = new ArrayList<>();

  /**
   * Something that runs in every open shard. Begun and ended without the lock of the shards: to
   * begin waits for the disk, and to end waits for code of the application, which may ask this node
   * for its state.
   */
  private static final class Begun {

    private final Function<ObjectRuntime, ? extends AutoCloseable> begin;
    private final Map<Integer, AutoCloseable> running = new ConcurrentHashMap<>();

    private boolean isEnded; // guarded by this

    Begun(Function<ObjectRuntime, ? extends AutoCloseable> begin) {
      this.begin = begin;
    }

    synchronized void begin(int shard, ObjectRuntime runtime) {
      if (!isEnded) {
        running.put(shard, begin.apply(runtime));
      }
    }

    void end() {
      synchronized (this) {
        isEnded = true;
      }
      running.values().forEach(OpenShards::close);
      running.clear();
    }
  }

  /** Creates it without open shards. */
  public OpenShards() {}

  /** {@return the runtimes, in the order of their shards} */
  public synchronized List<ObjectRuntime> runtimes() {
    return List.copyOf(runtimes.values());
  }

  private synchronized boolean isOpen(int shard, ObjectRuntime runtime) {
    return runtime.equals(runtimes.get(shard));
  }

  /**
   * Begins something in every shard that is open, and in those that will be.
   *
   * @param begin begins it in one shard
   * @return ends it
   */
  public Runnable begin(Function<ObjectRuntime, ? extends AutoCloseable> begin) {
    Begun added = new Begun(begin);
    Map<Integer, ObjectRuntime> open;
    synchronized (this) {
      open = new TreeMap<>(runtimes);
      begun.add(added); // in those that are opened from now on, too
    }
    try {
      open.forEach((shard, runtime) -> begin(added, shard, runtime));
    } catch (RuntimeException e) {
      end(added);
      throw e;
    }
    return () -> end(added);
  }

  private void begin(Begun added, int shard, ObjectRuntime runtime) {
    try {
      added.begin(shard, runtime);
    } catch (RuntimeException e) {
      if (isOpen(shard, runtime)) {
        throw e;
      } // else the shard was lost meanwhile
    }
  }

  /** Called before calls come to the shard. */
  void opened(int shard, ObjectRuntime runtime) {
    List<Begun> all;
    synchronized (this) {
      runtimes.put(shard, runtime);
      all = List.copyOf(begun);
    }
    for (Begun each : all) {
      try {
        each.begin(shard, runtime);
      } catch (RuntimeException e) {
        LOG.log(
            Level.WARNING,
            "What this node had begun in its shards could not be begun in shard "
                + shard
                + ", which it owns now.",
            e);
      }
    }
  }

  /** Called before the runtime is closed, which ends what runs in it. */
  synchronized void closing(int shard) {
    runtimes.remove(shard);
    begun.forEach(each -> each.running.remove(shard));
  }

  private void end(Begun ended) {
    synchronized (this) {
      begun.remove(ended);
    }
    ended.end();
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.log(Level.WARNING, "What this node had begun in a shard could not be ended.", e);
    }
  }
}
