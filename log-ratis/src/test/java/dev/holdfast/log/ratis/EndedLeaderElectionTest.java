package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.Polling;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Elections of three nodes whose timeouts are longer than any test. */
final class EndedLeaderElectionTest {

  private static final Duration FOREVER = Duration.ofMinutes(5);

  @TempDir private Path directory;

  private ThreeNodes cluster;
  private OneShard shard;
  private int entries;

  @BeforeEach
  void elect() {
    cluster = ThreeNodes.open(directory, options -> options.withFailover(FOREVER));
    shard = new OneShard(cluster, 0);
    member(ThreeNodes.NAMES.getFirst()).election().stand();
    append("first");
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Until the leader has it: the others hear that it is accepted with the next heartbeat only. */
  private void append(String text) {
    NodeId leader = shard.leader();
    AtomicBoolean isRefused = new AtomicBoolean();
    shard
        .log(leader)
        .propose(
            ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)),
            () -> shard.watched.change(() -> isRefused.set(true)));
    shard.watched.await(text, () -> isRefused.get() || shard.replica(leader).has(text));
    assertThat(isRefused).isFalse();
  }

  private RatisDivision member(NodeId node) {
    return Objects.requireNonNull(cluster.node(node).member(0));
  }

  private void stand(NodeId node, RaftPeerId ended) {
    member(node).election().forget(ended, 0);
    member(node).election().stand(ended, 0);
  }

  private static RaftPeerId idOf(NodeId node) {
    return RaftPeerId.valueOf(node.name());
  }

  private List<NodeId> others(NodeId leader) {
    return ThreeNodes.NAMES.stream().filter(each -> !each.equals(leader)).toList();
  }

  @Test
  void shardHasAnotherLeaderOnceTheProcessOfItsLeaderHasEnded() {
    NodeId leader = shard.leader();
    shard.forget(leader);

    cluster.stop(leader);
    // It has ended its connections in order; those of a process that is killed are cut.
    others(leader).forEach(node -> cluster.node(node).endedLeaders().connectionEnded(idOf(leader)));

    append("second");
    assertThat(shard.leader()).isNotEqualTo(leader);
  }

  /** As in a network that is cut between two of three nodes. */
  @Test
  void memberThatAloneHasLostTheLeaderIsNotElected() {
    NodeId leader = shard.leader();
    NodeId lonely = others(leader).getFirst();
    long term = member(leader).term();

    stand(lonely, idOf(leader));

    // It asks for votes before votes, is refused, and follows again.
    while (member(lonely).leader() == null) {
      append("entry " + ++entries);
    }
    assertThat(ThreeNodes.NAMES).allMatch(node -> member(node).term() == term);
    assertThat(shard.leader()).isEqualTo(leader);
  }

  @Test
  void memberThatHearsAnotherLeaderDoesNotStand() {
    NodeId leader = shard.leader();
    NodeId follower = others(leader).getFirst();
    NodeId other = others(leader).getLast();
    long term = member(leader).term();

    stand(follower, idOf(other));
    stand(leader, idOf(follower));

    assertThat(member(follower).leader()).isEqualTo(idOf(leader));
    assertThat(member(follower).election().lacksLeader(idOf(other))).isFalse();
    assertThat(member(leader).election().lacksLeader(idOf(follower))).isFalse();
    append("second");
    assertThat(member(leader).term()).isEqualTo(term);
  }

  /** The votes are not split: each shard has an order, and orders differ. */
  @Test
  void eachMemberHasAnotherTurn() {
    NodeId leader = shard.leader();

    assertThat(others(leader))
        .extracting(node -> member(node).election().turn(idOf(leader)))
        .containsExactlyInAnyOrder(new EndedLeaders.Turn(0, 2), new EndedLeaders.Turn(1, 2));
  }

  @Test
  void addressThatListensRefusesNothing() {
    NodeId leader = shard.leader();
    InetSocketAddress address =
        Objects.requireNonNull(cluster.options(leader).members().get(leader));
    String text = address.getHostString() + ":" + address.getPort();
    assertThat(LogConnections.isRefused(text)).isFalse();

    shard.forget(leader);
    cluster.stop(leader);

    while (!LogConnections.isRefused(text)) {
      Polling.pause();
    }
  }
}
