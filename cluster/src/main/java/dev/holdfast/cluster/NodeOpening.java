package dev.holdfast.cluster;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.call.CallRouter;
import dev.holdfast.cluster.call.EndpointOptions;
import dev.holdfast.cluster.call.MemberTls;
import dev.holdfast.cluster.call.RefusedCallers;
import dev.holdfast.cluster.call.RemoteCallOrder;
import dev.holdfast.cluster.call.WaitingCalls;
import dev.holdfast.cluster.catchup.Copies;
import dev.holdfast.cluster.catchup.CopyRate;
import dev.holdfast.cluster.event.NodeTopics;
import dev.holdfast.cluster.member.Acquaintance;
import dev.holdfast.cluster.member.AdoptedDirectory;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.cluster.object.CallReceiver;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.ClusterNamespace;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.object.NodeReferences;
import dev.holdfast.cluster.object.NodeReports;
import dev.holdfast.cluster.object.ShardAnswers;
import dev.holdfast.cluster.object.ShardService;
import dev.holdfast.cluster.object.StagedFiles;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.shard.NodeArchive;
import dev.holdfast.cluster.shard.NodeParts;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OpenShards;
import dev.holdfast.cluster.shard.ShardRuntime;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.status.NodeWatch;
import dev.holdfast.cluster.status.ShardLoads;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.embedded.parts.OwnDirectory;
import dev.holdfast.embedded.parts.Storage;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.log.ratis.LogTls;
import dev.holdfast.log.ratis.RatisNode;
import dev.holdfast.log.ratis.RatisOptions;
import dev.holdfast.operator.OperatorSocket;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.RegisteredNamespace;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Opens a node: takes its directory, connects it, opens its shards, and begins what it does by
 * itself. Used once.
 */
final class NodeOpening {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** Maximum number of native storage calls that block at once, of all shards. */
  private static final int STORAGE_THREADS_MAX = 8;

  /** How long another node may take to say how it is; less than a page of the console waits. */
  private static final long REPORT_NANOS = 3_000_000_000L;

  /** How long a node may take to open a log. */
  private static final long KEEP_NANOS = 30_000_000_000L;

  /**
   * What the application gives, or a test.
   *
   * @param options the cluster
   * @param objects registers namespaces
   * @param random must not be guessable
   * @param settings what no option sets
   * @param clock the time of objects and of their journal; null for that of the node
   * @param disk has the files of the node but for those of the log and of databases
   */
  record Given(
      ClusterOptions options,
      Consumer<ObjectRegistrar> objects,
      RandomGenerator random,
      ClusterNode.Settings settings,
      @Nullable TimeSource clock,
      Disk disk) {

    Given with(ClusterOptions other) {
      return new Given(other, objects, random, settings, clock, disk);
    }
  }

  /** The threads of a node. */
  private record Threads(
      SystemTimeSource time,
      StorageThreads storage,
      ExecutorService work,
      ExecutorService saver,
      ExecutorService proposer,
      ExecutorService notifier,
      ExecutorService checker,
      ExecutorService asker) {

    static Threads begin(OpenedParts parts) {
      return new Threads(
          parts.add(new SystemTimeSource()),
          parts.add(new StorageThreads(STORAGE_THREADS_MAX)),
          parts.add(
              Executors.newThreadPerTaskExecutor(
                  Thread.ofVirtual().name("holdfast-cluster-", 0).factory())),
          parts.add(single("holdfast-shard-saver")),
          parts.add(single("holdfast-shard-proposer")),
          parts.add(single("holdfast-shard-notifier")),
          parts.add(single("holdfast-segment-check")),
          // Apart: a check of segments takes minutes, and waits for other nodes.
          parts.add(single("holdfast-disk-watch")));
    }
  }

  private final ClusterOptions options;
  private final Consumer<ObjectRegistrar> objects;
  private final RandomGenerator random;
  private final ClusterNode.Settings settings;
  private final @Nullable TimeSource clock;
  private final Disk disk;
  private final NodeId self;
  private final Path data;
  private final EngineBuilder engine;
  private final OpenedParts parts;
  private volatile @Nullable ClusterNode opened;

  private NodeOpening(Path data, Given given, EngineBuilder engine, OpenedParts parts) {
    this.options = given.options();
    this.objects = given.objects();
    this.random = given.random();
    this.settings = given.settings();
    this.clock = given.clock();
    this.disk = given.disk();
    this.self = options.self();
    this.data = data;
    this.engine = engine;
    this.parts = parts;
  }

