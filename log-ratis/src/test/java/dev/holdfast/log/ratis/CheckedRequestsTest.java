package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a follower makes of the requests of leaders. */
final class CheckedRequestsTest {

  private static final RaftGroupId SHARD = RaftGroupId.valueOf(new UUID(1, 2));
  private static final RaftGroupId NOT_OPEN = RaftGroupId.valueOf(new UUID(1, 3));

  /** The log of a node that led in term 32, was paused, and has not written the next one's. */
  private final Map<Long, TermIndex> log =
      Map.of(
          4L, TermIndex.valueOf(29, 4), 6L, TermIndex.valueOf(31, 6), 7L, TermIndex.valueOf(32, 7));

  private final List<RaftPeerId> ended = new ArrayList<>();
  private boolean isIdle = true;
  private long term = 33;

  private final CheckedRequests requests =
      new CheckedRequests(group -> group.equals(SHARD) ? new Paused() : null, ended::add);

  private final class Paused implements CheckedRequests.Follower {

    @Override
    public @Nullable TermIndex termOf(long index) {
      return log.get(index);
    }

    @Override
    public long snapshotIndex() {
      return 5;
    }

    @Override
    public long term() {
      return term;
    }

    @Override
    public boolean isIdle() {
      return isIdle;
    }
  }

  private static AppendEntriesRequestProto.Builder first(RaftGroupId shard) {
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(shard.toByteString())))
        .setLeaderTerm(33)
        .setLeaderCommit(7);
  }

  private static AppendEntriesRequestProto heartbeat(
      RaftGroupId shard, long previousTerm, long previous) {
    return first(shard)
        .setPreviousLog(
            TermIndexProto.newBuilder().setTerm(previousTerm).setIndex(previous).build())
        .build();
  }

  private static AppendEntriesRequestProto entry(AppendEntriesRequestProto of, long index) {
    return of.toBuilder()
        .addEntries(LogEntryProto.newBuilder().setTerm(33).setIndex(index))
        .build();
  }

  private long believed(AppendEntriesRequestProto request) {
    AppendEntriesRequestProto believed = requests.believed(request);
    assertThat(believed.toBuilder().setLeaderCommit(7).build()).isEqualTo(request);
    return believed.getLeaderCommit();
  }

  @Test
  void heartbeatThatFollowsAnEntryOfTheLogIsBelieved() {
    assertThat(believed(heartbeat(SHARD, 31, 6))).isEqualTo(7);
    assertThat(believed(heartbeat(SHARD, 30, 5))).as("an entry that was dropped").isEqualTo(7);
    assertThat(believed(heartbeat(SHARD, 30, 4))).as("another one in its place").isEqualTo(7);
  }

  @Test
  void entryOfADeposedLeaderIsNotTakenForAccepted() {
    assertThat(believed(heartbeat(SHARD, 33, 7))).isEqualTo(-1);
  }

  @Test
  void entryThatIsNotThereIsNotTakenForAccepted() {
    assertThat(believed(heartbeat(SHARD, 33, 8))).isEqualTo(-1);
    assertThat(believed(heartbeat(NOT_OPEN, 31, 6))).isEqualTo(-1);
    assertThat(believed(first(SHARD).build())).as("nothing is compared").isEqualTo(-1);
  }

  @Test
  void heartbeatIsNotBelievedWhileSomethingIsWritten() {
    isIdle = false;

    assertThat(believed(heartbeat(SHARD, 31, 6))).isEqualTo(-1);
  }

  /** What is accepted counts when they are written, and those before them. */
  @Test
  void entriesSayWhatIsAcceptedUpToTheLastOfThem() {
    assertThat(believed(entry(heartbeat(SHARD, 33, 7), 8))).isEqualTo(7);
    assertThat(believed(entry(first(SHARD).build(), 0))).isZero();
  }

  @Test
  void entriesAreWrittenOnlyIfTheLogHasWhatTheyFollow() {
    assertThat(requests.isValid(entry(heartbeat(SHARD, 31, 6), 7))).isTrue();
    assertThat(requests.isValid(entry(heartbeat(SHARD, 30, 5), 6))).isTrue();
    assertThat(requests.isValid(entry(first(SHARD).build(), 0))).isTrue();

    assertThat(requests.isValid(entry(heartbeat(SHARD, 33, 7), 8))).isFalse();
    assertThat(requests.isValid(entry(heartbeat(SHARD, 33, 8), 9))).isFalse();
  }

  @Test
  void entriesOfADeposedLeaderAreNotWritten() {
    term = 34;

    assertThat(requests.isValid(entry(heartbeat(SHARD, 31, 6), 7))).isFalse();
  }

  /** A call on which a leader sends. */
  private static final class Call
      extends ServerCall<AppendEntriesRequestProto, AppendEntriesReplyProto> {

    @Override
    public MethodDescriptor<AppendEntriesRequestProto, AppendEntriesReplyProto>
        getMethodDescriptor() {
      return RaftServerProtocolServiceGrpc.getAppendEntriesMethod();
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(AppendEntriesReplyProto message) {}

    @Override
    public void close(Status status, Metadata trailers) {}

    @Override
    public boolean isCancelled() {
      return false;
    }
  }

  private ServerCall.Listener<AppendEntriesRequestProto> call() {
    return requests.interceptCall(
        new Call(), new Metadata(), (_, _) -> new ServerCall.Listener<>() {});
  }

  private static AppendEntriesRequestProto from(String leader) {
    AppendEntriesRequestProto.Builder request = first(SHARD);
    request.getServerRequestBuilder().setRequestorId(ByteString.copyFromUtf8(leader));
    return request.build();
  }

  @Test
  void connectionOfALeaderThatIsCutIsReported() {
    ServerCall.Listener<AppendEntriesRequestProto> cut = call();
    cut.onMessage(from("a"));
    cut.onMessage(from("a"));
    assertThat(ended).isEmpty();

    cut.onCancel();

    assertThat(ended).containsExactly(RaftPeerId.valueOf("a"));
  }

  @Test
  void connectionThatALeaderEndsIsNot() {
    ServerCall.Listener<AppendEntriesRequestProto> completed = call();
    completed.onMessage(from("a"));
    completed.onHalfClose();
    completed.onComplete();
    call().onCancel(); // nobody has sent on it

    assertThat(ended).isEmpty();
  }
}
