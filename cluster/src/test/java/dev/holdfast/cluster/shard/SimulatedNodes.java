package dev.holdfast.cluster.shard;

import dev.holdfast.Consistency;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.faults.MemoryDisk;
import dev.holdfast.faults.SilentLog;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.NamespaceLookup;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A shard of three nodes, each with an engine, SQLite and a journal. The journal is on a disk in
 * memory that loses power with the node; SQLite writes its own files, which are then as after the
 * end of a process. All threads are those of a scheduler, which a seed decides; only one of them
 * runs at a time.
 */
final class SimulatedNodes {

  static final List<String> NAMES = List.of("a", "b", "c");

  private static final Duration LEASE = Duration.ofMillis(500);

  private static final Path DIRECTORY = Path.of("shard").toAbsolutePath();

  private final DeterministicScheduler scheduler;
  private final RandomGenerator random;
  private final SimulatedLog log;
  private final Map<String, Node> nodes = new TreeMap<>();
  private final Path files;
  private final StorageThreads storage;
  private final SilentLog silence = new SilentLog();
  private final HistoryOptions kept;
  private final Consistency consistency;
  private long salt;
  private int fetches;
  private int opened;
  private int rounds;
  private int moves;

  /** The files of SQLite outlive the nodes of a run: they are not synced, which takes long. */
  private static final class UnsyncedFiles extends ForwardingDisk {

    UnsyncedFiles() {
      super(new FileDisk());
    }

    @Override
    protected void force(Path path, DiskFile file) {}

    @Override
    public void forceDirectory(Path directory) {}
  }

  /** Runs tasks one after the other, on threads of the scheduler. */
  private final class Serial implements Executor {

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final AtomicBoolean isRunning = new AtomicBoolean();

    @Override
    public void execute(Runnable task) {
      waiting.add(task);
      if (isRunning.compareAndSet(false, true)) {
        scheduler.threadFactory().newThread(this::run).start();
      }
    }

