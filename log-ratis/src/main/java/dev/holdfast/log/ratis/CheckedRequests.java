package dev.holdfast.log.ratis;

import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a leader sends with the log that the follower has. Ratis 3.3.0 compares it also
 * with entries that are about to be written, and not again when it writes its own:
 *
 * <ul>
 *   <li>A heartbeat says up to where entries are accepted. While the log still has what a deposed
 *       leader has written and nobody else, that is applied. A node that was paused as the leader
 *       did so. So a heartbeat is believed only if the log has the entry that it follows, and
 *       nothing is about to be written. The next one says it again.
 *   <li>Entries may be written long after they were compared, when another leader has written
 *       others. So they are compared again just before, and once more before they are acknowledged:
 *       this member may have voted for another leader when its log did not have them yet.
 * </ul>
 *
 * <p>It also says when the connection ends on which a leader has sent them. Thread-safe.
 */
final class CheckedRequests implements ServerInterceptor {

  private static final String CHECKED = "appendEntries";

  /** What requests are compared with. */
  interface Follower {

    /** {@return the entry of the log in this place; null if it has none} */
    @Nullable TermIndex termOf(long index);

    /** {@return up to where entries were dropped because the replica has them} */
    long snapshotIndex();

    /**
     * {@return the term that it knows} While a vote is decided, and so compared with the log, it
     * waits for that.
     */
    long term();

    /** {@return whether nothing is about to be written} */
    boolean isIdle();
  }

  private final Function<RaftGroupId, @Nullable Follower> followers;
  private final Consumer<RaftPeerId> connectionEnded;

  /**
   * Creates the check.
   *
   * @param followers the member of a shard; null if it is not open
   * @param connectionEnded takes a leader whose connection has ended
   */
  CheckedRequests(
      Function<RaftGroupId, @Nullable Follower> followers, Consumer<RaftPeerId> connectionEnded) {
    this.followers = followers;
    this.connectionEnded = connectionEnded;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    ServerCall.Listener<Q> listener = next.startCall(call, headers);
    if (!CHECKED.equals(call.getMethodDescriptor().getBareMethodName())) {
      return listener;
    }
    return new SimpleForwardingServerCallListener<>(listener) {

      // The sender of all requests of the call; null before the first one.
      private @Nullable RaftPeerId leader;

      @Override
      public void onCancel() {
        super.onCancel();
        if (leader != null) {
          connectionEnded.accept(leader);
        }
      }

      @Override
      @SuppressWarnings("unchecked") // the same type as before
      public void onMessage(Q message) {
        if (message instanceof AppendEntriesRequestProto request) {
          if (leader == null) {
            leader = RaftPeerId.valueOf(request.getServerRequest().getRequestorId());
          }
          Q believed = (Q) believed(request);
          FollowerAppends.checkedBy(() -> isValid(request), () -> super.onMessage(believed));
        } else {
          super.onMessage(message);
        }
      }
    };
  }

  /** {@return the request, which says only what can be believed of what is accepted} */
  AppendEntriesRequestProto believed(AppendEntriesRequestProto request) {
    int count = request.getEntriesCount();
    long limit;
    if (!request.hasPreviousLog()) {
      limit = count == 0 ? RaftLog.INVALID_LOG_INDEX : request.getEntries(count - 1).getIndex();
    } else if (count == 0) {
      limit = isBelieved(request) ? request.getLeaderCommit() : RaftLog.INVALID_LOG_INDEX;
    } else {
      return request; // it counts when they are written, and those before them
    }
    return limit >= request.getLeaderCommit()
        ? request
        : request.toBuilder().setLeaderCommit(limit).build();
  }

  private boolean isBelieved(AppendEntriesRequestProto heartbeat) {
    try {
      Follower follower = followerOf(heartbeat);
      return follower != null && follower.isIdle() && follows(follower, heartbeat.getPreviousLog());
    } catch (RuntimeException e) {
      return false; // the log is just closed; Ratis refuses the heartbeat
    }
  }

  /** {@return whether no other leader has come since, and the log still has what they follow} */
  boolean isValid(AppendEntriesRequestProto entries) {
    Follower follower = followerOf(entries);
    return follower == null
        || (entries.getLeaderTerm() >= follower.term()
            && (!entries.hasPreviousLog() || follows(follower, entries.getPreviousLog())));
  }

  private @Nullable Follower followerOf(AppendEntriesRequestProto request) {
    return followers.apply(
        RaftGroupId.valueOf(request.getServerRequest().getRaftGroupId().getId()));
  }

  private static boolean follows(Follower follower, TermIndexProto previous) {
    if (previous.getIndex() <= follower.snapshotIndex()) {
      return true; // the log may have others there, that were never accepted
    }
    TermIndex own = follower.termOf(previous.getIndex());
    return own != null && own.getTerm() == previous.getTerm();
  }
}
