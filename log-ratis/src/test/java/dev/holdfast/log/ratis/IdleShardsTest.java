package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.Polling;
import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLogBase;
import org.apache.ratis.util.AutoCloseableLock;
import org.apache.ratis.util.Timestamp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shards in which nothing is written: their members hear their leaders by shared heartbeats. */
final class IdleShardsTest {

  private static final int SHARDS = 5;

  @TempDir private static Path directory;

  private static ThreeNodes cluster;
  private static final List<OneShard> SHARDS_OPEN = new ArrayList<>();

  @BeforeAll
  static void openNodes() {
    cluster = ThreeNodes.open(directory);
    for (int i = 0; i < SHARDS; i++) {
      SHARDS_OPEN.add(new OneShard(cluster, i));
    }
  }

  @AfterAll
  static void closeNodes() {
    cluster.close();
  }

  private static RatisDivision member(NodeId node, int shard) {
    return Objects.requireNonNull(cluster.node(node).member(shard));
  }

  private static RaftPeerId idOf(NodeId node) {
    return RaftPeerId.valueOf(node.name());
  }

  /** Waits until a leader has long sent no heartbeat of Ratis to any member. */
  private static void awaitSilence(NodeId leader, int shard) {
    long silenceMillis = 4 * cluster.options(leader).failover().toMillis();
    while (member(leader, shard).appenders().stream()
        .anyMatch(
            each ->
                each.getFollower().getLastHeartbeatSendTime().elapsedTimeMs() < silenceMillis)) {
      Polling.pause();
    }
  }

  /**
   * What a follower hears.
   *
   * @param last the last entry of the leader
   */
  private record Heard(NodeId leader, NodeId follower, long term, long last) {

    boolean isHeard(int shard) {
      return member(follower, shard).hears(idOf(leader), term, last);
    }
  }

  /**
   * Waits until a follower has the last entry of its leader, and knows that it is accepted. On a
   * busy machine the leader may be replaced meanwhile: it is asked for again each time.
   */
  private static Heard awaitHeard(OneShard shard, int number) {
    while (true) {
      NodeId leader = shard.leader();
      NodeId follower = shard.follower();
      Heard heard =
          new Heard(
              leader,
              follower,
              member(follower, number).term(),
              member(leader, number).lastIndex());
      if (heard.isHeard(number)) {
        return heard;
      }
      Polling.pause();
    }
  }

  /** Ratis would have sent dozens of heartbeats, and members would stand for election without. */
  @Test
  void idleShardHasNoHeartbeatOfItsOwnAndKeepsItsLeader() {
    for (int i = 0; i < SHARDS; i++) {
      SHARDS_OPEN.get(i).append("entry " + i, 16);
    }
    NodeId leader = SHARDS_OPEN.getFirst().leader();
    long term = member(leader, 0).term();

    awaitSilence(leader, 0);

    assertThat(SHARDS_OPEN.getFirst().leader()).isEqualTo(leader);
    assertThat(member(leader, 0).term()).isEqualTo(term);
    assertThat(
            cluster
                .node(SHARDS_OPEN.getFirst().follower())
                .member(0)
                .hearsNoLeader(cluster.options(leader).failover()))
        .isFalse();
    SHARDS_OPEN.getFirst().append("after", 16);
  }

  /** Asks again each time, too. */
  private static void awaitRests(OneShard shard, int number) {
    while (!isFollowerResting(member(shard.follower(), number))
        || !member(shard.leader(), number).times().isLeaderResting()) {
      Polling.pause();
    }
  }

  private static boolean isFollowerResting(RatisDivision member) {
    AtomicReference<?> following = (AtomicReference<?>) RatisInternals.valueOf(member, "following");
    return following.get() instanceof Thread timer
        && LockSupport.getBlocker(timer) == member.times();
  }

  /** Both would look every failover, and a node has dozens of them. */
  @Test
  void threadsOfElectionsRestWhileAllAreHeard() {
    OneShard shard = SHARDS_OPEN.get(2);
    shard.append("entry", 16);
    awaitRests(shard, 2);
  }

  @Test
  void leaderOfAnIdleShardThatIsLostIsReplaced() {
    OneShard shard = SHARDS_OPEN.get(1);
    shard.append("before the loss", 16);
    awaitSilence(shard.leader(), 1);
    awaitRests(shard, 1);
    NodeId leader = shard.leader();

    shard.stop(leader);
    shard.append("after the loss", 16);

    long applied = shard.replica(leader).lastIndex();
    assertThat(shard.leader()).isNotEqualTo(leader);
    shard.start(leader, applied);
    shard.append("together again", 16);
    assertThat(shard.replica(leader).texts()).containsExactly("after the loss", "together again");
  }

