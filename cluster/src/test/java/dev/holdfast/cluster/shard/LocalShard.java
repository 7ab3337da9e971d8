package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.image.ReplicaImage;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ReplicaState;
import dev.holdfast.journal.shard.RoundJournal;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.runtime.NamespaceLookup;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A shard with nodes in this process, whose log orders and passes on whatever is proposed. */
final class LocalShard implements AutoCloseable {

  private final Path root;
  private final Consumer<ObjectRegistrar> objects;
  private final HistoryOptions kept;
  private final ExecutorService logThread = Executors.newSingleThreadExecutor();
  private final ExecutorService saver = Executors.newSingleThreadExecutor();
  private final ExecutorService proposer = Executors.newSingleThreadExecutor();
  private final ExecutorService notifier = Executors.newSingleThreadExecutor();
  private final SystemTimeSource time = new SystemTimeSource();
  private final StorageThreads threads = new StorageThreads(4);
  private final SimulatedLog log = SimulatedLog.reliable(logThread);
  private final AtomicLong salts = new AtomicLong(1);
  private volatile Duration lease = Duration.ZERO;
  private final Map<String, Node> nodes = new ConcurrentSkipListMap<>();
  private final AtomicInteger fetches = new AtomicInteger();
  private final AtomicLong firstGiven = new AtomicLong();
  private volatile Runnable beforePlacing = () -> {};
  private final Map<String, ObjectRuntime> runtimes = new TreeMap<>();
  private final Map<String, Place> places = new ConcurrentHashMap<>();

  /** Where a node has its files. */
  private record Place(Path directory, Disk disk) {}

  /** A node, whose log can be held up. */
  private final class Node implements ReplicatedLog, Replica {

    private final NodeId id;
    private final ReplicatedLog inner;
    private final ShardReplica replica;
    private final BlockingQueue<ShardJournal> owned = new LinkedBlockingQueue<>();
    private @Nullable ShardJournal last; // confined to the thread of the test

    private volatile @Nullable RuntimeException fetchFailure;

    // Confined to the thread of the log.
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean isHeld;

    Node(String name) {
      this(name, /* isHeld= */ false);
    }

    Node(String name, boolean isHeld) {
      this.isHeld = isHeld;
      Place place = place(name);
      id = new NodeId(name);
      inner = log.on(id);
      replica =
          ShardReplica.open(
              place.directory(),
              JournalOptions.DEFAULT
                  .withDisk(place.disk())
                  .withSegmentBytes(256 << 10)
                  .withHeldSegmentsMax(1)
                  .withHistory(kept)
                  .withSalts(() -> 0x9E3779B97F4A7C15L * salts.getAndIncrement()),
              new ShardHost(
                  id,
                  time,
                  saver,
                  proposer,
                  notifier,
                  new ShardHost.Owner() {
                    @Override
                    public void mayLead(boolean yes) {}

                    @Override
                    public Duration lease() {
                      return lease;
                    }

                    @Override
                    public ReplicaSource others() {
                      return otherThan(name);
                    }

                    @Override
                    public void whileClosed(Runnable task) {
                      beforePlacing.run();
                      task.run();
                    }

                    @Override
                    public void owns(ShardJournal journal) {
                      owned.add(journal);
                    }
                  }));
      replica.start(this);
    }

    /** {@return the ownership that was claimed} */
    ShardJournal taken() throws InterruptedException {
      ShardJournal journal = owned.poll(10, TimeUnit.MILLISECONDS);
      while (journal == null) {
        RuntimeException failure = replica.failure();
        if (failure != null) {
          throw failure;
        }
        journal = owned.poll(10, TimeUnit.MILLISECONDS);
      }
      last = journal;
      return journal;
    }

    @Override
    public void start(Replica started) {
      inner.start(this);
    }

    @Override
    public void propose(ByteBuffer entry, Runnable refused) {
      inner.propose(entry, refused);
    }

    @Override
    public void transferTo(NodeId node) {
      inner.transferTo(node);
    }

    @Override
    public Configuration configuration() {
      return inner.configuration();
    }

    @Override
    public CompletableFuture<Void> change(Configuration expected, Map<NodeId, String> wanted) {
      return inner.change(expected, wanted);
    }

    @Override
    public void abandon(RuntimeException why) {
      inner.abandon(why);
    }

    @Override
    public void compactTo(long index) {
      inner.compactTo(index);
    }

    @Override
    public OptionalLong termOf(long index) {
      return inner.termOf(index);
    }

    @Override
    public OptionalLong heldByAll() {
      return inner.heldByAll();
    }

    @Override
    public OptionalLong appliedIndex() {
      return replica.appliedIndex();
    }

    @Override
    public void apply(long index, ByteBuffer entry) {
      if (isHeld) {
        held.add(() -> replica.apply(index, entry));
      } else {
        replica.apply(index, entry);
      }
    }

    @Override
    public @Nullable Fetched fetch(long atLeastIndex) {
      try {
        return replica.fetch(atLeastIndex);
      } catch (RuntimeException e) {
        fetchFailure = e;
        throw e;
      }
    }

