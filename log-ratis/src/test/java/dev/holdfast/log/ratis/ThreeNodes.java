package dev.holdfast.log.ratis;

import dev.holdfast.faults.FreePorts;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Nodes "a", "b" and "c" in this process, on free ports of the loopback address. */
final class ThreeNodes implements AutoCloseable {

  static final List<NodeId> NAMES = List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));

  static final NodeId FOURTH = new NodeId("d");

  private final InetSocketAddress fourth;
  private final Path directory;
  private final Map<NodeId, InetSocketAddress> members;
  private final UnaryOperator<RatisOptions> change;
  private final Map<NodeId, RatisNode> nodes = new HashMap<>();

  private ThreeNodes(Path directory, UnaryOperator<RatisOptions> change) {
    this.directory = directory;
    Map<NodeId, InetSocketAddress> free = freeAddresses();
    this.fourth = Objects.requireNonNull(free.remove(FOURTH));
    this.members = Map.copyOf(free);
    this.change = change;
  }

  static ThreeNodes open(Path directory) {
    return open(directory, UnaryOperator.identity());
  }

  static ThreeNodes open(Path directory, UnaryOperator<RatisOptions> change) {
    ThreeNodes opened = new ThreeNodes(directory, change);
    NAMES.forEach(opened::start);
    return opened;
  }

  /** Opens node "d", which is no member of any shard. */
  void startFourth() {
    Map<NodeId, InetSocketAddress> others = new HashMap<>(members);
    others.put(FOURTH, fourth);
    RatisOptions added =
        RatisOptions.onLoopback("test", FOURTH, directory.resolve(FOURTH.name()), others)
            .withFailover(Duration.ofMillis(600));
    nodes.put(FOURTH, RatisNode.open(added.asAdded()));
  }

  /** {@return where the logs reach node "d"} */
  String addressOfFourth() {
    return fourth.getHostString() + ":" + fourth.getPort();
  }

  /** {@return addresses of the three nodes, and of the fourth, that nothing listens on} */
  private static Map<NodeId, InetSocketAddress> freeAddresses() {
    try {
      List<Integer> ports = FreePorts.pairs(NAMES.size() + 1);
      Map<NodeId, InetSocketAddress> addresses = new HashMap<>();
      NAMES.forEach(node -> addresses.put(node, at(ports.get(NAMES.indexOf(node)))));
      addresses.put(FOURTH, at(ports.getLast()));
      return addresses;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  RatisOptions options(NodeId node) {
    return change.apply(
        RatisOptions.onLoopback("test", node, directory.resolve(node.name()), members)
            .withFailover(Duration.ofMillis(600)));
  }

  void start(NodeId node) {
    nodes.put(node, RatisNode.open(options(node)));
  }

  RatisNode node(NodeId node) {
    return Objects.requireNonNull(nodes.get(node));
  }

  void stop(NodeId node) {
    Objects.requireNonNull(nodes.remove(node)).close();
  }

  @Override
  public void close() {
    nodes.values().parallelStream().forEach(RatisNode::close); // each takes a second or two
  }
}