  /** The thread that feeds it rests no longer: Ratis has to see when the member is back. */
  @Test
  void memberThatDoesNotAnswerGetsHeartbeatsOfRatis() {
    OneShard shard = SHARDS_OPEN.get(3);
    shard.append("entry", 16);
    NodeId leader = shard.leader();
    NodeId follower = shard.follower();
    awaitSilence(leader, 3);

    Timestamp stopped = Timestamp.currentTime();
    shard.stop(follower);

    while (member(leader, 3).appenders().stream()
        .map(RepeatingAppender::getFollower)
        .filter(each -> each.getId().equals(idOf(follower)))
        .noneMatch(each -> each.getLastHeartbeatSendTime().compareTo(stopped) > 0)) {
      Polling.pause();
    }
    assertThat(shard.leader()).isEqualTo(leader);
  }

  /** The entries have one of their own, of which Ratis does not say that it has ended. */
  @Test
  void connectionThatHasEndedIsMadeAgain() {
    OneShard shard = SHARDS_OPEN.get(2);
    shard.append("entry", 16);
    NodeId leader = shard.leader();
    awaitSilence(leader, 2);
    List<RepeatingAppender> appenders = member(leader, 2).appenders();

    for (RepeatingAppender each : appenders) {
      RatisInternals.set(each, "appendLogRequestObserver", null);
      each.getEventAwaitForSignal().signal(); // it waits for ten minutes otherwise
    }

    for (RepeatingAppender each : appenders) {
      while (RatisInternals.find(each, "appendLogRequestObserver") == null) {
        Polling.pause();
      }
    }
    assertThat(shard.leader()).isEqualTo(leader);
  }

  @Test
  void leaderOfAnIdleShardThatNobodyHearsStepsDown() {
    OneShard shard = SHARDS_OPEN.get(4);
    shard.append("entry", 16);
    awaitSilence(shard.leader(), 4);
    awaitRests(shard, 4);
    NodeId leader = shard.leader();

    ThreeNodes.NAMES.stream().filter(each -> !each.equals(leader)).forEach(shard::stop);

    while (member(leader, 4).times().isLeaderResting()) {
      Polling.pause(); // else it would look only when the rest has ended by itself
    }
    while (member(leader, 4).isLeader()) {
      Polling.pause();
    }
  }

  /** Only what Ratis would take for a heartbeat is one: the same leader, term and entries. */
  @Test
  void memberHearsOnlyTheLeaderThatItFollows() {
    OneShard shard = SHARDS_OPEN.get(2);
    shard.append("entry", 16);
    awaitSilence(shard.leader(), 2);
    Heard heard = awaitHeard(shard, 2);
    NodeId leader = heard.leader();
    NodeId follower = heard.follower();
    RatisDivision member = member(follower, 2);
    long term = heard.term();
    long last = heard.last();

    assertThat(member.hears(idOf(follower), term, last)).as("another leader").isFalse();
    assertThat(member.hears(idOf(leader), term - 1, last)).as("an earlier term").isFalse();
    assertThat(member.hears(idOf(leader), term + 1, last)).as("a later term").isFalse();
    assertThat(member.hears(idOf(leader), term, last + 1)).as("an entry it lacks").isFalse();
    assertThat(member.hears(idOf(leader), term, last - 1)).as("an entry too many").isFalse();
    assertThat(member(leader, 2).hears(idOf(leader), term, last)).as("a leader").isFalse();
  }

  /** The thread that answers reads all connections of the node. */
  @Test
  void memberHearsItsLeaderWhileALockOfItsLogIsHeld() throws Exception {
    OneShard shard = SHARDS_OPEN.get(2);
    shard.append("entry", 16);
    Heard known = awaitHeard(shard, 2);
    RatisDivision member = member(known.follower(), 2);
    RaftServer.Division division = (RaftServer.Division) RatisInternals.valueOf(member, "division");

    CompletableFuture<Boolean> heard;
    synchronized (division) {
      try (AutoCloseableLock _ = ((RaftLogBase) division.getRaftLog()).writeLock()) {
        heard = CompletableFuture.supplyAsync(() -> known.isHeard(2));
        assertThat(heard).succeedsWithin(Duration.ofSeconds(30));
      }
    }
    assertThat(heard.join()).isTrue();
  }

  @Test
  void noThreadOfRatisLooksForPauses() {
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(each -> each.getName().startsWith("JvmPauseMonitor"))) {
      Polling.pause(); // one that was stopped has perhaps not ended yet
    }
  }
}