    @Override
    public void mayLead(boolean yes) {
      replica.mayLead(yes);
    }

    @Override
    public void close() {
      inner.close();
      replica.close();
    }
  }

  LocalShard(Path root, Consumer<ObjectRegistrar> objects) {
    this(root, objects, new HistoryOptions(Long.MAX_VALUE / 2, Long.MAX_VALUE));
  }

  /** A shard that drops history. */
  LocalShard(Path root, Consumer<ObjectRegistrar> objects, HistoryOptions kept) {
    this.root = root;
    this.objects = objects;
    this.kept = kept;
    List.of("a", "b", "c").forEach(name -> nodes.put(name, new Node(name)));
  }

  /** From now on nodes claim the shard with a lease. */
  void lend(Duration time) {
    lease = time;
  }

  private Place place(String name) {
    return places.computeIfAbsent(name, _ -> new Place(root.resolve(name), new FileDisk()));
  }

  private ShardRuntime.Host host(String name) {
    return new ShardRuntime.Host(
        place(name).disk(), time, threads, new OwnNamespaces(name), new Random(1));
  }

  /**
   * Lets a node take the shard, and opens its objects there. A runtime that it had is closed first:
   * both would use the same files.
   */
  ObjectRuntime own(String name) throws InterruptedException {
    return own(name, objects);
  }

  /** Closes the objects of an owner as for a move to another node. */
  void leave(String name) {
    Objects.requireNonNull(node(name).last).move(() -> {});
    Objects.requireNonNull(runtimes.remove(name)).close();
  }

  /** Lets a node take the shard that has other objects. */
  ObjectRuntime own(String name, Consumer<ObjectRegistrar> others) throws InterruptedException {
    ObjectRuntime before = runtimes.remove(name);
    if (before != null) {
      before.close();
    }
    awaitOrdered(); // else the log may have this claim before the release of the last owner
    node(name).replica.claim();
    ObjectRuntime runtime =
        ShardRuntime.open(place(name).directory(), node(name).taken(), host(name), others);
    runtimes.put(name, runtime);
    return runtime;
  }

  /**
   * Brings the files of a node that does not own the shard forward. A runtime that it had is closed
   * first.
   *
   * @return whether there was something to do
   */
  boolean follow(String name, long bytesMax) {
    return follow(name, bytesMax, objects);
  }

  /** Brings the files forward of a node that has other objects. */
  boolean follow(String name, long bytesMax, Consumer<ObjectRegistrar> others) {
    ObjectRuntime before = runtimes.remove(name);
    if (before != null) {
      before.close();
    }
    awaitOrdered();
    return ShardRuntime.follow(
            place(name).directory(), node(name).replica, bytesMax, host(name), others)
        != null;
  }

  /** {@return a round of a node, which the caller ends} */
  @Nullable RoundJournal beginRound(String name) {
    awaitOrdered();
    return node(name).replica.beginRound(Long.MAX_VALUE, _ -> false);
  }

  /** {@return the first position that the files of a node need} */
  long lowWaterMark(String name) {
    return node(name).replica.lowWaterMark();
  }

  /** {@return what no round of a node has read, in bytes} */
  long behindBytes(String name) {
    return node(name).replica.behindBytes();
  }

  /** Holds up the log of a node, or lets it go on. */
  void hold(String name, boolean isHeld) {
    CompletableFuture.runAsync(
            () -> {
              Node node = node(name);
              node.isHeld = isHeld;
              for (Runnable next = isHeld ? null : node.held.poll();
                  next != null;
                  next = node.held.poll()) {
                next.run();
              }
            },
            logThread)
        .join();
  }

  /**
   * Passes one entry to a node whose log is held up.
   *
   * @return whether there was one
   */
  boolean passOne(String name) {
    return CompletableFuture.supplyAsync(
            () -> {
              Runnable next = node(name).held.poll();
              if (next != null) {
                next.run();
              }
              return next != null;
            },
            logThread)
        .join();
  }

  /** Ends a node and starts it in an empty directory. */
  void replace(String name, String directory) {
    ObjectRuntime before = runtimes.remove(name);
    if (before != null) {
      before.close();
    }
    node(name).close();
    log.forget(new NodeId(name));
    places.put(name, new Place(root.resolve(directory), new FileDisk()));
    nodes.put(name, new Node(name));
  }

  /** Starts a node that was ended on other files. */
  void start(String name, Path directory, Disk disk) {
    places.put(name, new Place(directory, disk));
    start(name);
  }

  /** Starts a node that was ended on other files; its log is held up. */
  void startHeld(String name, Path directory) {
    log.forget(new NodeId(name)); // it may have less than it once had
    places.put(name, new Place(directory, new FileDisk()));
    nodes.put(name, new Node(name, /* isHeld= */ true));
  }

  /** Ends a node. */
  void stop(String name) {
    ObjectRuntime before = runtimes.remove(name);
    if (before != null) {
      before.close();
    }
    Objects.requireNonNull(nodes.remove(name)).close();
  }

