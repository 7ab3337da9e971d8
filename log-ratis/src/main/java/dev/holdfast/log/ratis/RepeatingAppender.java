package dev.holdfast.log.ratis;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.Timestamp;

/**
 * Sends the entries of a leader to one follower, and goes on when acknowledgements are lost.
 *
 * <p>When a connection breaks, Ratis 3.3.0 takes the entries that were under way for sent. A
 * follower that lacks them says so, but one that has them is not asked: heartbeats say nothing of
 * that, so they are accepted with the next entry only. The owner of a shard waits for them before
 * it proposes the next, and a new leader takes no proposal before its first entry is accepted. Then
 * the shard would stand still. Here the last entry is sent again, unless the follower says that it
 * knows it to be accepted.
 *
 * <p>Confined to the thread of the appender.
 */
final class RepeatingAppender extends GrpcLogAppender {

  private static final long NONE = -1;
  private static final int REPEATED_MAX = 2;

  private final TimeDuration silenceMax;

  /** The entry that nothing under way can acknowledge, and since when that is so. */
  private long unanswered = NONE;

  private Timestamp since = Timestamp.currentTime();

  /** How often the entry was sent again. */
  private int repeated;

  private RepeatingAppender(RaftServer.Division server, LeaderState leader, FollowerInfo follower) {
    super(server, leader, follower);
    this.silenceMax = RaftServerConfigKeys.Rpc.timeoutMax(server.getRaftServer().getProperties());
  }

  /** {@inheritDoc} Asked before each wait, so at least with each heartbeat. */
  @Override
  public boolean shouldSendAppendEntries() {
    acknowledgeCommitted();
    repeatIfUnanswered();
    return super.shouldSendAppendEntries();
  }

  /**
   * A follower has what it knows to be accepted, and refuses it if it comes again. Only as far as
   * this leader knows it, too: it may be deposed, and the follower may speak of the entries of the
   * next leader.
   */
  private void acknowledgeCommitted() {
    FollowerInfo follower = getFollower();
    long committed = Math.min(follower.getCommitIndex(), getRaftLog().getLastCommittedIndex());
    if (committed > follower.getMatchIndex() && follower.updateMatchIndex(committed)) {
      follower.updateNextIndex(committed + 1);
      getLeaderState().onFollowerSuccessAppendEntries(follower);
    }
  }

  private void repeatIfUnanswered() {
    FollowerInfo follower = getFollower();
    long next = follower.getNextIndex();
    long last = next - 1;
    if (follower.getMatchIndex() >= last
        || next != getRaftLog().getNextIndex()
        || follower.getLastRpcResponseTime().elapsedTime().compareTo(silenceMax) >= 0) {
      unanswered = NONE;
      repeated = 0;
    } else if (hasPendingDataRequests()) {
      unanswered = NONE;
    } else if (unanswered != last) {
      unanswered = last;
      since = Timestamp.currentTime();
    } else if (since.elapsedTime().compareTo(silenceMax) >= 0 && canSend(last)) {
      unanswered = NONE;
      if (++repeated > REPEATED_MAX) {
        // Heartbeats have a connection of their own; that of the entries is dead, without a sign.
        repeated = 0;
        LogConnections.giveUp(getServerRpc(), getFollowerId(), "It answers no entry.");
      }
      // Another thread may just have heard what the follower lacks.
      follower.computeNextIndex(now -> now == next ? last : now);
    }
  }

  /** Without the entry before it, Ratis would have the follower fetch instead, again and again. */
  private boolean canSend(long index) {
    return getRaftLog().getTermIndex(index) != null
        && (index == RaftLog.LEAST_VALID_LOG_INDEX || getPrevious(index) != null);
  }

  /** Makes Ratis use it. Created by Ratis, which knows the name of the class. */
  static final class Rpc implements RpcType {

    @Override
    public String name() {
      return getClass().getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
      return new GrpcFactory(parameters) {
        @Override
        public LogAppender newLogAppender(
            RaftServer.Division server, LeaderState leader, FollowerInfo follower) {
          if (server.getRaftConf().getPeer(follower.getId()) != null) {
            // Of a member whose appender has failed Ratis makes another one as of a node that is
            // just added. A change of members would wait for it, and remove its appender with those
            // of the new nodes if it fails.
            RatisInternals.set(follower, "caughtUp", true);
          }
          return new RepeatingAppender(server, leader, follower);
        }
      };
    }
  }
}
