package dev.holdfast.cluster;

import dev.holdfast.Consistency;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.call.CallRouter;
import dev.holdfast.cluster.call.EndpointOptions;
import dev.holdfast.cluster.call.MemberTls;
import dev.holdfast.cluster.call.RefusedCallers;
import dev.holdfast.cluster.call.RemoteCallOrder;
import dev.holdfast.cluster.call.WaitingCalls;
import dev.holdfast.cluster.catchup.Copies;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.Acquaintance;
import dev.holdfast.cluster.member.AdoptedDirectory;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.cluster.object.CallReceiver;
import dev.holdfast.cluster.object.ClusterAdmin;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.ClusterNamespace;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.object.ClusterRecovery;
import dev.holdfast.cluster.object.NodeReferences;
import dev.holdfast.cluster.object.ShardService;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardMap;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.shard.NodeArchive;
import dev.holdfast.cluster.shard.NodeParts;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OpenShards;
import dev.holdfast.cluster.shard.ShardObjects;
import dev.holdfast.cluster.shard.ShardReport;
import dev.holdfast.cluster.shard.ShardRuntime;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.status.NodeWatch;
import dev.holdfast.cluster.status.ShardHealth;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.embedded.parts.OwnDirectory;
import dev.holdfast.embedded.parts.StartedArchive;
import dev.holdfast.embedded.parts.Storage;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthOptions;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.LogTls;
import dev.holdfast.log.ratis.RatisNode;
import dev.holdfast.log.ratis.RatisOptions;
import dev.holdfast.operator.OperatorSocket;
import dev.holdfast.recovery.Backup;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.NamespaceLookup;
import dev.holdfast.runtime.OutsideCalls;
import dev.holdfast.runtime.RegisteredNamespace;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.LogEntry;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A node of a cluster: its shards, its connections, and what they share. Thread-safe. */
final class ClusterNode implements ClusterRuntime, NamespaceLookup {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** Maximum number of native storage calls that block at once, of all shards. */
  private static final int STORAGE_THREADS_MAX = 8;

  static final LogBytes LOG_BYTES = new LogBytes(16L << 20, 256L << 20);

  private static final long READY_LOOK_NANOS = 20_000_000;

  private final ClusterOptions options;
  private final TimeSource time;
  private final long openedNanos;
  private final NodeShards shards;
  private final OpenShards open;
  private final Map<String, ClusterNamespace<?>> namespaces;
  private final ClusterOperations operations;
  private final NodeEvents events;
  private final MemberBook book;
  private final MemberChanges changes;
  private final Acquaintance acquaintance;
  private final SegmentCheck check;
  private final NodeWatch watch;
  private final Supplier<ClusterStatistics> numbers;
  private final Supplier<List<HealthReason>> ownReasons;
  private final List<AutoCloseable> closedLast;
  private final ExecutorService work;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** What serves operators, if anything does. */
  private volatile AutoCloseable operators = () -> {};

  private ClusterNode(
      ClusterOptions options,
      TimeSource time,
      NodeShards shards,
      OpenShards open,
      Map<String, ClusterNamespace<?>> namespaces,
      ClusterOperations operations,
      MemberBook book,
      Acquaintance acquaintance,
      SegmentCheck check,
      NodeWatch watch,
      Supplier<ClusterStatistics> numbers,
      Supplier<List<HealthReason>> ownReasons,
      ExecutorService work,
      List<AutoCloseable> closedLast) {
    this.options = options;
    this.time = time;
    this.openedNanos = time.monotonicNanos();
    this.shards = shards;
    this.open = open;
    this.namespaces = namespaces;
    this.operations = operations;
    this.book = book;
    this.changes =
        new MemberChanges(options.self(), book, operations, time, options.routeTimeout().toNanos());
    this.acquaintance = acquaintance;
    this.check = check;
    this.watch = watch;
    this.numbers = numbers;
    this.ownReasons = ownReasons;
    this.events = new NodeEvents(open);
    this.work = work;
    this.closedLast = closedLast;
  }