  /** Opens a node; see {@link ClusterHoldfast#open}. */
  static ClusterRuntime open(Path directory, Given given) {
    // First, because an error in the registration must not touch the disk.
    EngineBuilder engine = new EngineBuilder(given.objects());
    NodeRequirements.requireOffered(engine);
    Map<String, RegisteredNamespace<?>> registered = engine.registered(given.random());
    Path data = directory.toAbsolutePath();
    Storage.require(engine, data);
    ArchiveOptions archive = NodeRequirements.archive(engine, given.objects());
    NodeRequirements.requirePlaintextAllowed(given.options());
    try (OpenedParts parts = new OpenedParts()) {
      if (archive != null) {
        parts.add(archive.store());
      }
      ClusterNode node = new NodeOpening(data, given, engine, parts).open(registered, archive);
      parts.handOver();
      return node;
    }
  }

  /** {@return what there is of a shard: on this node if it owns it, else on the others} */
  private ReplicaSource copyOf(NodeShard shard, ReplicaSource others) {
    ReplicaSource here = self.equals(shard.owner()) ? shard.source() : null;
    return here == null ? others : here;
  }

  private NodeFile openFile() {
    NodeFile file =
        parts.add(
            NodeFile.open(
                disk, data, options.cluster(), self, options.shards(), options.isAdded(), random));
    NodeRequirements.requireFirstMembers(options, file);
    options.replicas().ifPresent(file::replicas);
    return file;
  }

  private DirectoryLock lock() {
    OwnDirectory.require(disk, data);
    NodeDirectory.refuseSingleMachine(disk, data);
    DirectoryLock lock = parts.add(DirectoryLock.acquire(data, disk));
    NodeDirectory.refuseSingleMachine(disk, data); // it may have become one meanwhile
    AdoptedDirectory.finish(disk, data);
    return lock;
  }

  private ClusterNode open(
      Map<String, RegisteredNamespace<?>> registered, @Nullable ArchiveOptions archive) {
    DirectoryLock lock = lock();
    NodeFile file = openFile();
    Threads threads = Threads.begin(parts);
    SystemTimeSource time = threads.time();
    ExecutorService work = threads.work();

    ShardMap map = new ShardMap(options.shards());
    RoutingTable table = new RoutingTable(map);
    NodeShards shards = new NodeShards(map, self, table);
    NodeCounters counters = new NodeCounters();
    Map<String, ClusterNamespace<?>> namespaces = new ConcurrentHashMap<>();
    NodeReferences references = new NodeReferences(namespaces::get);
    StagedFiles staged = parts.add(StagedFiles.open(disk, data, time, work));
    ShardService service =
        new ShardService(
            references,
            name -> RegisteredNamespace.find(namespaces, name).type(),
            staged,
            (epoch, last, next) -> opened().balancer().changed(epoch, last, next));
    OpenShards open = new OpenShards();
    MemberBook book =
        parts.add(
            new MemberBook(
                file, self, options.addresses(), options.shards(), settings.newestVersion()));
    book.requireReadable();
    book.requireAgreedBeginning();
    NodeRequirements.warnOfStrangers(options, file, book);
    // Ratis would log it as an end of the process.
    CallEndpoint.requireFree(self, MemberAddress.logOf(address(options, self)));
    RatisNode ratis =
        parts.add(RatisNode.open(logOptions(file, book, data, options, time, settings)));
    NodeTopics topics =
        new NodeTopics(
            self,
            references,
            work,
            time,
            namespace -> valuesOf(registered.get(namespace)),
            counters,
            random.nextLong());
    Copies copies =
        new Copies(
            self,
            book,
            id -> shards.of(id).source(),
            references,
            work,
            time,
            new CopyRate(time, options.copyBytesPerSecond()),
            counters);
    NodeReports reports = new NodeReports(self, references, work, () -> opened().placement());
    WaitingCalls waiting = new WaitingCalls(self, random.nextLong());
    CallEndpoint endpoint =
        parts.add(
            CallEndpoint.open(
                endpointOptions(file),
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
                    Map.of(
                        Copies.TARGET,
                        copies::answer,
                        NodeReports.TARGET,
                        reports::answer,
                        NodeTopics.TARGET,
                        topics::answer),
                    waiting,
                    counters,
                    options.routeTimeout().toNanos()),
                new RefusedCallers(self, time)));
    topics.begin(
        new NodeTopics.Others(
            () -> book.nodes().stream().filter(endpoint::isConnectedTo).toList(),
            endpoint,
            options.failover().toNanos()));
    NodeArchive archives =
        new NodeArchive(
            archive,
            file,
            new ArchivingNodes(
                self, book, other -> reports.at(other, endpoint, time, REPORT_NANOS)),
            time,
            work);
    Acquaintance acquaintance = acquaintance(file, book, endpoint, topics, shards, ratis, time);
    book.onChange(acquaintance);
    ClusterCalls calls =
        new ClusterCalls(
            acquaintance::missingMajority,
            shards,
            new CallRouter(self, book, table, endpoint, time, counters, options.routeTimeout()),
            waiting,
            engine.carriedCalls(),
            time,
            options.routeTimeout());
    ClusterOperations operations = new ClusterOperations(calls, service, map, random::nextLong);
    RemoteCallOrder order = new RemoteCallOrder(work);
    registered.forEach(
        (name, each) ->
            namespaces.put(
                name, new ClusterNamespace<>(each, references, shards, calls, order, operations)));

