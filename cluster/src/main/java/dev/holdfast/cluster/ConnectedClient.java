package dev.holdfast.cluster;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.call.CallRouter;
import dev.holdfast.cluster.call.EndpointOptions;
import dev.holdfast.cluster.call.RefusedCallers;
import dev.holdfast.cluster.call.RemoteCallOrder;
import dev.holdfast.cluster.call.WaitingCalls;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.LearntMembers;
import dev.holdfast.cluster.object.ClusterAdmin;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.ClusterNamespace;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.object.ClusterRecovery;
import dev.holdfast.cluster.object.NodeReferences;
import dev.holdfast.cluster.object.NodeReports;
import dev.holdfast.cluster.object.ShardService;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OpenShards;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.recovery.Backup;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.RegisteredNamespace;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** A client: the objects of all nodes, and none here. Thread-safe. */
final class ConnectedClient implements ClusterClient {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** How long a member may take to say which members there are. */
  private static final long REPORT_NANOS = 3_000_000_000L;

  private final TimeSource time;
  private final long openedNanos;
  private final LearntMembers members;
  private final CallEndpoint endpoint;
  private final MembersFollower follower;
  private final NodeCounters counters = new NodeCounters();
  private final NodeShards shards;
  private final OpenShards open = new OpenShards(); // never any
  private final Map<String, ClusterNamespace<?>> namespaces = new ConcurrentHashMap<>();
  private final ClusterOperations operations;
  private final ExecutorService work;
  private final List<AutoCloseable> closedInOrder;
  private final AtomicBoolean closed = new AtomicBoolean();

  private ConnectedClient(
      ClusterOptions options,
      EngineBuilder engine,
      Map<String, RegisteredNamespace<?>> registered,
      RandomGenerator random,
      OpenedParts parts) {
    NodeId self = options.clientName();
    SystemTimeSource clock = parts.add(new SystemTimeSource());
    this.time = clock;
    this.openedNanos = time.monotonicNanos();
    this.work =
        parts.add(
            Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("holdfast-client-", 0).factory()));
    this.members = new LearntMembers(options.addresses());
    this.endpoint =
        parts.add(
            CallEndpoint.ofClient(
                EndpointOptions.ofClient(
                    options.cluster(),
                    self,
                    random.nextLong(),
                    options.tls(),
                    options.plaintextOnAnyNetwork(),
                    options.failover()),
                members,
                time,
                new RefusedCallers(self, time)));
    NodeReferences references = new NodeReferences(namespaces::get);
    NodeReports reports =
        new NodeReports(
            self,
            references,
            work,
            () -> {
              throw new IllegalStateException("A client is asked nothing.");
            });
    this.follower =
        parts.add(
            new MembersFollower(
                self.name(),
                members,
                endpoint,
                node -> reports.at(node, endpoint, time, REPORT_NANOS),
                time,
                work,
                random.nextInt()));
    follower.connect(options.routeTimeout());
    members.onMissed(follower::missed);