  /**
   * The size of the files of a log, and how much of it is kept for a member that is behind.
   *
   * @param segment the size of a file in bytes
   * @param retainedMax how many bytes are kept
   * @param rounds when the files of a shard that another node owns are brought forward
   * @param journalSegment the size of a segment of the journal
   * @param newestVersion the newest version of entries that the node reads
   */
  record LogBytes(
      long segment,
      long retainedMax,
      Rounds.Limits rounds,
      long journalSegment,
      int newestVersion) {

    LogBytes(long segment, long retainedMax) {
      this(segment, retainedMax, Rounds.Limits.DEFAULT);
    }

    LogBytes(long segment, long retainedMax, Rounds.Limits rounds) {
      this(segment, retainedMax, rounds, JournalOptions.DEFAULT.segmentBytes(), LogEntry.VERSION);
    }

    LogBytes reading(int version) {
      return new LogBytes(segment, retainedMax, rounds, journalSegment, version);
    }
  }

  /**
   * Opens a node; see {@link dev.holdfast.cluster.ClusterHoldfast#open}.
   *
   * @param directory of the node
   * @param options the cluster
   * @param objects registers namespaces
   * @param random must not be guessable
   * @return the node
   */
  static ClusterRuntime open(
      Path directory,
      ClusterOptions options,
      Consumer<ObjectRegistrar> objects,
      RandomGenerator random) {
    return open(directory, options, objects, random, LOG_BYTES, null, new FileDisk());
  }

