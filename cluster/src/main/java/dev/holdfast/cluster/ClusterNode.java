package dev.holdfast.cluster;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.event.NodeTopics;
import dev.holdfast.cluster.member.Acquaintance;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.object.ClusterAdmin;
import dev.holdfast.cluster.object.ClusterNamespace;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.object.ClusterRecovery;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.shard.KeptShard;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OpenShards;
import dev.holdfast.cluster.shard.ShardReport;
import dev.holdfast.cluster.status.NodeWatch;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.health.Health;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.operator.OperatedRuntime;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.recovery.Backup;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.runtime.NamespaceLookup;
import dev.holdfast.runtime.OutsideCalls;
import dev.holdfast.runtime.RegisteredNamespace;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A node of a cluster: its shards, its connections, and what they share. Thread-safe. */
final class ClusterNode implements ClusterRuntime, NamespaceLookup, OperatedRuntime {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final ClusterOptions options;
  private final TimeSource time;
  private final long openedNanos;
  private final NodeShards shards;
  private final OpenShards open;
  private final Map<String, ClusterNamespace<?>> namespaces;
  private final ClusterOperations operations;
  private final NodeTopics topics;
  private final NodeEvents events;
  private final MemberBook book;
  private final Acquaintance acquaintance;
  private final SegmentCheck check;
  private final NodeWatch watch;
  private final Supplier<ClusterStatistics> numbers;
  private final NodeHealth health;
  private final List<AutoCloseable> closedLast;
  private final ExecutorService work;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** What operators ask for; set before the node is handed out. */
  private volatile OperatorService service =
      (_, _) -> {
        throw new IllegalStateException("The node is being opened.");
      };

  /** Which shards the node keeps; set before the node is handed out. */
  private volatile @Nullable Placed placed;

  /**
   * Which shards the node keeps.
   *
   * @param copies those
   * @param own what it says of placement
   * @param balancer evens the cluster
   * @param changes adds nodes and removes them
   * @param backups makes copies of all shards
   */
  private record Placed(
      NodeCopies copies,
      NodePlacement own,
      Balancer balancer,
      MemberChanges changes,
      ClusterBackup backups) {}

  /** What serves operators, if anything does. */
  private volatile AutoCloseable operators = () -> {};

  /**
   * The shards.
   *
   * @param all those of the node
   * @param open those whose objects are open
   * @param check checks their segments
   */
  record Shards(NodeShards all, OpenShards open, SegmentCheck check) {}

  /**
   * The objects of all nodes.
   *
   * @param namespaces by their names
   * @param operations of the shards
   * @param topics what they publish
   */
  record Calls(
      Map<String, ClusterNamespace<?>> namespaces,
      ClusterOperations operations,
      NodeTopics topics) {}

  /**
   * The other nodes.
   *
   * @param book says which they are
   * @param acquaintance meets them
   */
  record Members(MemberBook book, Acquaintance acquaintance) {}

  /**
   * How the node is.
   *
   * @param watch looks at it
   * @param health says what is wrong
   * @param numbers those of the node
   */
  record State(NodeWatch watch, NodeHealth health, Supplier<ClusterStatistics> numbers) {}

  ClusterNode(
      ClusterOptions options,
      TimeSource time,
      Shards own,
      Calls calls,
      Members members,
      State state,
      ExecutorService work,
      List<AutoCloseable> closedLast) {
    this.options = options;
    this.time = time;
    this.openedNanos = time.monotonicNanos();
    this.shards = own.all();
    this.open = own.open();
    this.namespaces = calls.namespaces();
    this.operations = calls.operations();
    this.topics = calls.topics();
    this.book = members.book();
    this.acquaintance = members.acquaintance();
    this.check = own.check();
    this.watch = state.watch();
    this.numbers = state.numbers();
    this.health = state.health();
    this.events = new NodeEvents(own.open());
    this.work = work;
    this.closedLast = closedLast;
  }

