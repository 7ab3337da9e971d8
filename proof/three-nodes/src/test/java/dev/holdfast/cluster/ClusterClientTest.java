package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.cluster.call.CallOutcome;
import dev.holdfast.cluster.call.CallUnderWay;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.object.NodeService;
import dev.holdfast.cluster.object.ShardOperations;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.faults.TcpProxy;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.storage.ListOptions;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of three nodes with TLS. */
@Timeout(60)
class ClusterClientTest {

  private static final Duration READY = Duration.ofMinutes(1);

  /** What a client must never do. What is new is refused until {@code ClientRights} has it. */
  private static final Set<String> OF_MEMBERS =
      Set.of(
          "transfer",
          "addMember",
          "changeRules",
          "removeCopy",
          "dismissCopy",
          "segment",
          "position",
          "purgedSegments",
          "operate",
          "statistics",
          "status",
          "keep",
          "bringForward",
          "leave",
          "placement",
          "agree",
          "removeLost",
          "forget",
          "endAdditions");

  @TempDir private static Path directory;
  private static final Tally.Gate GATE = new Tally.Gate();
  private static ThreeNodes nodes;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("tallies", Tally.class, context -> new Tally.TallyObject(context, GATE));
  }

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, 6, ClusterClientTest::register);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static ClusterClient connect() {
    return connect(nodes.optionsOfClient("web"));
  }

  private static ClusterClient connect(ClusterOptions options) {
    return ClusterHoldfast.connect(options, objects -> objects.namespace("tallies", Tally.class));
  }

  /** As an application that knows nothing of clusters has them. */
  private static ObjectNamespace<Tally> tallies(ObjectRuntime runtime) {
    return runtime.namespace("tallies", Tally.class);
  }

  private static void assertReason(Reason reason, Runnable refused) {
    ClusterException why = catchThrowableOfType(ClusterException.class, refused::run);
    assertThat(why).as("%s", reason).isNotNull();
    assertThat(why.reason()).as(why.getMessage()).isEqualTo(reason);
  }

  @Test
  void objectsOfAllNodesAreCalled() throws Exception {
    for (String name : List.of("a", "b", "c")) { // no node may be without a shard by chance
      nodes.move(name.charAt(0) - 'a', name);
    }
    // One member is enough: the others are learnt.
    ClusterOptions options = nodes.optionsOfClient("web").members("b=" + nodes.addressOf("b"));
    try (ClusterClient client = connect(options)) {
      assertThat(client.awaitReady(READY)).isTrue();
      assertThat(client.members()).containsExactly("a", "b", "c");
      for (int i = 0; i < 30; i++) {
        Tally here = tallies(client).getByName("all" + i);
        assertThat(here.add()).isEqualTo(1);
        assertThat(tallies(nodes.get("c")).getByName("all" + i).count()).isEqualTo(1);
      }
      assertThat(client.shards())
          .hasSize(6)
          .allSatisfy(
              shard -> {
                assertThat(shard.owner()).isIn("a", "b", "c");
                assertThat(shard.epoch()).isPositive();
                assertThat(shard.isOpenHere()).isFalse();
              });
      ObjectStub<Tally> stub = tallies(client).stub("ordered");
      List<CompletableFuture<List<Integer>>> sent =
          IntStream.range(0, 50).mapToObj(i -> stub.async(tally -> tally.append(i))).toList();
      List<Integer> all = stub.blocking().append(50);
      sent.forEach(CompletableFuture::join);
      assertThat(all).containsExactlyElementsOf(IntStream.rangeClosed(0, 50).boxed().toList());
      assertThatThrownBy(() -> stub.blocking().fail())
          .isExactlyInstanceOf(IllegalStateException.class)
          .hasMessage("as asked");
      assertThat(client.health().state()).isEqualTo(HealthState.UP);
      assertThat(client.statistics().cluster().sent().returned()).isGreaterThan(80);
      assertThat(client.statistics().cluster().clockAheadMillis()).containsKeys("a", "b", "c");
      assertThat(client.statistics().state()).isEqualTo(RuntimeState.OPEN);
    }
  }

  @Test
  void objectsOfAllNodesAreListedAdministeredAndRestored() throws Exception {
    try (ClusterClient client = connect()) {
      List<ObjectId> ids =
          IntStream.range(0, 12).mapToObj(i -> tallies(client).idFromName("kept" + i)).toList();
      ids.forEach(id -> tallies(client).get(id).add());
      assertThat(tallies(client).list(ObjectListOptions.ALL.withLimit(1000)).items())
          .containsAll(ids);
      assertThat(tallies(client).alarms().pending(Optional.empty(), 5).items()).isEmpty();
      assertThat(tallies(client).alarms().abandoned(Optional.empty(), 5).items()).isEmpty();
      assertThat(tallies(client).alarms().rearm(ids.getFirst(), "x", Instant.now())).isFalse();
      assertThat(tallies(client).alarms().discard(ids.getFirst(), "x")).isFalse();

      ObjectAdmin admin = client.admin();
      ObjectId id = ids.getFirst();
      assertThat(admin.exists("tallies", id)).isTrue();
      assertThat(admin.size("tallies", id)).isPositive();
      assertThat(admin.keys("tallies", id, ListOptions.ALL)).containsExactly("count");
      assertThat(admin.tables("tallies", id)).isEmpty();
      assertThat(admin.versions("tallies")).isNotEmpty();
      assertThat(admin.migrateAll("tallies", MigrationOptions.DEFAULT).failed()).isZero();
      assertThat(admin.consumers()).isEmpty();
      assertThat(admin.removeConsumer("topic", "nobody")).isFalse();
      assertThat(admin.executions(Duration.ZERO, false)).isEmpty();
      admin.reset("tallies", id);
      admin.evict("tallies", id);

      ObjectRecovery past = client.recovery("tallies", id);
      String before = past.history(1).entries().getFirst().bookmark();
      assertThat(tallies(client).get(id).add()).isEqualTo(2);
      String after = past.history(1).entries().getFirst().bookmark();
      assertThat(past.diff(before, after)).isNotEmpty();
      assertThat(past.bookmarkForTime(Instant.now().minusSeconds(1))).isNotEmpty();
      admin.restoreNow("tallies", id, before);
      assertThat(tallies(client).get(id).count()).isEqualTo(1);
      assertThat(past.restorations()).isNotEmpty();
      past.restoreOnNextSession(after);
      assertThat(past.withdrawRestore()).isTrue();
      assertThat(admin.delete("tallies", id)).isTrue();
      assertThat(admin.exists("tallies", id)).isFalse();
    }
  }

  @Test
  void whatNeedsObjectsHereIsRefusedOrEmpty() {
    try (ClusterClient client = connect()) {
      assertReason(Reason.UNSUPPORTED, () -> client.backup(directory.resolve("backup")));
      assertReason(Reason.UNSUPPORTED, () -> client.subscribe("t", String.class, _ -> {}));
      assertReason(Reason.UNSUPPORTED, () -> client.consume("t", "c", String.class, _ -> {}));
      assertThat(client.busiest(3, BusyBy.CALLS)).isEmpty();
      assertThat(client.historyUsage().bytes()).isZero();
      assertThat(client.statistics().namespaces()).isEmpty();
    }
  }

  @Test
  void whatIsForMembersIsRefused() throws Exception {
    try (ClusterClient client = connect()) {
      assertThat(client.awaitReady(READY)).isTrue();
      ConnectedClient connected = (ConnectedClient) client;
      assertReason(Reason.NOT_ALLOWED, () -> connected.owners().of(0).transfer("a"));
      assertThatThrownBy(() -> connected.owners().of(0).removeCopy("a", 3))
          .hasMessageContaining(
              "Client web may not call removeCopy(java.lang.String,int) of $shard");
      Set<String> refused = new TreeSet<>();
      Stream.of(ShardOperations.class, NodeService.class)
          .flatMap(type -> Arrays.stream(type.getMethods()))
          .filter(method -> isRefused(connected, target(method), method))
          .forEach(method -> refused.add(method.getName()));
      assertThat(refused).isEqualTo(new TreeSet<>(OF_MEMBERS));
      assertThat(ReplicaSource.class.getMethods())
          .allSatisfy(method -> assertThat(isRefused(connected, "$copy", method)).isTrue());
      assertThat(nodes.get("a").members()).containsExactly("a", "b", "c");
    }
  }

  private static String target(Method method) {
    return method.getDeclaringClass() == NodeService.class ? "$node" : "$shard";
  }

  /** Without arguments: those of what is allowed are refused, too, for another reason. */
  private static boolean isRefused(ConnectedClient client, String target, Method method) {
    String text =
        method.getName()
            + Arrays.stream(method.getParameterTypes())
                .map(Class::getName)
                .collect(Collectors.joining(",", "(", ")"));
    CallUnderWay call =
        new CallUnderWay(
            target,
            ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null),
            text,
            List.of(),
            List.of(),
            List.of());
    CallOutcome outcome =
        client.endpoint().send(new NodeId("a"), call, 30_000_000_000L).outcome().join();
    return outcome instanceof CallOutcome.RefusedCall refused
        && refused.reason() == RefusalReason.NOT_ALLOWED;
  }

  @Test
  @SuppressWarnings("try") // closed in the middle
  void severalProcessesHaveOneName() throws Exception {
    try (ClusterClient one = connect();
        ClusterClient other = connect()) {
      CompletableFuture<Long> first = tallies(one).stub("shared1").async(Tally::hold);
      CompletableFuture<Long> second = tallies(other).stub("shared2").async(Tally::hold);
      GATE.held().acquire(2);
      try (ClusterClient third = connect()) {
        for (int i = 0; i < 12; i++) { // over connections to all nodes
          assertThat(tallies(third).getByName("other" + i).count()).isZero();
        }
      }
      one.close();
      assertUnknown(first);
      GATE.free().release(2);
      assertThat(second.join()).isEqualTo(1);
      assertThat(tallies(other).getByName("shared1").add()).isEqualTo(2);
    }
  }

  private static void assertUnknown(CompletableFuture<?> call) {
    assertThatThrownBy(call::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            ObjectUnavailableException.class,
            e -> assertThat(e.delivery()).isEqualTo(Delivery.UNKNOWN));
  }

  @Test
  void aClosedClientCallsNothing() {
    ClusterClient client = connect();
    ObjectNamespace<Tally> known = tallies(client);
    known.getByName("closed").add();
    client.close();
    client.close();
    assertThatThrownBy(() -> tallies(client)).isInstanceOf(RuntimeClosedException.class);
    assertThatThrownBy(() -> known.getByName("closed").add())
        .isInstanceOfSatisfying(
            ObjectUnavailableException.class,
            e -> assertThat(e.delivery()).isEqualTo(Delivery.NOT_DELIVERED));
    assertThat(client.health().state()).isEqualTo(HealthState.DOWN);
    assertThat(client.statistics().state()).isEqualTo(RuntimeState.CLOSED);
  }

  @Test
  void timeoutsAreTheCallersOwn() throws Exception {
    try (ClusterClient client = connect()) {
      int tries = 0;
      ObjectStub<Tally> stub;
      ObjectCallTimeoutException late;
      do { // on a busy machine the time may be over before the object is called
        stub = tallies(client).stub("late" + tries++); // the one before may be held nevertheless
        Tally soon = stub.withTimeout(Duration.ofMillis(300)).blocking();
        late = catchThrowableOfType(ObjectCallTimeoutException.class, soon::hold);
        assertThat(late).isNotNull();
      } while (!late.delivered());
      GATE.held().acquire();
      GATE.free().release(tries);
      assertThat(stub.blocking().add()).isEqualTo(2);
      GATE.held().drainPermits();
      GATE.free().drainPermits();
    }
  }

  @Test
  void aLostOwnerIsSaidAndAMovedOneIsFound() throws Exception {
    String[] behind = new String[3];
    TcpProxy[] proxies = new TcpProxy[3];
    List<String> names = List.of("a", "b", "c");
    for (int i = 0; i < 3; i++) {
      String address = nodes.addressOf(names.get(i));
      int colon = address.lastIndexOf(':');
      proxies[i] =
          new TcpProxy(
              new InetSocketAddress(
                  address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
      behind[i] = names.get(i) + "=127.0.0.1:" + proxies[i].address().getPort();
    }
    try (ClusterClient client = connect(nodes.optionsOfClient("web").members(behind))) {
      ObjectStub<Tally> stub = tallies(client).stub("moved");
      assertThat(stub.blocking().add()).isEqualTo(1);
      CompletableFuture<Long> held = stub.async(Tally::hold);
      GATE.held().acquire();
      for (TcpProxy each : proxies) {
        each.cutNow(); // the owner is gone, as the client sees it
      }
      assertUnknown(held);
      GATE.free().release();
      // It was withdrawn in vain: it had begun. It is not made again.
      assertThat(stub.blocking().add()).isEqualTo(3);

      int shard = shardOf(stub.id());
      for (String node : List.of("c", "a", "b")) {
        nodes.move(shard, node);
        assertThat(stub.blocking().add()).isPositive();
      }
      assertThat(stub.blocking().count()).isEqualTo(6);
      assertThat(client.shards().get(shard).owner()).isEqualTo("b");
    } finally {
      for (TcpProxy each : proxies) {
        each.close();
      }
    }
  }

  private static int shardOf(ObjectId id) {
    byte[] bytes = HexFormat.of().parseHex(id.toString());
    return new ShardMap(6).shardOf(ObjectId.of(bytes, null));
  }

  @Test
  void aClientThatDoesNotFitIsRefusedAtOnce() {
    assertReason(Reason.CERTIFICATE_NAME, () -> connect(nodes.optionsOfClient("d")));
    assertReason(
        Reason.CLUSTER_NAME,
        () ->
            connect(
                ClusterOptions.of("other")
                    .client("web")
                    .members("a=" + nodes.addressOf("a"))
                    .withTls(nodes.optionsOfClient("web").tls())));
    assertReason(
        Reason.INCARNATION,
        () -> connect(nodes.optionsOfClient("a").client("a").members("b=" + nodes.addressOf("b"))));
    assertReason(
        Reason.UNREACHABLE,
        () ->
            connect(
                nodes
                    .optionsOfClient("web")
                    .members("d=" + nodes.fourth().substring(2))
                    .withRouteTimeout(Duration.ofMillis(300))));
    assertReason(
        Reason.PLAINTEXT,
        () -> connect(ClusterOptions.of("test").client("web").members("a=192.0.2.1:7400")));
    for (ClusterOptions each :
        List.of(
            ClusterOptions.of("test").members("a=127.0.0.1:1"),
            ClusterOptions.of("test").client("web"),
            ClusterOptions.of("test").client("a").members("a=127.0.0.1:1"),
            ClusterOptions.of("test").client("web").node("a").members("a=127.0.0.1:1"))) {
      assertThatThrownBy(() -> connect(each)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(
            () ->
                ClusterHoldfast.open(
                    directory.resolve("none"),
                    nodes.optionsOfClient("web"),
                    ClusterClientTest::register))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