    ShardMap map = new ShardMap(members.shards());
    RoutingTable table = new RoutingTable(map);
    follower.teach(table);
    this.shards = new NodeShards(map, self, table);
    WaitingCalls waiting = new WaitingCalls(self, random.nextLong());
    ClusterCalls calls =
        new ClusterCalls(
            follower::problem,
            shards,
            new CallRouter(self, members, table, endpoint, time, counters, options.routeTimeout()),
            waiting,
            engine.carriedCalls(),
            time,
            options.routeTimeout());
    this.operations =
        new ClusterOperations(
            calls,
            new ShardService(
                references, name -> registered(name).type(), null, (_, last, _) -> last),
            map,
            random::nextLong);
    RemoteCallOrder order = new RemoteCallOrder(work);
    registered.forEach(
        (name, each) ->
            namespaces.put(
                name, new ClusterNamespace<>(each, references, shards, calls, order, operations)));
    this.closedInOrder = List.of(follower, endpoint, table, work, clock);
  }

  /**
   * Connects a client; see {@link ClusterHoldfast#connect}.
   *
   * @param random must not be guessable
   */
  static ClusterClient connect(
      ClusterOptions options, Consumer<ClientRegistrar> objects, RandomGenerator random) {
    NodeId self = options.clientName();
    EngineBuilder engine =
        new EngineBuilder(registrar -> objects.accept(new Registered(registrar)));
    Map<String, RegisteredNamespace<?>> registered = engine.registered(random);
    if (options.tls() == null && !options.plaintextOnAnyNetwork()) {
      options
          .addresses()
          .forEach(
              (node, address) -> {
                if (!address.isUnresolved()) {
                  CallEndpoint.requireOfThisMachine(node, address);
                }
              });
    }
    try (OpenedParts parts = new OpenedParts()) {
      ConnectedClient client = new ConnectedClient(options, engine, registered, random, parts);
      parts.handOver();
      client.follower.begin();
      LOG.log(
          Level.DEBUG, "Client {0} has connected; the members are {1}.", self, client.members());
      return client;
    }
  }

  /** Registers interfaces as namespaces whose objects are elsewhere. */
  private record Registered(ObjectRegistrar registrar) implements ClientRegistrar {

    @Override
    public ClientRegistrar namespace(String name, Class<?> type, NamespaceOptions options) {
      add(name, type, options);
      return this;
    }

    private <T> void add(String name, Class<T> type, NamespaceOptions options) {
      registrar.namespace(
          name,
          type,
          _ -> {
            throw new IllegalStateException("A client runs no objects.");
          },
          options);
    }
  }

  private ClusterNamespace<?> registered(String name) {
    if (closed.get()) {
      throw new RuntimeClosedException();
    }
    return RegisteredNamespace.find(namespaces, name);
  }

  @Override
  @SuppressWarnings("unchecked") // compared just before
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    ClusterNamespace<?> found = registered(name);
    RegisteredNamespace.requireType(name, found.type(), type);
    return (ObjectNamespace<T>) found;
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
    return new HistoryUsage(0, 0, null);
  }

  @Override
  public RuntimeStatistics statistics() {
    Map<String, Long> clocks = new HashMap<>();
    endpoint.clocksAheadMillis().forEach((node, ahead) -> clocks.put(node.name(), ahead));
    return NodeStatistics.sum(
        closed.get() ? RuntimeState.CLOSED : RuntimeState.OPEN,
        time.monotonicNanos() - openedNanos,
        counters.snapshot(
            /* lagEntries= */ 0, /* lagBytes= */ 0, clocks, /* diskUsableBytes= */ -1),
        List.of());
  }

  @Override
  public Health health() {
    List<HealthReason> reasons = new ArrayList<>();
    if (closed.get()) {
      reasons.add(
          new HealthReason(
              HealthReason.RUNTIME_CLOSED,
              HealthState.DOWN,
              "The client is closed; connect another one."));
    } else {
      follower
          .problem()
          .ifPresent(
              why ->
                  reasons.add(new HealthReason(HealthReason.MEMBER_AWAY, HealthState.DOWN, why)));
      follower
          .certificateProblem()
          .ifPresent(
              why ->
                  reasons.add(
                      new HealthReason(HealthReason.CERTIFICATE, HealthState.DEGRADED, why)));
    }
    return Health.of(reasons);
  }

  @Override
  public List<BusyObject> busiest(int count, BusyBy by) {
    if (count < 1) {
      throw new IllegalArgumentException("The count must be positive: " + count);
    }
    return List.of();
  }

  @Override
  public List<String> members() {
    return members.nodes().stream().map(NodeId::name).toList();
  }

  @Override
  public List<ShardStatus> shards() {
    return shards.all().stream()
        .map(
            shard ->
                new ShardStatus(
                    shard.number(),
                    shard.ownership().map(known -> known.node().name()).orElse(null),
                    members.copiesOf(shard.number()).stream().map(NodeId::name).sorted().toList(),
                    shard.ownership().map(known -> known.epoch()).orElse(0L),
                    /* isOpenHere= */ false,
                    /* lastPosition= */ 0,
                    /* lag= */ null,
                    /* restorableSince= */ null,
                    /* failure= */ null,
                    /* isCatchingUp= */ false,
                    /* agreedVersion= */ 0))
        .toList();
  }

  @Override
  public boolean awaitReady(Duration timeout) throws InterruptedException {
    long begun = time.monotonicNanos();
    AnsweringOwners owners = new AnsweringOwners(operations, work, time);
    while (!closed.get()) {
      if (owners.allAnswer()) {
        return true;
      }
      if (TimeUnit.NANOSECONDS.convert(timeout) < time.monotonicNanos() - begun) {
        return false;
      }
      owners.pause();
    }
    return false;
  }

  @Override
  public Backup backup(Path target) {
    throw unsupported("makes no backup, because it has no data. Make it of a node");
  }

  @Override
  public <T> Subscription subscribe(String topic, Class<T> type, Consumer<? super T> listener) {
    throw withoutEvents();
  }

  @Override
  public <T> Subscription subscribe(String topic, TypeRef<T> type, Consumer<? super T> listener) {
    throw withoutEvents();
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      Class<T> type,
      ConsumerOptions options,
      EventHandler<T> handler) {
    throw withoutEvents();
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      TypeRef<T> type,
      ConsumerOptions options,
      EventHandler<T> handler) {
    throw withoutEvents();
  }

  private static ClusterException withoutEvents() {
    return unsupported("receives no events, because it runs no objects. Receive them on the nodes");
  }

  private static ClusterException unsupported(String what) {
    return new ClusterException(Reason.UNSUPPORTED, "A client of a cluster " + what + ".", null);
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    for (AutoCloseable each : closedInOrder) {
      try {
        each.close();
      } catch (Exception e) {
        LOG.log(Level.WARNING, "Closing a part of a client failed.", e);
      }
    }
  }

  /** {@return the endpoint; for tests} */
  CallEndpoint endpoint() {
    return endpoint;
  }

  /** {@return the operations of all shards; for tests} */
  ClusterOperations owners() {
    return operations;
  }
}
