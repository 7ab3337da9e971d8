package dev.holdfast.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What an owner refuses, and that a change can be repeated. */
final class ShardMembersTest {

  private static final NodeId A = new NodeId("a");

  private final Set<NodeId> away = new HashSet<>();
  private final Set<NodeId> admitted = new HashSet<>();

  private final class Known implements ShardMembers.Peers {

    @Override
    public NodeId self() {
      return A;
    }

    @Override
    public void admit(NodeId node, InetSocketAddress address) {
      admitted.add(node);
      if (away.contains(node)) {
        throw new ClusterException(Reason.UNREACHABLE, "It does not run.", null);
      }
    }

    @Override
    public void keep(NodeId node, int shard) {}

    @Override
    public void bringForward(NodeId node, int shard) {}

    @Override
    public void leave(NodeId node, int shard, Configuration agreed) {}

    @Override
    public int copiesWanted() {
      return 4;
    }

    @Override
    public void dismiss(NodeId node) {
      admitted.remove(node);
    }

    @Override
    public boolean isPresent(NodeId node) {
      return !away.contains(node);
    }
  }

  private ReplicatedLog log(String... members) {
    SimulatedLog shard =
        SimulatedLog.reliable(Runnable::run).keptBy(Stream.of(members).map(NodeId::new).toList());
    ReplicatedLog log = shard.on(A);
    log.start(
        new Replica() {
          @Override
          public OptionalLong appliedIndex() {
            return OptionalLong.empty();
          }

          @Override
          public void apply(long index, ByteBuffer entry) {}

          @Override
          public void mayLead(boolean yes) {}
        });
    return log;
  }

  private ShardMembers members(ReplicatedLog log) {
    return new ShardMembers(0, log, new Known(), Set::of);
  }

  private static MemberAddress member(String name) {
    return MemberAddress.parse(name + "=127.0.0.1:" + (7400 + 2 * (name.charAt(0) - 'd')));
  }

  private static void assertRefused(ThrowingCallable change, Reason reason) {
    assertThatThrownBy(change)
        .isInstanceOfSatisfying(
            ClusterException.class, thrown -> assertThat(thrown.reason()).isEqualTo(reason));
  }

  /** It would be closed for seconds before it shows that the node cannot take it. */
  @Test
  void shardMovesOnlyToANodeWithACopy() {
    ShardMembers members = members(log("a", "b", "c"));
    members.requireCopyOn(new NodeId("b"));
    assertRefused(() -> members.requireCopyOn(new NodeId("d")), Reason.NOT_MOVED);
  }

  @Test
  void changesAreMadeOnceAndCanBeRepeated() {
    ReplicatedLog log = log("a", "b", "c");
    ShardMembers members = members(log);
    members.add(member("d"));
    members.add(member("d"));
    assertThat(members.names()).containsExactly("a", "b", "c", "d");
    assertThat(log.configuration().members().get(new NodeId("d"))).isEqualTo("127.0.0.1:7401");
    assertThat(members.removeCopy(A, 3)).as("its own node").isFalse();
    assertThat(members.removeCopy(new NodeId("c"), 3)).isTrue();
    assertThat(members.removeCopy(new NodeId("c"), 3)).isTrue();
    assertThat(members.names()).containsExactly("a", "b", "d");
  }

  /** What answers there would acknowledge in the name of the member. */
  @Test
  void addressOfAMemberIsRefused() {
    ReplicatedLog log = log("a", "b", "c");
    members(log).add(member("d"));
    assertRefused(() -> members(log).add(MemberAddress.parse("x=127.0.0.1:7400")), Reason.NODE_ID);
    assertThat(admitted).containsExactly(new NodeId("d"));
  }

  @Test
  void clusterHasThreeToFiveMembers() {
    assertRefused(
        () -> members(log("a", "b", "c")).removeCopy(new NodeId("c"), 3), Reason.MEMBER_COUNT);
    assertRefused(
        () -> members(log("a", "b", "c", "d", "e")).add(member("f")), Reason.MEMBER_COUNT);
    assertThat(admitted).isEmpty();
    ShardMembers one = members(log("a"));
    one.add(member("b"));
    one.add(member("c"));
    assertThat(one.names()).containsExactly("a", "b", "c");
  }

  @Test
  void changeThatWouldWaitForAMajorityIsRefused() {
    away.addAll(List.of(new NodeId("b"), new NodeId("c")));
    assertRefused(() -> members(log("a", "b", "c")).add(member("d")), Reason.NO_MAJORITY);
    assertRefused(
        () -> members(log("a", "b", "c", "d")).removeCopy(new NodeId("d"), 3), Reason.NO_MAJORITY);
    assertRefused(() -> members(log("a", "b", "x", "y")).add(member("c")), Reason.UNREACHABLE);
    assertThat(admitted).as("those that were not added").isEmpty();
    assertThat(members(log("a", "b", "x", "y")).removeCopy(new NodeId("b"), 3)).isTrue();
  }

  @Test
  void changeThatTheLogGivesUpIsToBeRepeated() {
    ReplicatedLog log = log("a", "b", "c");
    Configuration before = log.configuration();
    log.change(before, before.with(new NodeId("x"), "x:1")).join();
    assertThatThrownBy(() -> log.change(before, before.with(new NodeId("y"), "y:1")).join())
        .hasRootCauseMessage("The log gave the change up. Repeat it");
  }
}
