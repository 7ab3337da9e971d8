package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.tls.CertificateAuthority;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.faults.Polling;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The nodes a, b and c of a cluster, and d, which can be added, with real sockets, TLS and a real
 * log, in one process. There is a certificate for a client, web.
 */
final class ThreeNodes implements AutoCloseable {

  private static final Duration READY = Duration.ofMinutes(2);

  /** With less, a busy machine costs shards their owners in the middle of a test. */
  private static final Duration FAILOVER = Duration.ofSeconds(2);

  private static final Duration VALID = Duration.ofDays(1);

  private final Path directory;
  private final Consumer<ObjectRegistrar> objects;
  private final String[] members;
  private final String addressOfFourth;
  private final int shards;
  private final ClusterNode.Settings settings;
  private final Map<String, ClusterRuntime> open = new TreeMap<>();

  private ThreeNodes(
      Path directory,
      int shards,
      Consumer<ObjectRegistrar> objects,
      String[] members,
      String addressOfFourth,
      ClusterNode.Settings settings) {
    this.directory = directory;
    this.objects = objects;
    this.members = members;
    this.addressOfFourth = addressOfFourth;
    this.shards = shards;
    this.settings = settings;
  }

  /** Opens the nodes, and waits until each shard has an owner that all of them know. */
  static ThreeNodes open(Path directory, Consumer<ObjectRegistrar> objects) throws Exception {
    return open(directory, 3, objects);
  }

  /** Opens the nodes, and waits until each shard has an owner that all of them know. */
  static ThreeNodes open(Path directory, int shards, Consumer<ObjectRegistrar> objects)
      throws Exception {
    return open(prepare(directory, shards, objects, ClusterNode.Settings.DEFAULT));
  }

  /** Opens the nodes as {@link #open(Path, Consumer)} does, with logs of another size. */
  static ThreeNodes open(
      Path directory, Consumer<ObjectRegistrar> objects, ClusterNode.Settings settings)
      throws Exception {
    return open(prepare(directory, 3, objects, settings));
  }

  /** Opens the nodes with another number of shards, and other sizes. */
  static ThreeNodes open(
      Path directory, int shards, Consumer<ObjectRegistrar> objects, ClusterNode.Settings settings)
      throws Exception {
    return open(prepare(directory, shards, objects, settings));
  }

  private static ThreeNodes open(ThreeNodes nodes) throws InterruptedException {
    try {
      List.of("a", "b", "c").forEach(nodes::openNode);
      nodes.awaitReady();
    } catch (Throwable e) {
      nodes.close();
      throw e;
    }
    return nodes;
  }

  /** Makes certificates and addresses, and opens no node. */
  static ThreeNodes prepare(Path directory, int shards, Consumer<ObjectRegistrar> objects)
      throws Exception {
    return prepare(directory, shards, objects, ClusterNode.Settings.DEFAULT);
  }