  /** Ends a node whose disk does not work. */
  void stopPowerless(String name) {
    try {
      stop(name);
    } catch (HoldfastException e) {
      // of the disk
    }
  }

  /** Waits until a node has applied what another one has. */
  void awaitApplied(String name, String other) {
    while (lastPosition(name) < lastPosition(other)) {
      awaitOrdered();
    }
  }

  /** {@return the last entry of the log, of those that were proposed before} */
  long lastEntry() {
    CompletableFuture.runAsync(() -> {}, proposer).join();
    awaitOrdered();
    return log.lastIndex();
  }

  /** {@return the entry with which the last ownership of a node began} */
  long epoch(String name) {
    return Objects.requireNonNull(node(name).last).epoch();
  }

  /** Waits until the log has what was proposed before, and has passed it to the nodes. */
  private void awaitOrdered() {
    CompletableFuture.runAsync(() -> {}, logThread).join();
  }

  /** Waits until a node has applied what another one has, or cannot. */
  void awaitAppliedOrFailed(String name, String other) {
    while (lastPosition(name) < lastPosition(other)
        && failure(name) == null
        && node(name).fetchFailure == null) {
      Thread.onSpinWait();
    }
  }

  /**
   * From now on no node gives segments that the files of another one do not need, as if they were
   * dropped.
   *
   * @return the first position that is given
   */
  long dropBeginning(String name) {
    long mark = lowWaterMark(name);
    long first =
        node(name).replica.source().state(0).segments().stream()
            .filter(segment -> segment <= mark)
            .max(Long::compare)
            .orElseThrow();
    firstGiven.set(first);
    return first;
  }

  /**
   * Waits for an image of the files of the owner: the thread of the log, which fetches, must not.
   *
   * @return gives it back
   */
  Runnable awaitImage(String owner) {
    ReplicaSource source = node(owner).replica.source();
    while (true) {
      try {
        ReplicaImage image = source.image();
        return () -> source.releaseImage(image.id());
      } catch (JournalFailedException e) {
        Thread.onSpinWait();
      }
    }
  }

  /** What is done before files are put in the place of others, when nothing may have them open. */
  void beforePlacing(Runnable task) {
    beforePlacing = task;
  }

  /** {@return the first position that a node which copies files of another one needs} */
  long copiedFrom(String name) {
    return node(name).replica.copiedFrom();
  }

  /** Starts a node that was ended, on its own files. */
  void start(String name) {
    nodes.put(name, new Node(name));
  }

  /** Lets the log drop what two nodes have durably. */
  void drop() {
    log.drop();
  }

  /** {@return how often a node has fetched what the log had dropped} */
  int fetches() {
    return fetches.get();
  }

  /** {@return what the replica of another node has: the one that has most} */
  private ReplicaSource otherThan(String name) {
    fetches.incrementAndGet();
    ReplicaSource other = mostOf(name);
    return firstGiven.get() == 0 ? other : new WithoutBeginning(other, firstGiven.get());
  }

  /**
   * A copy that has dropped the first segments.
   *
   * @param first the first position that it has
   */
  private record WithoutBeginning(ReplicaSource other, long first) implements ReplicaSource {

    @Override
    public ReplicaState state(long segment) {
      return other.state(Math.max(first, segment));
    }

    @Override
    public byte[] read(long segment, long offset) {
      assertThat(segment).isGreaterThanOrEqualTo(first);
      return other.read(segment, offset);
    }

    @Override
    public ReplicaImage image() {
      return other.image();
    }

    @Override
    public byte[] readImage(long image, int file, long offset) {
      return other.readImage(image, file, offset);
    }

    @Override
    public void releaseImage(long image) {
      other.releaseImage(image);
    }
  }

  private ReplicaSource mostOf(String name) {
    return nodes.entrySet().stream()
        .filter(each -> !each.getKey().equals(name))
        .map(each -> each.getValue().replica)
        .max(Comparator.comparingLong(ShardReplica::lastPosition))
        .orElseThrow()
        .source();
  }

  /** {@return the position from which on a node gives history} */
  long oldestPosition(String name) {
    return node(name).replica.history().oldestPosition();
  }

  /** {@return the position of the last record that a node has} */
  long lastPosition(String name) {
    return node(name).replica.lastPosition();
  }

  /** Objects find others at the runtime of their node. */
  private final class OwnNamespaces implements NamespaceLookup {

    private final String node;

    OwnNamespaces(String node) {
      this.node = node;
    }

    @Override
    public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
      return Objects.requireNonNull(runtimes.get(node)).namespace(name, type);
    }
  }

  private Node node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  @Nullable RuntimeException failure(String name) {
    return node(name).replica.failure();
  }

  @Override
  public void close() {
    nodes.keySet().forEach(name -> hold(name, false));
    runtimes.values().forEach(ObjectRuntime::close);
    nodes.values().forEach(Node::close);
    List.of(logThread, saver, proposer, notifier).forEach(ExecutorService::close);
    threads.close();
    time.close();
  }
}
