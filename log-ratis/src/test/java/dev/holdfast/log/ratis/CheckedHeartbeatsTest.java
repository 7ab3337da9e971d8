package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.UUID;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.Test;

/** What a follower believes of a heartbeat. */
final class CheckedHeartbeatsTest {

  private static final RaftGroupId SHARD = RaftGroupId.valueOf(new UUID(1, 2));
  private static final RaftGroupId NOT_OPEN = RaftGroupId.valueOf(new UUID(1, 3));

  /** The log of a node that led in term 32, was paused, and has not written the next one's. */
  private final Map<Long, TermIndex> log =
      Map.of(6L, TermIndex.valueOf(31, 6), 7L, TermIndex.valueOf(32, 7));

  private final CheckedHeartbeats heartbeats =
      new CheckedHeartbeats(
          group ->
              group.equals(SHARD)
                  ? (RaftLog)
                      Proxy.newProxyInstance(
                          RaftLog.class.getClassLoader(),
                          new Class<?>[] {RaftLog.class},
                          (_, _, arguments) -> log.get((Long) arguments[0]))
                  : null);

  private static AppendEntriesRequestProto heartbeat(
      RaftGroupId shard, long previousTerm, long previous) {
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(shard.toByteString())))
        .setLeaderTerm(33)
        .setPreviousLog(
            TermIndexProto.newBuilder().setTerm(previousTerm).setIndex(previous).build())
        .setLeaderCommit(7)
        .build();
  }

  @Test
  void heartbeatThatFollowsAnEntryOfTheLogIsBelieved() {
    AppendEntriesRequestProto request = heartbeat(SHARD, 31, 6);

    assertThat(heartbeats.checked(request)).isSameAs(request);
  }

  @Test
  void entryOfADeposedLeaderIsNotTakenForAccepted() {
    AppendEntriesRequestProto checked = heartbeats.checked(heartbeat(SHARD, 33, 7));

    assertThat(checked.getLeaderCommit()).isZero();
    assertThat(checked.toBuilder().setLeaderCommit(7).build()).isEqualTo(heartbeat(SHARD, 33, 7));
  }

  @Test
  void entryThatIsNotThereIsNotTakenForAccepted() {
    assertThat(heartbeats.checked(heartbeat(SHARD, 33, 8)).getLeaderCommit()).isZero();
    assertThat(heartbeats.checked(heartbeat(NOT_OPEN, 31, 6)).getLeaderCommit()).isZero();
  }

  /** What is accepted counts when they are written, and those before them. */
  @Test
  void entriesAreLeftAsTheyAre() {
    AppendEntriesRequestProto request =
        heartbeat(SHARD, 33, 7).toBuilder()
            .addEntries(LogEntryProto.newBuilder().setTerm(33).setIndex(8))
            .build();

    assertThat(heartbeats.checked(request)).isSameAs(request);
  }
}