  /**
   * Opens a node as {@link #open(Path, ClusterOptions, Consumer, RandomGenerator)} does.
   *
   * @param clock the time of objects and of their journal; null for that of the node, which is real
   * @param disk has the files of the node but for those of the log and of databases
   */
  static ClusterRuntime open(
      Path directory,
      ClusterOptions options,
      Consumer<ObjectRegistrar> objects,
      RandomGenerator random,
      LogBytes logBytes,
      @Nullable TimeSource clock,
      Disk disk) {
    NodeId self = options.self();
    // First, because an error in the registration must not touch the disk.
    EngineBuilder engine = new EngineBuilder(objects);
    requireOffered(engine);
    Map<String, RegisteredNamespace<?>> registered = engine.registered(random);
    Path data = directory.toAbsolutePath();
    Storage.require(engine, data);
    ArchiveOptions archive = archive(engine, objects);
    requirePlaintextAllowed(options);
    try (OpenedParts parts = new OpenedParts()) {
      if (archive != null) {
        parts.add(archive.store());
      }
      OwnDirectory.require(disk, data);
      NodeDirectory.refuseSingleMachine(disk, data);
      DirectoryLock lock = parts.add(DirectoryLock.acquire(data, disk));
      NodeDirectory.refuseSingleMachine(disk, data); // it may have become one meanwhile
      AdoptedDirectory.finish(disk, data);
      NodeFile file =
          parts.add(
              NodeFile.open(
                  disk,
                  data,
                  options.cluster(),
                  self,
                  options.shards(),
                  options.isAdded(),
                  random));
      requireFirstMembers(options, file);
      NodeArchive archives = new NodeArchive(archive, file);
      SystemTimeSource time = parts.add(new SystemTimeSource());
      TimeSource objectTime = clock == null ? time : clock;
      StorageThreads threads = parts.add(new StorageThreads(STORAGE_THREADS_MAX));
      ExecutorService work =
          parts.add(
              Executors.newThreadPerTaskExecutor(
                  Thread.ofVirtual().name("holdfast-cluster-", 0).factory()));
      ExecutorService saver = parts.add(single("holdfast-shard-saver"));
      ExecutorService proposer = parts.add(single("holdfast-shard-proposer"));
      ExecutorService notifier = parts.add(single("holdfast-shard-notifier"));

      ShardMap map = ShardMap.even(options.shards());
      RoutingTable table = new RoutingTable(map);
      NodeShards shards = new NodeShards(map);
      NodeCounters counters = new NodeCounters();
      Map<String, ClusterNamespace<?>> namespaces = new ConcurrentHashMap<>();
      NodeReferences references = new NodeReferences(namespaces::get);
      ShardService service =
          new ShardService(references, name -> RegisteredNamespace.find(namespaces, name).type());
      OpenShards open = new OpenShards();
      MemberBook book =
          parts.add(
              new MemberBook(
                  file, self, options.addresses(), options.shards(), logBytes.newestVersion()));
      book.requireReadable();
      warnOfStrangers(options, file, book);
      RatisNode ratis =
          parts.add(RatisNode.open(logOptions(file, book, data, options, time, logBytes)));
      Copies copies =
          new Copies(self, book, id -> shards.of(id).source(), references, work, time, counters);
      WaitingCalls waiting = new WaitingCalls(self, random.nextLong());
      CallEndpoint endpoint =
          parts.add(
              CallEndpoint.open(
                  new EndpointOptions(
                      options.cluster(),
                      self,
                      file.incarnation(),
                      file.opening(),
                      file.lineage(),
                      options.shards(),
                      address(options, self),
                      options.tls(),
                      options.plaintextOnAnyNetwork(),
                      options.failover()),
                  book,
                  time,
                  new CallReceiver(
                      self,
                      shards,
                      table,
                      time,
                      work,
                      namespaces::get,
                      service,
                      copies,
                      waiting,
                      counters,
                      options.routeTimeout().toNanos()),
                  new RefusedCallers(self, time)));
      Acquaintance acquaintance =
          new Acquaintance(
              self,
              book,
              endpoint,
              time,
              options.failover().toNanos(),
              () ->
                  // Opening logs blocks in files: not on a carrier of virtual threads.
                  Thread.ofPlatform()
                      .daemon()
                      .name("holdfast-cluster-join")
                      .start(() -> join(shards, file, ratis, book)),
              (other, wasAway) -> {
                shards.all().forEach(shard -> shard.present(other));
                if (wasAway) {
                  ratis.reconnect(other);
                }
              },
              why -> shards.all().forEach(shard -> shard.expel(why)));
      book.onChange(acquaintance);
      ClusterCalls calls =
          new ClusterCalls(
              acquaintance::missingMajority,
              shards,
              new CallRouter(self, book, table, endpoint, time, counters, options.routeTimeout()),
              waiting,
              time,
              options.routeTimeout());
      ClusterOperations operations = new ClusterOperations(calls, service, map);
      RemoteCallOrder order = new RemoteCallOrder(work);
      registered.forEach(
          (name, each) ->
              namespaces.put(
                  name,
                  new ClusterNamespace<>(each, references, shards, calls, order, operations)));

      ExecutorService checker = parts.add(single("holdfast-segment-check"));
      SegmentCheck check = new SegmentCheck(self, shards, operations::of, time, counters, checker);
      // Of its own: a check of segments takes minutes, and waits for other nodes.
      ExecutorService asker = parts.add(single("holdfast-disk-watch"));
      NodeWatch watch =
          parts.add(
              new NodeWatch(
                  self.name(),
                  time,
                  work,
                  asker,
                  options.failover(),
                  () -> {
                    shards.all().forEach(NodeShard::leaveIfFailed);
                    shards
                        .all()
                        .forEach(shard -> shard.report().unfed(_ -> true)); // health asks rarely
                    return ownerless(shards, book, acquaintance);
                  },
                  () -> disk.usableBytes(data),
                  endpoint::certificateProblem));

      ClusterNode node =
          new ClusterNode(
              options,
              time,
              shards,
              open,
              namespaces,
              operations,
              book,
              acquaintance,
              check,
              watch,
              () -> numbers(counters, shards, endpoint, watch),
              () -> ownReasons(watch, open, shards, endpoint, engine.options().health()),
              work,
              List.of(
                  endpoint, table, checker, asker, ratis, book, saver, proposer, notifier, work,
                  archives, threads, time, file, lock));
      ShardRuntime.Host host = new ShardRuntime.Host(disk, objectTime, threads, node, random);
      NodeParts shared =
          new NodeParts(
              self,
              new NodeParts.Times(
                  time,
                  objectTime,
                  leaseOf(engine.namespaces().values(), options),
                  options.failover().toNanos()),
              new NodeParts.Threads(saver, proposer, notifier),
              table,
              open,
              check::soon,
              book,
              new MemberChanges.Peers(self, book, endpoint, time, options.routeTimeout().toNanos()),
              new NodeParts.Copies(
                  shard -> copies.others(shard, map.placeIn(shard), endpoint),
                  shard -> copies.avoid(map.placeIn(shard))),
              logBytes.rounds(),
              counters);
      JournalOptions journals =
          JournalOptions.DEFAULT
              .withDisk(disk)
              .withSegmentBytes(logBytes.journalSegment())
              .withHistory(history(engine, options.shards()));
      for (int shard = 0; shard < options.shards(); shard++) {
        int number = shard;
        shards.add(
            parts.add(
                open(
                    shard,
                    data,
                    journals,
                    ratis,
                    shared,
                    () -> archives.hostOf(number, host),
                    objects,
                    file.hasJoined())));
      }
      parts.add(acquaintance::close);
      boolean hasJoined = file.hasJoined();
      // A new node takes part in no log before every other member has said that it is new. One that
      // has taken part before gives those that are reachable the time to refuse it.
      acquaintance.begin(work);
      if (hasJoined) {
        start(shards, acquaintance);
        book.opened();
      }
      check.begin();
      watch.begin();
      if (engine.options().operatorSocket()) {
        node.operators =
            parts.add(
                OperatorSocket.open(
                    lock.directory(), new NodeOperators(options.cluster(), self.name(), node)));
      }
      parts.handOver();
      return node;
    }
  }

