package dev.holdfast.log.ratis;

import dev.holdfast.spi.log.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A shard of the three nodes, with a recording replica on each. Used by one thread. */
final class OneShard {

  final Watched watched = new Watched();

  private final ThreeNodes cluster;
  private final int number;
  private final Map<NodeId, RecordingReplica> replicas = new HashMap<>();
  private final Map<NodeId, RatisLog> logs = new HashMap<>();

  OneShard(ThreeNodes cluster, int number) {
    this.cluster = cluster;
    this.number = number;
    ThreeNodes.NAMES.forEach(node -> start(node, 0));
  }

  void start(NodeId node, long appliedIndex) {
    start(node, new RecordingReplica(watched, appliedIndex));
  }

  void start(NodeId node, RecordingReplica replica) {
    RatisLog log = cluster.node(node).log(number, replica::stopped);
    log.start(replica);
    replicas.put(node, replica);
    logs.put(node, log);
  }

  void stop(NodeId node) {
    Objects.requireNonNull(logs.remove(node)).close();
  }

  RecordingReplica replica(NodeId node) {
    return Objects.requireNonNull(replicas.get(node));
  }

  /** Waits no more for what a node does. */
  void forget(NodeId node) {
    logs.remove(node);
  }

  boolean isRunning(NodeId node) {
    return logs.containsKey(node);
  }

  RatisLog log(NodeId node) {
    return Objects.requireNonNull(logs.get(node));
  }

  private Optional<NodeId> anyLeader() {
    return logs.keySet().stream().filter(node -> replica(node).leads()).findFirst();
  }

  NodeId leader() {
    watched.await("a leader", () -> anyLeader().isPresent());
    return anyLeader().orElseGet(this::leader);
  }

  NodeId follower() {
    NodeId leader = leader();
    return logs.keySet().stream().filter(node -> !node.equals(leader)).findFirst().orElseThrow();
  }

  LogStoppedException awaitStop(NodeId node) {
    watched.await("a stop of " + node, () -> replica(node).stop() != null);
    return Objects.requireNonNull(replica(node).stop());
  }

  /** Proposes an entry of a length until every node that runs has it. */
  void append(String text, int bytes) {
    byte[] padded = new byte[Math.max(16, bytes)];
    Arrays.fill(padded, (byte) ' ');
    byte[] start = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(start, 0, padded, 0, start.length);
    RecordingReplica proposer;
    do {
      NodeId leader = leader();
      proposer = replica(leader);
      AtomicBoolean isRefused = new AtomicBoolean();
      log(leader).propose(ByteBuffer.wrap(padded), () -> watched.change(() -> isRefused.set(true)));
      RecordingReplica asked = proposer;
      watched.await(text, () -> isRefused.get() || asked.has(text));
    } while (!proposer.has(text));
    watched.await(
        text + " everywhere",
        () -> logs.keySet().stream().allMatch(node -> replica(node).has(text)));
  }
}
