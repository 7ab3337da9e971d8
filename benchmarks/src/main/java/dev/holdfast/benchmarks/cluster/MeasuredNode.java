package dev.holdfast.benchmarks.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.ShardStatus;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.launcher.process.ParentPipe;
import dev.holdfast.nodes.NodePlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node in a separate process. It says {@code opened}, and {@code ready} when every shard has an
 * owner. It does what its parent says, and answers each line with one:
 *
 * <ul>
 *   <li>{@code owners}: the owner of each shard, {@code ?} for an unknown one.
 *   <li>{@code shards}: how many it keeps, and how many it owns.
 *   <li>{@code health}: its health, with reasons.
 *   <li>{@code counts}: its {@link NodeCounts}.
 *   <li>{@code fill SHARD MEBIBYTES}: writes new rows; {@code filled}.
 *   <li>{@code write OBJECTS BYTES}: writes a row into each of many objects; {@code written}.
 *   <li>{@code begin SHARD CALLERS}: begins a {@link Load} of that shard; {@code begun}.
 *   <li>{@code mark}: {@code resumed} when a call that began later was acknowledged.
 *   <li>{@code end}: ends the load; {@code ended} and its numbers.
 *   <li>{@code move SHARD NODE}: {@code moved}, or {@code moved not} and why.
 *   <li>{@code add NAME=HOST:PORT}: adds a node that waits; {@code added}, or {@code added not} and
 *       why.
 * </ul>
 */
final class MeasuredNode {

  /** The default of {@code ClusterOptions}; children of other commands have another one. */
  static final Duration FAILOVER = Duration.ofSeconds(2);

  private static final Duration READY = Duration.ofMinutes(10);
  private static final int OBJECTS = 100;
  private static final int FILL_BYTES = 64 << 10;
  private static final int WRITERS = 8;

  /** After how long a node is given up, in milliseconds, if not after {@link #FAILOVER}. */
  static final String FAILOVER_MILLIS = "holdfast.bench.failoverMillis";

  /** How fast this node fetches copies, if not as fast as by default. */
  static final String COPY_BYTES = "holdfast.bench.copyBytesPerSecond";

  private final ParentPipe parent;
  private final ClusterRuntime runtime;
  private final Path directory;
  private final ShardMap map;
  private final SplittableRandom random = new SplittableRandom();
  private @Nullable Load load;

  private MeasuredNode(ParentPipe parent, ClusterRuntime runtime, NodePlace place) {
    this.parent = parent;
    this.runtime = runtime;
    this.directory = place.directory();
    this.map = new ShardMap(place.shards());
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
    ClusterOptions options =
        place
            .options()
            .withFailover(Duration.ofMillis(Long.getLong(FAILOVER_MILLIS, FAILOVER.toMillis())));
    long copyBytes = Long.getLong(COPY_BYTES, options.copyBytesPerSecond());
    try (ClusterRuntime runtime =
        ClusterHoldfast.open(
            place.directory(), options.withCopyBytesPerSecond(copyBytes), Nodes::register)) {
      MeasuredNode node = new MeasuredNode(parent, runtime, place);
      parent.say("opened");
      parent.listen(node::take);
      parent.say(runtime.awaitReady(READY) ? "ready" : "not ready");
      new CountDownLatch(1).await(); // until it is killed
    }
  }

  private void take(String line) {
    try {
      answer(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(String line) throws IOException {
    String[] words = line.split(" ", -1);
    switch (words[0]) {
      case "owners" -> parent.say(owners());
      case "shards" -> parent.say(shards());
      case "health" -> parent.say(runtime.health().toString().replace('\n', ' '));
      case "counts" -> parent.say(NodeCounts.of(runtime, directory).toString());
      case "fill" ->
          begin("filled", () -> fill(Integer.parseInt(words[1]), Integer.parseInt(words[2])));
      case "write" ->
          begin("written", () -> write(Integer.parseInt(words[1]), Integer.parseInt(words[2])));
      case "begin" -> {
        load = Load.begin(objects(Integer.parseInt(words[1])), Integer.parseInt(words[2]));
        parent.say("begun");
      }
      case "mark" -> running().mark(() -> parent.say("resumed"));
      case "end" -> parent.say("ended " + running().end());
      case "move" -> begin("moved", () -> runtime.transfer(Integer.parseInt(words[1]), words[2]));
      case "add" -> begin("added", () -> runtime.add(words[1]));
      default -> throw new IllegalArgumentException(line);
    }
  }

  /** The thread that listens goes on: it ends this process when the parent is gone. */
  private void begin(String done, Runnable task) {
    Thread.startVirtualThread(
        () -> {
          try {
            task.run();
            parent.say(done);
          } catch (HoldfastException | IllegalStateException e) {
            parent.say(done + " not: " + e.getMessage());
          }
        });
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

  /** Their directories count: a copy that was given up has one until its files are deleted. */
  private String shards() throws IOException {
    try (Stream<Path> kept = Files.list(directory.resolve("shards"))) {
      return kept.count() + " " + runtime.shards().stream().filter(ShardStatus::isOpenHere).count();
    }
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

  private void fill(int shard, int mebibytes) {
    write(objects(shard), (mebibytes << 20) / FILL_BYTES, FILL_BYTES);
  }

  private void write(int count, int bytes) {
    write(Nodes.objects(runtime, count), count, bytes);
  }

  /** New rows each time: a row that replaces another one also has to keep the old one. */
  private void write(List<Entries> objects, int count, int bytes) {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int caller = i;
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        long firstRow = random.nextLong(1L << 32, Long.MAX_VALUE >> 1);
        all.add(
            callers.submit(
                () -> {
                  int repeated = 0;
                  for (int n = caller; n < count; n += WRITERS) {
                    repeated += put(objects.get(n % objects.size()), firstRow + n, value);
                  }
                  return repeated;
                }));
      }
      int repeated = 0;
      for (Future<Integer> each : all) {
        repeated += each.get();
      }
      if (repeated > 0) {
        System.err.println(repeated + " rows were written again: their owners were lost.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while writing", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a row was not written", e);
    }
  }

  /** {@return how many calls failed before one was acknowledged} */
  private static int put(Entries object, long row, byte[] value) {
    for (int failed = 0; ; failed++) {
      try {
        object.put(row, value);
        return failed;
      } catch (HoldfastException e) {
        // its owner was lost
      }
    }
  }
}