    SegmentCheck check =
        new SegmentCheck(self, shards, operations::of, time, counters, threads.checker());
    NodeWatch watch = watch(threads, shards, endpoint, acquaintance);
    NodeHealth health =
        new NodeHealth(
            shards,
            open,
            endpoint,
            acquaintance,
            watch,
            archives,
            new ShardLoads(clock == null ? time : clock),
            engine.options().health());
    ClusterNode node =
        new ClusterNode(
            options,
            time,
            new ClusterNode.Shards(shards, open, check),
            new ClusterNode.Calls(namespaces, operations, topics),
            new ClusterNode.Members(book, acquaintance),
            new ClusterNode.State(watch, health, () -> health.numbers(counters)),
            work,
            List.of(
                topics,
                endpoint,
                staged,
                table,
                threads.checker(),
                threads.asker(),
                ratis,
                book,
                threads.saver(),
                threads.proposer(),
                threads.notifier(),
                work,
                archives,
                threads.storage(),
                time,
                file,
                lock));
    ShardRuntime.Host host =
        new ShardRuntime.Host(disk, clock == null ? time : clock, threads.storage(), node, random);
    NodeParts shared =
        new NodeParts(
            self,
            new NodeParts.Times(
                time,
                clock == null ? time : clock,
                NodeRequirements.leaseOf(engine.namespaces().values(), options),
                options.failover().toNanos()),
            new NodeParts.Threads(threads.saver(), threads.proposer(), threads.notifier()),
            table,
            open,
            check::soon,
            book,
            new MemberChanges.Peers(
                self,
                book,
                endpoint,
                other -> reports.at(other, endpoint, time, KEEP_NANOS),
                time,
                options.routeTimeout().toNanos()),
            new NodeParts.Copies(
                shard -> copies.others(shard, map.placeIn(shard), endpoint),
                (shard, nodes, answer) ->
                    copies.askPurged(shard, map.placeIn(shard), endpoint, nodes, answer),
                shard -> copies.avoid(map.placeIn(shard))),
            settings.rounds(),
            counters);
    NodeCopies kept =
        parts.add(
            new NodeCopies(
                new NodeCopies.Files(data, disk, file),
                book,
                shards,
                shared,
                ratis,
                new NodeCopies.Objects(
                    journals(), number -> archives.hostOf(number, host), objects, topics),
                work));
    kept.open();
    NodePlacement placed =
        new NodePlacement(
            book, shards, kept, archives, options.labels(), () -> NodeStatus.of(node));
    Balancer balancer =
        parts.add(
            new Balancer(
                self,
                book,
                operations,
                new Balancer.Nodes(
                    placed,
                    other -> reports.at(other, endpoint, time, REPORT_NANOS),
                    () -> shards.get(Balancer.FIRST_SHARD).openObjects() != null),
                time,
                work));
    ClusterBackup backups =
        new ClusterBackup(
            new ClusterBackup.Node(data, disk, file),
            shard -> operations.of(shard).position(),
            new ClusterBackup.Copies(
                shard ->
                    copyOf(shards.get(shard), copies.others(shard, map.placeIn(shard), endpoint)),
                shard -> copies.avoid(map.placeIn(shard))),
            time,
            random);
    node.placed(kept, placed, balancer, backups);
    parts.add(acquaintance::close);
    boolean begins = file.hasJoined() || file.isAdded();
    // A new node takes part in no log before every other member has said that it is new. One that
    // has taken part before gives those that are reachable the time to refuse it.
    acquaintance.begin(work);
    if (begins) { // one that is added has what owners have asked it to take, if anything
      start(shards, acquaintance);
      book.opened();
    }
    check.begin();
    watch.begin();
    if (options.balancing()) {
      balancer.begin();
    }
    opened = node;
    NodeOperators performed =
        new NodeOperators(
            new NodeOperators.Node(
                self.name(),
                other ->
                    ShardAnswers.members(reports.at(other, endpoint, time, REPORT_NANOS).status()),
                work,
                () -> Instant.ofEpochMilli(time.wallMillis())),
            node,
            shards,
            operations);
    node.serve(
        performed,
        engine.options().operatorSocket()
            ? parts.add(OperatorSocket.open(lock.directory(), performed, time))
            : () -> {});
    return node;
  }

  /** Another node may ask while this one is opened. */
  private ClusterNode opened() {
    ClusterNode found = opened;
    if (found == null) {
      throw new IllegalStateException("Node " + self + " is being opened; ask again.");
    }
    return found;
  }

  private EndpointOptions endpointOptions(NodeFile file) {
    return new EndpointOptions(
        options.cluster(),
        self,
        file.incarnation(),
        file.opening(),
        file.lineage(),
        options.shards(),
        address(options, self),
        options.tls(),
        options.plaintextOnAnyNetwork(),
        options.failover());
  }

  private Acquaintance acquaintance(
      NodeFile file,
      MemberBook book,
      CallEndpoint endpoint,
      NodeTopics topics,
      NodeShards shards,
      RatisNode ratis,
      TimeSource time) {
    return new Acquaintance(
        self,
        book,
        endpoint,
        time,
        options.failover().toNanos(),
        settings.awayNanos(),
        () ->
            // Opening logs blocks in files: not on a carrier of virtual threads.
            Thread.ofPlatform()
                .daemon()
                .name("holdfast-cluster-join")
                .start(() -> join(shards, file, book)),
        (other, wasAway) -> {
          shards.all().forEach(shard -> shard.present(other));
          topics.isThere(other, wasAway);
          if (wasAway) {
            ratis.reconnect(other);
          }
        },
        why -> shards.all().forEach(shard -> shard.expel(why)));
  }

  private NodeWatch watch(
      Threads threads, NodeShards shards, CallEndpoint endpoint, Acquaintance acquaintance) {
    return parts.add(
        new NodeWatch(
            self.name(),
            threads.time(),
            threads.work(),
            threads.asker(),
            options.failover(),
            () -> {
              shards.all().forEach(NodeShard::leaveIfFailed);
              shards.all().forEach(shard -> shard.report().unfed(_ -> true)); // health asks rarely
              return NodeHealth.ownerless(shards, acquaintance);
            },
            () -> disk.usableBytes(data),
            endpoint::certificateProblem));
  }

  private JournalOptions journals() {
    return JournalOptions.DEFAULT
        .withDisk(disk)
        .withSegmentBytes(settings.journalSegment())
        .withHistory(NodeRequirements.history(engine, options.shards()));
  }

  /**
   * Takes part in the shards. One whose copy is refused is named in the health of the node, and
   * keeps no other one closed; a node without any has nothing to do.
   */
  private static void start(NodeShards shards, Acquaintance acquaintance) {
    List<RuntimeException> refused =
        shards.kept().stream().map(NodeShard::start).filter(Objects::nonNull).toList();
    acquaintance.throwIfExpelled(); // that has stopped the logs
    if (!refused.isEmpty() && refused.size() == shards.kept().size()) {
      throw refused.getFirst();
    }
  }

  /** Takes part in the logs, if this is the first time. */
  private static void join(NodeShards shards, NodeFile file, MemberBook book) {
    if (file.hasJoined() || file.isAdded()) {
      return;
    }
    try {
      book.begin();
      for (NodeShard shard : shards.kept()) {
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

  /** Events of a namespace that is not registered here are read if they need no codec. */
  private static StructuredClone valuesOf(@Nullable RegisteredNamespace<?> namespace) {
    return namespace == null ? StructuredClone.standard() : namespace.values();
  }

  private static ExecutorService single(String name) {
    return Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name).factory());
  }

  private static InetSocketAddress address(ClusterOptions options, NodeId node) {
    InetSocketAddress found = options.addresses().get(node);
    if (found == null) {
      throw new IllegalArgumentException(node + " is not a member");
    }
    return found;
  }

  private static RatisOptions logOptions(
      NodeFile file,
      MemberBook book,
      Path data,
      ClusterOptions options,
      TimeSource time,
      ClusterNode.Settings settings) {
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
        settings.logSegment(),
        settings.logRetainedMax());
  }
}