  /** Makes certificates and addresses, and opens no node, which will have other sizes. */
  static ThreeNodes prepare(
      Path directory, int shards, Consumer<ObjectRegistrar> objects, ClusterNode.Settings settings)
      throws Exception {
    List<Integer> ports = FreePorts.pairs(4);
    List<String> members = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      members.add(name + "=127.0.0.1:" + ports.get(members.size()));
    }
    Instant now = Instant.now();
    CertificateAuthority authority = CertificateAuthority.of("test", now, now.plus(VALID));
    for (String name : List.of("a", "b", "c", "d", "web")) {
      authority.write(directory, name, now, now.plus(VALID));
    }
    return new ThreeNodes(
        directory,
        shards,
        objects,
        members.toArray(String[]::new),
        "127.0.0.1:" + ports.getLast(),
        settings);
  }

  void openNode(String name) {
    openNode(name, UnaryOperator.identity());
  }

  void openNode(String name, ClusterNode.Settings sizes) {
    openNode(name, UnaryOperator.identity(), sizes, new FileDisk());
  }

  void openNode(String name, UnaryOperator<ClusterOptions> changed) {
    openNode(name, changed, settings, new FileDisk());
  }

  /** Opens a node with other sizes, whose files are on a disk of the test. */
  void openNode(String name, ClusterNode.Settings sizes, Disk disk) {
    openNode(name, UnaryOperator.identity(), sizes, disk);
  }

  private void openNode(
      String name, UnaryOperator<ClusterOptions> changed, ClusterNode.Settings sizes, Disk disk) {
    open.put(
        name,
        ClusterNode.open(
            directoryOf(name),
            changed.apply(options(name)),
            objects,
            new SecureRandom(),
            sizes,
            null,
            disk));
  }

  /** {@return the options of node d, which waits until it is added} */
  ClusterOptions optionsOfFourth(String cluster) {
    return options(cluster, "d").node("d", addressOfFourth);
  }

  /** Opens node d, which waits until it is added. */
  ClusterRuntime openFourth() {
    ClusterRuntime fourth =
        ClusterHoldfast.open(directoryOf("d"), optionsOfFourth("test"), objects);
    open.put("d", fourth);
    return fourth;
  }

  /** Opens node d, whose files are on a disk of the test. */
  void openFourth(Disk disk) {
    openNode("d", _ -> optionsOfFourth("test"), settings, disk);
  }

  /** {@return the options of node a in a cluster of one} */
  ClusterOptions alone() {
    return options("a").members("a=" + addressOf("a"));
  }

  /** {@return where one of the first nodes takes calls} */
  String addressOf(String name) {
    InetSocketAddress address = options(name).addresses().get(new NodeId(name));
    if (address == null) {
      throw new IllegalArgumentException(name + " is not a member");
    }
    return address.getHostString() + ":" + address.getPort();
  }

  Consumer<ObjectRegistrar> objects() {
    return objects;
  }

  /** {@return node d, as it is added} */
  String fourth() {
    return "d=" + addressOfFourth;
  }

  ClusterOptions options(String name) {
    return options("test", name);
  }

  ClusterOptions options(String cluster, String name) {
    return ClusterOptions.of(cluster)
        .node(name)
        .members(members)
        .withShards(shards)
        .withTls(tls(name))
        .withBalancing(false)
        .withFailover(FAILOVER);
  }

  private TlsFiles tls(String name) {
    return TlsFiles.of(
        directory.resolve(name + ".pem"),
        directory.resolve(name + ".key"),
        directory.resolve("ca.pem"));
  }

  /** {@return the options of the client web, with the certificate of a name} */
  ClusterOptions optionsOfClient(String certificate) {
    return ClusterOptions.of("test").client("web").members(members).withTls(tls(certificate));
  }

  Path directoryOf(String name) {
    return directory.resolve(name);
  }

  void awaitReady() throws InterruptedException {
    for (Map.Entry<String, ClusterRuntime> each : open.entrySet()) {
      if (!each.getValue().awaitReady(READY)) {
        throw new AssertionError(each.getKey() + " is not ready: " + each.getValue().shards());
      }
    }
  }

  /** A follower hears a little later that a majority has the last entry. */
  void awaitAllAlike() {
    while (open.values().stream()
            .map(node -> node.shards().stream().map(ShardStatus::lastPosition).toList())
            .distinct()
            .count()
        > 1) {
      Polling.pause();
    }
  }

  ClusterRuntime get(String name) {
    ClusterRuntime found = open.get(name);
    if (found == null) {
      throw new IllegalArgumentException(name + " is closed");
    }
    return found;
  }

  List<String> names() {
    return List.copyOf(open.keySet());
  }

  /** Moves a shard, again and again: on a busy machine a move may take too long. */
  void move(int shard, String node) {
    move(get(node), shard, node);
  }

  /** Moves a shard as {@link #move(int, String)} does, from any node. */
  static void move(ClusterRuntime asked, int shard, String node) {
    untilMoved(() -> asked.transfer(shard, node));
  }

  /** Drains a node, again and again: it says which shards it keeps, and to repeat it. */
  static void drain(ClusterRuntime node) {
    untilMoved(node::drain);
  }

  private static void untilMoved(Runnable move) {
    while (true) {
      try {
        move.run();
        return;
      } catch (ClusterException e) {
        assertThat(e.reason()).isEqualTo(ClusterException.Reason.NOT_MOVED);
      }
    }
  }

  /** A log may give a change up, as on a machine that is too busy: it says to repeat it. */
  static void untilChanged(Runnable change) {
    while (true) {
      try {
        change.run();
        return;
      } catch (ClusterException e) {
        assertThat(e.reason())
            .as(e.getMessage())
            .isIn(ClusterException.Reason.NOT_CHANGED, ClusterException.Reason.NO_MAJORITY);
      }
    }
  }

  /**
   * Adds once to a count that nobody else changes, though the outcome of a call may be unknown when
   * owners change.
   */
  static long addedOnce(LongSupplier add, LongSupplier count, long before) {
    long now = before;
    while (now == before) {
      try {
        now = add.getAsLong();
      } catch (InstanceResetException | ObjectUnavailableException e) {
        now = known(count);
      }
    }
    return now;
  }

  /** {@return what an owner answers, perhaps the next one} */
  static long known(LongSupplier count) {
    while (true) {
      try {
        return count.getAsLong();
      } catch (InstanceResetException | ObjectUnavailableException e) {
        Polling.pause(); // the next owner opens
      }
    }
  }

  void closeNode(String name) {
    get(name).close();
    open.remove(name);
  }

  @Override
  public void close() {
    open.values().forEach(ClusterRuntime::close);
    open.clear();
  }
}
