package dev.holdfast.log.ratis;

import java.util.function.Function;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * Lets a heartbeat say what is accepted only if the log of the follower has the entry that the
 * heartbeat follows. Ratis 3.3.0 is content if that entry is about to be written: then the log may
 * still have entries in these places that a deposed leader has written and nobody else, and applies
 * them. A node that was paused as the leader did so. Without the say of a heartbeat the next one
 * has it. Thread-safe.
 */
final class CheckedHeartbeats implements ServerInterceptor {

  private static final String CHECKED = "appendEntries";

  private final Function<RaftGroupId, @Nullable RaftLog> logs;

  /**
   * Creates the check.
   *
   * @param logs the log of a shard; null if it is not open
   */
  CheckedHeartbeats(Function<RaftGroupId, @Nullable RaftLog> logs) {
    this.logs = logs;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    ServerCall.Listener<Q> listener = next.startCall(call, headers);
    if (!CHECKED.equals(call.getMethodDescriptor().getBareMethodName())) {
      return listener;
    }
    return new SimpleForwardingServerCallListener<>(listener) {
      @Override
      @SuppressWarnings("unchecked") // the same type as before
      public void onMessage(Q message) {
        super.onMessage(
            message instanceof AppendEntriesRequestProto request ? (Q) checked(request) : message);
      }
    };
  }

  /** {@return the request, without what is accepted if the log cannot know that it has it} */
  AppendEntriesRequestProto checked(AppendEntriesRequestProto request) {
    if (request.getEntriesCount() > 0 || !request.hasPreviousLog()) {
      return request; // entries are written first, and those before them
    }
    RaftLog log =
        logs.apply(RaftGroupId.valueOf(request.getServerRequest().getRaftGroupId().getId()));
    TermIndexProto previous = request.getPreviousLog();
    TermIndex own = log == null ? null : log.getTermIndex(previous.getIndex());
    return own != null && own.getTerm() == previous.getTerm()
        ? request
        : request.toBuilder().setLeaderCommit(0).build();
  }
}
