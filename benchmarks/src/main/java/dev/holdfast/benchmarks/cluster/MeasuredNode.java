package dev.holdfast.benchmarks.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.launcher.process.ParentPipe;
import dev.holdfast.nodes.NodePlace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node in a separate process. It does what its parent says, and answers each line with one:
 *
 * <ul>
 *   <li>{@code owners}: the owner of each shard, {@code ?} for an unknown one.
 *   <li>{@code fill SHARD MEBIBYTES}: writes new rows; {@code filled}.
 *   <li>{@code begin SHARD CALLERS}: begins a {@link Load} of that shard; {@code begun}.
 *   <li>{@code mark}: {@code resumed} when a call that began later was acknowledged.
 *   <li>{@code end}: ends the load; {@code ended} and its numbers.
 *   <li>{@code move SHARD NODE}: {@code moved}, or {@code moved not} and why.
 * </ul>
 */
final class MeasuredNode {

  /** The default of {@code ClusterOptions}; children of other commands have another one. */
  static final Duration FAILOVER = Duration.ofSeconds(2);

  private static final Duration READY = Duration.ofMinutes(5);
  private static final int OBJECTS = 100;
  private static final int FILL_BYTES = 64 << 10;
  private static final int FILL_CALLERS = 8;

  private final ParentPipe parent;
  private final ClusterRuntime runtime;
  private final ShardMap map;
  private final SplittableRandom random = new SplittableRandom();
  private @Nullable Load load;

  private MeasuredNode(ParentPipe parent, ClusterRuntime runtime, int shards) {
    this.parent = parent;
    this.runtime = runtime;
    this.map = new ShardMap(shards);
  }

  /**
   * The child's main method.
   *
   * @param arguments the place of the node
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    // Before the first class of Ratis: slf4j-api would print that it has no provider.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    ParentPipe parent = new ParentPipe();
    NodePlace place = NodePlace.ofArguments(arguments);
    try (ClusterRuntime runtime =
        ClusterHoldfast.open(
            place.directory(), place.options().withFailover(FAILOVER), Nodes::register)) {
      MeasuredNode node = new MeasuredNode(parent, runtime, place.shards());
      parent.listen(node::take);
      parent.say(runtime.awaitReady(READY) ? "ready" : "not ready");
      new CountDownLatch(1).await(); // until it is killed
    }
  }

  private void take(String line) {
    String[] words = line.split(" ", -1);
    switch (words[0]) {
      case "owners" -> parent.say(owners());
      case "fill" -> {
        fill(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        parent.say("filled");
      }
      case "begin" -> {
        load = Load.begin(objects(Integer.parseInt(words[1])), Integer.parseInt(words[2]));
        parent.say("begun");
      }
      case "mark" -> running().mark(() -> parent.say("resumed"));
      case "end" -> parent.say("ended " + running().end());
      case "move" ->
          Thread.startVirtualThread( // an owner may ask this node for something meanwhile
              () -> parent.say(move(Integer.parseInt(words[1]), words[2])));
      default -> throw new IllegalArgumentException(line);
    }
  }

  private String move(int shard, String node) {
    try {
      runtime.transfer(shard, node);
      return "moved";
    } catch (HoldfastException e) {
      return "moved not: " + e.getMessage();
    }
  }

  private Load running() {
    Load current = load;
    if (current == null) {
      throw new IllegalStateException("No load was begun");
    }
    return current;
  }

  private String owners() {
    return runtime.shards().stream()
        .map(each -> each.owner() == null ? "?" : each.owner())
        .collect(Collectors.joining(" "));
  }

  private List<Entries> objects(int shard) {
    ObjectNamespace<Entries> namespace = runtime.namespace(Nodes.NAMESPACE, Entries.class);
    List<Entries> found = new ArrayList<>();
    for (int i = 0; found.size() < OBJECTS; i++) {
      String name = "e-" + i;
      if (map.shardOf(namespace.idFromName(name)) == shard) {
        found.add(namespace.getByName(name));
      }
    }
    return found;
  }

  /** New rows each time: a row that replaces another one also has to keep the old one. */
  private void fill(int shard, int mebibytes) {
    List<Entries> objects = objects(shard);
    int count = (mebibytes << 20) / FILL_BYTES;
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < FILL_CALLERS; i++) {
        int caller = i;
        byte[] value = new byte[FILL_BYTES];
        random.nextBytes(value);
        long firstRow = random.nextLong(1L << 32, Long.MAX_VALUE >> 1);
        all.add(
            callers.submit(
                () -> {
                  for (int n = caller; n < count; n += FILL_CALLERS) {
                    objects.get(n % OBJECTS).put(firstRow + n, value);
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while filling", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a row was not written", e);
    }
  }
}