  /** {@return a shard of this node; for tests} */
  NodeShard shard(int number) {
    return shards.all().get(number);
  }

  /** {@return the operations of all shards; for tests} */
  ClusterOperations operations() {
    return operations;
  }

  /** {@return the check of segments; for tests} */
  SegmentCheck check() {
    return check;
  }

  private static void requireOffered(EngineBuilder engine) {
    if (!engine.operations().isEmpty()) {
      throw unsupported(
          "operation", "the operator's socket of a node has the operations of clusters only");
    }
  }

  /** Before the directory is touched; the parts that use an address check it again. */
  private static void requirePlaintextAllowed(ClusterOptions options) {
    if (options.tls() != null || options.plaintextOnAnyNetwork()) {
      return;
    }
    options.addresses().forEach(CallEndpoint::requireOfThisMachine);
  }

  /** What the first opening is given cannot be changed by a later one. */
  private static void requireFirstMembers(ClusterOptions options, NodeFile file) {
    if (file.hasBegun() || file.isAdded()) {
      return;
    }
    int count = options.addresses().size();
    if (file.lineage() != 0 && count != 1) {
      throw new ClusterException(
          Reason.MEMBERS,
          "This directory was adopted, recovered or restored: its node is the only one of its"
              + " cluster. Give it a list of members with "
              + options.self()
              + " alone, and add the others with ./holdfast cluster add.",
          null);
    }
    if (count != 1 && count != 3 && count != 5) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "A cluster begins with 3 or 5 members, or with 1 that others are added to: "
              + options.addresses().keySet(),
          null);
    }
  }

  /** Members are changed by the cluster; a list that was corrected later changes nothing. */
  private static void warnOfStrangers(ClusterOptions options, NodeFile file, MemberBook book) {
    if (file.hasJoined()) {
      List<NodeId> strangers =
          options.addresses().keySet().stream()
              .filter(node -> !book.nodes().contains(node))
              .toList();
      if (!strangers.isEmpty()) {
        LOG.log(
            Level.WARNING,
            "Node {0} is opened with {1} in its list, and the cluster has the members {2}, as far"
                + " as this node has heard. If one is missing, add it with ./holdfast cluster add.",
            options.self(),
            strangers,
            book.nodes());
      }
    }
  }

  /**
   * {@return where and how the shards are archived; null for nowhere} The registration is called
   * again for each shard, but the store is opened and closed once.
   */
  private static @Nullable ArchiveOptions archive(
      EngineBuilder engine, Consumer<ObjectRegistrar> objects) {
    ArchiveOptions asked = engine.options().archive();
    ArchiveOptions again = asked == null ? null : new EngineBuilder(objects).options().archive();
    if (asked != null && !asked.equals(again)) {
      asked.store().close();
      if (again != null) {
        again.store().close();
      }
      throw new IllegalArgumentException(
          "The registration gives other ArchiveOptions each time it is called, or another"
              + " ArchiveStore in them. It is called whenever this node takes a shard: make both"
              + " once, before the node is opened");
    }
    return asked;
  }

  /**
   * A shard keeps what the namespace with the longest window needs. Without a cap of the
   * application it has none: the free space of one node says nothing about that of the others.
   */
  private static HistoryOptions history(EngineBuilder engine, int shards) {
    long windowMillis =
        engine.recoveryWindows().values().stream().mapToLong(Duration::toMillis).max().orElse(0);
    long bytesMax = engine.options().historyBytesMax();
    boolean isCapped = bytesMax != RuntimeOptions.HISTORY_BY_DISK && bytesMax != Long.MAX_VALUE;
    return new HistoryOptions(windowMillis, isCapped ? bytesMax / shards : Long.MAX_VALUE);
  }

  private static ClusterException unsupported(String option, String why) {
    return new ClusterException(
        Reason.UNSUPPORTED,
        "The option " + option + " has no effect in a cluster: " + why + ". Do not set it.",
        null);
  }

  /**
   * Takes part in the shards. One whose copy is refused is named in the health of the node, and
   * keeps no other one closed; a node without any has nothing to do.
   */
  private static void start(NodeShards shards, Acquaintance acquaintance) {
    List<RuntimeException> refused =
        shards.all().stream().map(NodeShard::start).filter(Objects::nonNull).toList();
    acquaintance.throwIfExpelled(); // that has stopped the logs
    if (refused.size() == shards.all().size()) {
      throw refused.getFirst();
    }
  }

  /** Takes part in the logs, if this is the first time. */
  private static void join(NodeShards shards, NodeFile file, RatisNode ratis, MemberBook book) {
    if (file.hasJoined()) {
      return;
    }
    try {
      ratis.inCluster(file.logName()); // a node that is added has learnt it
      for (NodeShard shard : shards.all()) {
        RuntimeException refused = shard.start();
        if (refused != null) {
          throw refused; // nothing is lost yet: the next opening begins again
        }
      }
      file.joined();
      book.opened();
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          "This node cannot take part in the logs of the shards. Close it, and open it again once"
              + " the reason is gone.",
          e);
    }
  }

  private static NodeShard open(
      int shard,
      Path data,
      JournalOptions journals,
      RatisNode ratis,
      NodeParts shared,
      Supplier<ShardRuntime.Host> host,
      Consumer<ObjectRegistrar> objects,
      boolean hasJoined) {
    Path directory = ShardDirectories.shard(data, shard);
    StartedArchive.deleteLeftovers(directory); // also if this node does not own the shard any more
    return new NodeShard(
        shard,
        directory,
        journals,
        onStopped -> ratis.log(shard, hasJoined, onStopped::accept),
        shared,
        new ShardObjects() {
          @Override
          public ObjectRuntime open(ShardJournal journal) {
            return ShardRuntime.open(directory, journal, host.get(), objects);
          }

          @Override
          public @Nullable Boolean follow(ShardReplica replica, long bytesMax) {
            return ShardRuntime.follow(directory, replica, bytesMax, host.get(), objects);
          }
        });
  }

  /** Without a namespace that uses it there is no lease, and no owner is waited for. */
  private static Duration leaseOf(Collection<NamespaceOptions> namespaces, ClusterOptions options) {
    return namespaces.stream().anyMatch(each -> each.consistency() == Consistency.LEASE)
        ? options.lease()
        : Duration.ZERO;
  }

  private static ExecutorService single(String name) {
    return Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name).factory());
  }

  private static InetSocketAddress address(ClusterOptions options, NodeId node) {
    InetSocketAddress found = options.addresses().get(node);
    if (found == null) {
      throw new IllegalArgumentException(node + " is no member");
    }
    return found;
  }

  private static RatisOptions logOptions(
      NodeFile file,
      MemberBook book,
      Path data,
      ClusterOptions options,
      TimeSource time,
      LogBytes bytes) {
    Map<NodeId, InetSocketAddress> first = new LinkedHashMap<>();
    options.addresses().forEach((node, address) -> first.put(node, MemberAddress.logOf(address)));
    TlsFiles files = options.tls();
    // The endpoint of calls reads the same files, and says why changed ones cannot be used.
    MemberTls tls = files == null ? null : new MemberTls(files, book::logAddresses, time, _ -> {});
    return new RatisOptions(
        file.logName(),
        options.self(),
        data.resolve("shards"),
        first,
        file.isAdded(),
        tls == null ? null : new LogTls(tls.keys(), tls.trust()),
        options.plaintextOnAnyNetwork(),
        options.failover(),
        bytes.segment(),
        bytes.retainedMax());
  }

  @Override
  @SuppressWarnings("unchecked") // compared just before
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    ClusterNamespace<?> found = registered(name);
    RegisteredNamespace.requireType(name, found.type(), type);
    return (ObjectNamespace<T>) found;
  }

  private ClusterNamespace<?> registered(String name) {
    requireOpen();
    return RegisteredNamespace.find(namespaces, name);
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new RuntimeClosedException();
    }
  }

  @Override
  public ObjectRecovery recovery(String namespace, ObjectId id) {
    ClusterNamespace<?> found = registered(namespace);
    found.registered().check(id);
    return new ClusterRecovery(found, id, shards, operations);
  }

  @Override
  public ObjectAdmin admin() {
    return new ClusterAdmin(operations, this::registered, open);
  }

  @Override
  public HistoryUsage historyUsage() {
    HistoryUsage all = new HistoryUsage(0, 0, null);
    for (ObjectRuntime each : open.runtimes()) {
      HistoryUsage shard = each.historyUsage();
      all =
          new HistoryUsage(
              all.bytes() + shard.bytes(),
              NodeStatistics.capped(all.bytesMax(), shard.bytesMax()),
              NodeStatistics.later(all.oldest(), shard.oldest()));
    }
    return all;
  }

  @Override
  public Backup backup(Path target) {
    throw new ClusterException(
        Reason.UNSUPPORTED,
        "A node makes no backup while it runs. Close it, and use ./holdfast backup; or archive"
            + " with RuntimeOptions.withArchive. Never open a copy of its directory: it lacks what"
            + " the node has acknowledged since.",
        null);
  }

  private static ClusterStatistics numbers(
      NodeCounters counters, NodeShards shards, CallEndpoint endpoint, NodeWatch watch) {
    Map<String, Long> clocks = new HashMap<>();
    endpoint.clocksAheadMillis().forEach((node, ahead) -> clocks.put(node.name(), ahead));
    return counters.snapshot(
        shards.all().stream().mapToLong(shard -> shard.report().lagEntries()).max().orElse(0),
        shards.all().stream().mapToLong(shard -> shard.report().lagBytes()).sum(),
        clocks,
        watch.diskUsableBytes());
  }

  /** {@return what is wrong with the machine of this node, and its connections} */
  private static List<HealthReason> ownReasons(
      NodeWatch watch,
      OpenShards open,
      NodeShards shards,
      CallEndpoint endpoint,
      HealthOptions limits) {
    List<HealthReason> reasons = new ArrayList<>();
    shards.all().stream()
        .map(shard -> shard.report().unfed(endpoint::isConnectedTo))
        .flatMap(Optional::stream)
        .forEach(reasons::add);
    watch
        .certificateProblem()
        .ifPresent(
            why ->
                reasons.add(new HealthReason(HealthReason.CERTIFICATE, HealthState.DEGRADED, why)));
    long usable = watch.diskUsableBytes();
    // The runtime of a shard that this node owns says it, too.
    if (open.runtimes().isEmpty() && usable >= 0 && usable < limits.diskFreeBytesMin()) {
      reasons.add(
          new HealthReason(
              HealthReason.DISK_NEARLY_FULL,
              HealthState.DEGRADED,
              "The disk of this node has "
                  + usable
                  + " bytes left. Make room; a full disk stops its copies of the shards."));
    }
    return reasons;
  }

  /** A node that waits to be added, or that the others refuse, has other reasons. */
  private static List<Integer> ownerless(
      NodeShards shards, MemberBook book, Acquaintance acquaintance) {
    return book.waits() || acquaintance.expulsion() != null
        ? List.of()
        : shards.all().stream()
            .map(shard -> shard.report().health())
            .filter(
                shard ->
                    shard
                        .reason()
                        .filter(why -> why.code().equals(HealthReason.SHARD_WITHOUT_OWNER))
                        .isPresent())
            .map(ShardHealth::number)
            .toList();
  }

  @Override
  public RuntimeStatistics statistics() {
    return NodeStatistics.sum(
        closed.get() ? RuntimeState.CLOSED : RuntimeState.OPEN,
        time.monotonicNanos() - openedNanos,
        numbers.get(),
        open.runtimes().stream().map(ObjectRuntime::statistics).toList());
  }

  @Override
  public Health health() {
    List<HealthReason> reasons = new ArrayList<>();
    if (closed.get()) {
      reasons.add(
          new HealthReason(
              HealthReason.RUNTIME_CLOSED, HealthState.DOWN, "The node is closed; open it again."));
    }
    reasons.addAll(acquaintance.reasons());
    reasons.addAll(ownReasons.get());
    shards.all().stream()
        .map(shard -> shard.report().health().reason())
        .flatMap(Optional::stream)
        .forEach(reasons::add);
    // Not of a runtime whose shard was lost and that is not closed yet: another node answers.
    shards.all().stream()
        .map(NodeShard::openObjects)
        .filter(Objects::nonNull)
        .forEach(here -> reasons.addAll(here.runtime().health().reasons()));
    HealthState worst =
        reasons.stream()
            .map(HealthReason::state)
            .max(Comparator.naturalOrder())
            .orElse(HealthState.UP);
    return new Health(worst, reasons);
  }

  @Override
  public List<BusyObject> busiest(int count, BusyBy by) {
    if (count < 1) {
      throw new IllegalArgumentException("The count must be positive: " + count);
    }
    return open.runtimes().stream()
        .flatMap(each -> each.busiest(count, by).stream())
        .sorted(Comparator.comparingLong(BusyObject::value).reversed())
        .limit(count)
        .toList();
  }

  @Override
  public <T> Subscription subscribe(String topic, Class<T> type, Consumer<? super T> listener) {
    requireOpen();
    return events.subscribe(runtime -> runtime.subscribe(topic, type, listener));
  }

  @Override
  public <T> Subscription subscribe(String topic, TypeRef<T> type, Consumer<? super T> listener) {
    requireOpen();
    return events.subscribe(runtime -> runtime.subscribe(topic, type, listener));
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      Class<T> type,
      ConsumerOptions consumerOptions,
      EventHandler<T> handler) {
    requireOpen();
    return events.consume(
        topic,
        consumer,
        runtime -> runtime.consume(topic, consumer, type, consumerOptions, handler));
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      TypeRef<T> type,
      ConsumerOptions consumerOptions,
      EventHandler<T> handler) {
    requireOpen();
    return events.consume(
        topic,
        consumer,
        runtime -> runtime.consume(topic, consumer, type, consumerOptions, handler));
  }

  @Override
  public List<String> members() {
    return book.nodes().stream().map(NodeId::name).toList();
  }

  @Override
  public List<ShardStatus> shards() {
    return shards.all().stream().map(this::status).toList();
  }

  private ShardStatus status(NodeShard shard) {
    Optional<ShardOwnership> owner = shard.ownership();
    ShardReport report = shard.report();
    return new ShardStatus(
        shard.number(),
        owner.map(known -> known.node().name()).orElse(null),
        owner.map(ShardOwnership::epoch).orElse(0L),
        shard.openObjects() != null,
        report.lastPosition(),
        report.lag(),
        report.restorableSince(),
        report.failure(),
        report.isCatchingUp(),
        book.agreedVersion(shard.number()));
  }

  @Override
  public void transfer(int shard, String node) {
    requireOpen();
    if (shard < 0 || shard >= options.shards()) {
      throw new IllegalArgumentException(
          "There is no shard " + shard + "; they are 0 to " + (options.shards() - 1));
    }
    if (!members().contains(node)) {
      throw new IllegalArgumentException(
          "The node \"" + node + "\" is no member; the members are " + members());
    }
    String taken = operations.of(shard).transfer(node);
    if (!taken.equals(node)) {
      throw new ClusterException(
          Reason.NOT_MOVED,
          "Shard "
              + shard
              + " was not moved to node "
              + node
              + (taken.isEmpty()
                  ? ", which is away or did not take it in time; its owner keeps it if it can."
                      + " Check that the node runs and has caught up, and repeat the move."
                  : "; node " + taken + " has taken it meanwhile."),
          null);
    }
  }

  @Override
  public void add(String member) {
    requireOutside("change the members");
    requireOpen();
    changes.add(member);
  }

  @Override
  public void remove(String node) {
    requireOutside("change the members");
    requireOpen();
    changes.remove(node);
  }

  private static void requireOutside(String what) {
    if (OutsideCalls.isInObject()) {
      throw new IllegalStateException(
          "An object cannot " + what + " of its cluster: that may wait for its turn.");
    }
  }

  @Override
  public void drain() {
    if (OutsideCalls.isInObject()) {
      throw new IllegalStateException(
          "An object cannot drain the node that runs it: the move would wait for its turn.");
    }
    requireOpen();
    shards.all().forEach(NodeShard::drain);
    List<Throwable> failures = new ArrayList<>();
    for (NodeShard shard : shards.all()) {
      if (shard.isOwned()) {
        try {
          shard.moveTo(null).join();
        } catch (CompletionException e) {
          if (!shard.isOwnedByAnother()) {
            failures.add(e.getCause() == null ? e : e.getCause());
          }
        }
      }
    }
    if (!failures.isEmpty()) {
      ClusterException failed =
          new ClusterException(
              Reason.NOT_MOVED,
              "Node "
                  + options.self()
                  + " keeps "
                  + failures.size()
                  + " of its shards: "
                  + failures.getFirst().getMessage(),
              failures.getFirst());
      failures.stream().skip(1).forEach(failed::addSuppressed);
      throw failed;
    }
  }

  @Override
  public boolean awaitReady(Duration timeout) throws InterruptedException {
    long begun = time.monotonicNanos();
    acquaintance.throwIfExpelled();
    Map<Integer, CompletableFuture<?>> asked = new HashMap<>();
    while (book.waits() || !shards.all().stream().allMatch(shard -> isReady(shard, asked))) {
      acquaintance.throwIfExpelled();
      if (TimeUnit.NANOSECONDS.convert(timeout) < time.monotonicNanos() - begun || closed.get()) {
        return false;
      }
      CompletableFuture<Void> next = new CompletableFuture<>();
      time.schedule(READY_LOOK_NANOS, () -> next.complete(null));
      try {
        next.get();
      } catch (java.util.concurrent.ExecutionException e) {
        throw new IllegalStateException("A timer does not fail.", e);
      }
    }
    return true;
  }

  /** Without a copy of its own, this node knows an owner if the owner answers it. */
  private boolean isReady(NodeShard shard, Map<Integer, CompletableFuture<?>> asked) {
    if (shard.isReady()) {
      return true;
    }
    if (!shard.hasStopped()) {
      return false;
    }
    CompletableFuture<?> last = asked.get(shard.number());
    if (last == null || last.isCompletedExceptionally()) {
      asked.put(
          shard.number(),
          CompletableFuture.supplyAsync(() -> operations.of(shard.number()).memberNames(), work));
      return false;
    }
    return last.isDone();
  }

  @Override
  public void close() {
    if (OutsideCalls.isInObject()) {
      throw new IllegalStateException(
          "An object cannot close the node that runs it: the close would wait for its turn.");
    }
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    close("the operator's socket", operators);
    check.close();
    watch.close(); // before the shards, which have no owner for a moment when they move
    acquaintance.close();
    List<CompletableFuture<Void>> closing =
        shards.all().stream().map(shard -> CompletableFuture.runAsync(shard::close, work)).toList();
    closing.forEach(each -> close("a shard", each::join));
    closedLast.forEach(each -> close(each.getClass().getSimpleName(), each));
  }

  /** One part that fails must not keep the others open. */
  private static void close(String what, AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.log(Level.WARNING, "Closing " + what + " of a node failed.", e);
    }
  }
}
