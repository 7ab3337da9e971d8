package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The shards whose objects are open on this node, and what the application has begun on this node:
 * it is begun in each shard that is opened later, too. Thread-safe.
 */
final class OpenShards {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** By shard. Guarded by this, like the rest. */
  private final Map<Integer, ObjectRuntime> runtimes = new TreeMap<>();

  private final List<Begun> begun = new ArrayList<>();

  /** Something that runs in every open shard. */
  private static final class Begun {

    private final Function<ObjectRuntime, ? extends AutoCloseable> begin;
    private final Map<Integer, AutoCloseable> running = new TreeMap<>();

    Begun(Function<ObjectRuntime, ? extends AutoCloseable> begin) {
      this.begin = begin;
    }
  }

  /** {@return the runtimes, in the order of their shards} */
  synchronized List<ObjectRuntime> runtimes() {
    return List.copyOf(runtimes.values());
  }

  /**
   * Begins something in every shard that is open, and in those that will be.
   *
   * @param begin begins it in one shard
   * @return ends it
   */
  synchronized Runnable begin(Function<ObjectRuntime, ? extends AutoCloseable> begin) {
    Begun added = new Begun(begin);
    try {
      runtimes.forEach((shard, runtime) -> added.running.put(shard, begin.apply(runtime)));
    } catch (RuntimeException e) {
      end(added);
      throw e;
    }
    begun.add(added);
    return () -> end(added);
  }

  /** Called before calls come to the shard. */
  synchronized void opened(int shard, ObjectRuntime runtime) {
    runtimes.put(shard, runtime);
    for (Begun each : begun) {
      try {
        each.running.put(shard, each.begin.apply(runtime));
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

  private synchronized void end(Begun ended) {
    begun.remove(ended);
    ended.running.values().forEach(OpenShards::close);
    ended.running.clear();
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.log(Level.WARNING, "What this node had begun in a shard could not be ended.", e);
    }
  }
}