    private void run() {
      for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
        next.run();
      }
      isRunning.set(false); // no other thread has run since the last poll
    }
  }

  /** A node, and its present run. */
  private final class Node implements ShardHost.Owner, NamespaceLookup {

    private final NodeId id;
    private final MemoryDisk disk = new MemoryDisk();
    private final Serial opener = new Serial();
    private boolean mayLead;
    private int run;
    private @Nullable ReplicatedLog own;
    private @Nullable ShardReplica replica;
    private @Nullable ShardJournal owned;
    private @Nullable ObjectRuntime runtime;

    Node(String name) {
      this.id = new NodeId(name);
    }

    void start() {
      run++;
      ShardReplica started =
          ShardReplica.open(
              DIRECTORY,
              JournalOptions.DEFAULT
                  .withDisk(disk)
                  .withSegmentBytes(8192)
                  .withHeldSegmentsMax(1)
                  .withHistory(kept)
                  .withSalts(() -> 0x9E3779B97F4A7C15L * ++salt),
              new ShardHost(
                  id,
                  scheduler.clock(),
                  new Serial(),
                  new Serial(),
                  new Serial(),
                  this,
                  new Serial()));
      replica = started;
      own = log.on(id);
      started.start(own);
    }

    void losePower() {
      run++;
      mayLead = false;
      ReplicatedLog lost = Objects.requireNonNull(own);
      ShardReplica dead = Objects.requireNonNull(replica);
      replica = null;
      lost.close();
      disk.losePower(random);
      dead.logStopped(new IllegalStateException("the power is off"));
      closeRuntime();
      dead.close();
    }

    private void closeRuntime() {
      ObjectRuntime last = runtime;
      runtime = null;
      if (last != null) {
        quietly(last);
      }
    }

    @Override
    public void mayLead(boolean yes) {
      mayLead = yes;
    }

    @Override
    public Duration lease() {
      return consistency == Consistency.LEASE ? LEASE : Duration.ZERO;
    }

    @Override
    public ReplicaSource others() {
      List<ReplicaSource> others =
          nodes.values().stream()
              .filter(each -> each != this)
              .flatMap(each -> Stream.ofNullable(each.replica))
              .map(ShardReplica::source)
              .toList();
      if (others.isEmpty()) {
        throw new IllegalStateException("No other node runs.");
      }
      fetches++;
      return others.get(random.nextInt(others.size()));
    }

    @Override
    public void owns(ShardJournal journal) {
      int opening = run;
      opener.execute(() -> open(journal, opening));
    }

    private void open(ShardJournal journal, int opening) {
      if (run != opening) {
        quietly(journal);
        return;
      }
      closeRuntime();
      owned = journal;
      ObjectRuntime next;
      try {
        next =
            ShardRuntime.open(
                files.resolve(id.name()),
                journal,
                host(),
                new EngineBuilder(objects -> SimulatedObjects.register(objects, consistency))
                    .threads(scheduler.threadFactory())
                    .log(silence));
      } catch (RuntimeException e) {
        if (run == opening && journal.failure() == null) {
          throw e;
        }
        return; // the ownership has ended meanwhile, or the power
      }
      opened++;
      if (run == opening) {
        runtime = next;
      } else {
        quietly(next);
      }
    }

    private ShardRuntime.Host host() {
      return new ShardRuntime.Host(new UnsyncedFiles(), scheduler.clock(), storage, this, random);
    }

    /** Brings the files forward, if another node owns the shard. */
    private void follow(int following) {
      ShardReplica present = replica;
      ShardJournal last = owned;
      if (run != following || present == null || (last != null && last.failure() == null)) {
        return;
      }
      closeRuntime();
      try {
        Boolean hasAll =
            ShardRuntime.follow(
                files.resolve(id.name()), present, 1 << 20, host(), SimulatedObjects::register);
        rounds += hasAll == null ? 0 : 1;
      } catch (RuntimeException e) {
        if (run == following && present.failure() == null) {
          throw e;
        }
      }
    }

    /** Closes the objects as for a planned move. */
    private void move(int moving, Runnable claim) {
      ShardJournal last = owned;
      if (run == moving && runtime != null && last != null && last.failure() == null) {
        last.move(
            () -> {
              moves++;
              claim.run();
            });
        closeRuntime();
      }
    }

    @Override
    public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
      return Objects.requireNonNull(runtime, "the node has no objects").namespace(name, type);
    }
  }

  /**
   * @param consistency of the figures
   */
  SimulatedNodes(
      DeterministicScheduler scheduler,
      RandomGenerator random,
      Path files,
      Consistency consistency) {
    this.consistency = consistency;
    this.files = files;
    this.scheduler = scheduler;
    this.random = random;
    this.storage = StorageThreads.simulated(scheduler.threadFactory());
    this.log =
        SimulatedLog.byChance(
            random, new SimulatedLog.Faults(random.nextInt(6), 50, random.nextInt(4)));
    long windowMillis = random.nextBoolean() ? 100 * random.nextLong(4) : Long.MAX_VALUE / 2;
    this.kept = new HistoryOptions(windowMillis, Long.MAX_VALUE);
    NAMES.forEach(name -> nodes.put(name, new Node(name)));
  }

  private static void quietly(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      // Its journal has ended, or its disk has no power.
    }
  }

  SimulatedLog log() {
    return log;
  }

  int fetches() {
    return fetches;
  }

  int opened() {
    return opened;
  }

  int rounds() {
    return rounds;
  }

  /** {@return how often an owner gave the shard up for another node} */
  int moves() {
    return moves;
  }

  private Node node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  void start(String name) {
    node(name).start();
  }

  void losePower(String name) {
    node(name).losePower();
  }

  /** Lets a node bring its files forward, if another one owns the shard. */
  void follow(String name) {
    Node node = node(name);
    int following = node.run;
    node.opener.execute(() -> node.follow(following));
  }

  /**
   * Lets a node give the shard up, if it owns it.
   *
   * @param claim runs then, before the files of its objects are closed
   */
  void move(String name, Runnable claim) {
    Node node = node(name);
    int moving = node.run;
    node.opener.execute(() -> node.move(moving, claim));
  }

  boolean isRunning(String name) {
    return node(name).replica != null;
  }

  boolean mayLead(String name) {
    return node(name).mayLead;
  }

  ShardReplica replica(String name) {
    return Objects.requireNonNull(node(name).replica, "the node does not run");
  }

  /** {@return the objects of a node, whose ownership may have ended; null if it has none} */
  @Nullable ObjectRuntime runtime(String name) {
    return node(name).runtime;
  }

  /** Lets the log do one thing after the other. */
  void runLog() {
    while (true) {
      boolean isBusy = log.step();
      pause(isBusy && random.nextInt(8) != 0 ? 0 : random.nextInt(1, isBusy ? 20 : 100));
    }
  }

  /** Lets others run, and time pass. */
  @SuppressWarnings("ThreadPriorityCheck") // here a yield is a choice of the schedule, not a hint
  void pause(long millis) {
    if (millis == 0) {
      Thread.yield();
      return;
    }
    CompletableFuture<Void> passed = new CompletableFuture<>();
    scheduler.clock().schedule(Duration.ofMillis(millis).toNanos(), () -> passed.complete(null));
    passed.join();
  }

  /** {@return the records of a replica: position, kind, object and bytes of each} */
  List<String> records(String name) {
    List<String> records = new ArrayList<>();
    replica(name)
        .history()
        .forEach(
            1,
            Long.MAX_VALUE,
            record -> {
              byte[] payload = new byte[record.payload().remaining()];
              record.payload().duplicate().get(payload);
              records.add(
                  record.position()
                      + " "
                      + record.kind()
                      + " "
                      + record.key()
                      + " "
                      + HexFormat.of().formatHex(payload));
            });
    return records;
  }
}