  /**
   * What no option sets, and a test sets otherwise.
   *
   * @param logSegment the size of a file of a log in bytes
   * @param logRetainedMax how many bytes of a log are kept for a member that is behind
   * @param rounds when the files of a shard that another node owns are brought forward
   * @param journalSegment the size of a segment of the journal
   * @param newestVersion the newest version of entries that the node reads
   * @param awayNanos how long a first member is away before the cluster begins without it
   */
  record Settings(
      long logSegment,
      long logRetainedMax,
      Rounds.Limits rounds,
      long journalSegment,
      int newestVersion,
      long awayNanos) {

    /** Longer than any start: what comes later than the others may know of a cluster. */
    private static final long AWAY_NANOS = 60_000_000_000L;

    static final Settings DEFAULT =
        new Settings(
            16L << 20,
            256L << 20,
            Rounds.Limits.DEFAULT,
            JournalOptions.DEFAULT.segmentBytes(),
            LogEntry.VERSION,
            AWAY_NANOS);

    Settings withLog(long segment, long retainedMax) {
      return new Settings(segment, retainedMax, rounds, journalSegment, newestVersion, awayNanos);
    }

    Settings withRounds(Rounds.Limits limits) {
      return new Settings(
          logSegment, logRetainedMax, limits, journalSegment, newestVersion, awayNanos);
    }

    Settings withJournalSegment(long bytes) {
      return new Settings(logSegment, logRetainedMax, rounds, bytes, newestVersion, awayNanos);
    }

    Settings reading(int version) {
      return new Settings(logSegment, logRetainedMax, rounds, journalSegment, version, awayNanos);
    }

    Settings beginningAfter(long nanos) {
      return new Settings(logSegment, logRetainedMax, rounds, journalSegment, newestVersion, nanos);
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
    return open(directory, options, objects, random, Settings.DEFAULT, null, new FileDisk());
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
      Settings settings,
      @Nullable TimeSource clock,
      Disk disk) {
    NodeOpening.Given given =
        new NodeOpening.Given(options, objects, random, settings, clock, disk);
    try {
      return NodeOpening.open(directory, given);
    } catch (ClusterException e) {
      if (e.reason() != Reason.NOT_A_MEMBER || options.isAdded()) {
        throw e;
      }
      // The cluster exists, and has this node no more: with an empty directory it can wait.
      return NodeOpening.open(directory, given.with(options.added()));
    }
  }

  /**
   * The operators' socket is open, and closed with the node.
   *
   * @param performed what operators ask for
   * @param socket the socket, if there is one
   */
  void serve(OperatorService performed, AutoCloseable socket) {
    service = performed;
    operators = socket;
  }

  /**
   * The shards of the node are open.
   *
   * @param copies those that it keeps
   * @param own what it says of placement
   * @param balancer evens the cluster
   * @param backups makes copies of all shards
   */
  void placed(NodeCopies copies, NodePlacement own, Balancer balancer, ClusterBackup backups) {
    placed =
        new Placed(
            copies,
            own,
            balancer,
            new MemberChanges(
                options.self(), book, operations, balancer, time, options.routeTimeout().toNanos()),
            backups);
  }

  private Placed placed() {
    Placed known = placed;
    if (known == null) {
      throw new IllegalStateException("The node is being opened.");
    }
    return known;
  }

  /** {@return what this node keeps, as the others ask for it} */
  NodePlacement placement() {
    return placed().own();
  }

  /** {@return what evens the cluster} */
  Balancer balancer() {
    return placed().balancer();
  }

  @Override
  public OperatorService operations() {
    return service;
  }

  ClusterOptions options() {
    return options;
  }

  /** {@return a shard of this node} */
  NodeShard shard(int number) {
    return shards.get(number);
  }

  /** {@return a shard that this node keeps; for tests} */
  KeptShard kept(int number) {
    return (KeptShard) shards.get(number);
  }

  /** {@return the operations of all shards; for tests} */
  ClusterOperations owners() {
    return operations;
  }

  /** {@return the check of segments; for tests} */
  SegmentCheck check() {
    return check;
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
    return new ClusterAdmin(operations, this::registered, open, time);
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
    requireOutside("back up the shards");
    requireOpen();
    return placed().backups().make(target);
  }

  @Override
  public RuntimeStatistics statistics() {
    return sum(open.runtimes().stream().map(ObjectRuntime::statistics).toList());
  }

  /** {@return the numbers of this node, with those of some shards} */
  RuntimeStatistics sum(List<RuntimeStatistics> ofShards) {
    return NodeStatistics.sum(
        closed.get() ? RuntimeState.CLOSED : RuntimeState.OPEN,
        time.monotonicNanos() - openedNanos,
        numbers.get(),
        ofShards);
  }

  @Override
  public Health health() {
    return health.health(closed.get());
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
    return topics.subscribe(topic, type, listener);
  }

  @Override
  public <T> Subscription subscribe(String topic, TypeRef<T> type, Consumer<? super T> listener) {
    requireOpen();
    return topics.subscribe(topic, type.type(), listener);
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
        book.copiesOf(shard.number()).stream().map(NodeId::name).sorted().toList(),
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
          "The node \"" + node + "\" is not a member; the members are " + members());
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
    placed().changes().add(member);
  }

  @Override
  public void remove(String node) {
    requireOutside("change the members");
    requireOpen();
    placed().changes().remove(node);
  }

  @Override
  public void replace(String member) {
    requireOutside("change the members");
    requireOpen();
    placed().changes().replace(member);
  }

  private static void requireOutside(String what) {
    if (OutsideCalls.isInObject()) {
      throw new IllegalStateException(
          "An object cannot " + what + " of its cluster: that may wait for its turn.");
    }
  }

  @Override
  public Optional<String> whyNotToStop() {
    requireOutside("look at the other nodes");
    requireOpen();
    return balancer().look().whyNotToStop(options.self());
  }

  @Override
  public void drain() {
    if (OutsideCalls.isInObject()) {
      throw new IllegalStateException(
          "An object cannot drain the node that runs it: the move would wait for its turn.");
    }
    requireOpen();
    placement().drain();
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
    AnsweringOwners owners = new AnsweringOwners(operations, work, time);
    while (book.waits()
        || !owners.allAnswer()
        || !shards.all().stream().allMatch(NodeShard::isReady)) {
      acquaintance.throwIfExpelled();
      if (TimeUnit.NANOSECONDS.convert(timeout) < time.monotonicNanos() - begun || closed.get()) {
        return false;
      }
      owners.pause();
    }
    return true;
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
    Placed open = placed;
    if (open != null) {
      close("a backup", open.backups());
      open.balancer().close();
      open.copies().close();
    }
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
