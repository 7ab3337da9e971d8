package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.LatchedSignal;
import dev.holdfast.log.ratis.threads.RatisInternals;
import java.util.List;
import java.util.stream.Stream;
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
import org.apache.ratis.util.AwaitForSignal;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

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
 * <p>A follower that lacks nothing gets the heartbeats of {@link SharedHeartbeats} instead of those
 * of Ratis, as long as it answers them.
 *
 * <p>Confined to the thread of the appender, but for the shared heartbeats, which have another one.
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

  /** Kept: a wait is longer than between two heartbeats of Ratis, and an entry must end it. */
  private final LatchedSignal event = new LatchedSignal("appender", this::restNanos);

  private volatile boolean isResting;

  /** When the last shared heartbeat was sent that was answered; in the past if none was. */
  private volatile Timestamp sharedAnswer;

  /** What was accepted where when {@link #idle} was asked last, and since when it is so. */
  private long acceptedEverywhere = NONE;

  private Timestamp acceptedSince = Timestamp.currentTime();

  private RepeatingAppender(RaftServer.Division server, LeaderState leader, FollowerInfo follower) {
    super(server, leader, follower);
    this.silenceMax = RaftServerConfigKeys.Rpc.timeoutMax(server.getRaftServer().getProperties());
    this.sharedAnswer = Timestamp.currentTime().addTime(silenceMax.negate());
  }

  @Override
  public AwaitForSignal getEventAwaitForSignal() {
    return event;
  }

  // ---------------------------------------------------------------- shared heartbeats

  /**
   * {@return the shard as the follower has it, if it lacks nothing; else null} Not before it has
   * heard what each member has accepted, which only the heartbeats of Ratis say.
   *
   * @param accepted what all members have accepted, as a number that rises with each of them
   */
  SharedHeartbeats.@Nullable Idle idle(long accepted) {
    long term = getServer().getInfo().getCurrentTerm();
    long last = getRaftLog().getNextIndex() - 1;
    if (!lacksNothing(last) || accepted != acceptedEverywhere) {
      acceptedEverywhere = accepted;
      acceptedSince = Timestamp.currentTime();
      return null;
    }
    return acceptedSince.elapsedTime().compareTo(silenceMax) < 0
        ? null
        : new SharedHeartbeats.Idle(getServer().getMemberId().getGroupId(), term, last);
  }

  private boolean lacksNothing(long last) {
    FollowerInfo follower = getFollower();
    return getRaftLog().getLastCommittedIndex() == last
        && follower.getMatchIndex() == last
        && follower.getCommitIndex() == last
        && follower.getNextIndex() == last + 1
        && !getLeaderState().isFollowerBootstrapping(follower)
        // After it has ended a heartbeat of Ratis makes it again. Its end shows that of the leader.
        && RatisInternals.find(this, "appendLogRequestObserver") != null
        && isRunning();
  }

  /** See {@link SharedHeartbeats.Fed#answered}. */
  void answered(Timestamp sent) {
    if (isRunning()) {
      getFollower().updateLastRpcResponseTime();
      sharedAnswer = sent;
    }
  }

  /** {@return whether the last shared heartbeats were not answered: one of Ratis is due soon} */
  boolean isUnheard() {
    return sharedAnswer.elapsedTimeMs() >= getServer().properties().minRpcTimeoutMs() * 5L / 8;
  }

  /** The thread rests while shared heartbeats are answered; then {@link #endRest} wakes it. */
  private long restNanos(long askedNanos) {
    isResting = true; // first: a rest is not begun unseen
    isResting = !isUnheard() && lacksNothing(getRaftLog().getNextIndex() - 1);
    return isResting ? Math.max(askedNanos, LatchedSignal.REST_NANOS) : askedNanos;
  }

  /** Has the thread look for itself again, if the follower has not answered. */
  void endRest() {
    if (isResting && isUnheard()) {
      event.signal();
    }
  }

  /**
   * {@inheritDoc} Ratis sends one after half of the least election timeout. After a shared one that
   * was answered, however late, it is seven eighths: the next shared one comes after a half.
   */
  @Override
  public long getHeartbeatWaitTimeMs() {
    long millis = super.getHeartbeatWaitTimeMs();
    long sharedMillis = getServer().properties().minRpcTimeoutMs() * 7L / 8;
    return Math.max(millis, sharedMillis - sharedAnswer.elapsedTimeMs());
  }

  // ---------------------------------------------------------------- lost acknowledgements

  /**
   * {@inheritDoc} Asked before each wait, so at least with each heartbeat. Ratis would also have it
   * send when the connection has ended: if nothing is to be sent, the thread would not wait.
   */
  @Override
  public boolean shouldSendAppendEntries() {
    acknowledgeCommitted();
    repeatIfUnanswered();
    return hasAppendEntries() || getHeartbeatWaitTimeMs() <= 0;
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

  /** {@return what feeds the members of a leader} */
  static Stream<RepeatingAppender> of(LeaderState leader) {
    List<?> all =
        (List<?>) RatisInternals.valueOf(RatisInternals.valueOf(leader, "senders"), "senders");
    return all.stream().map(RepeatingAppender.class::cast);
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
