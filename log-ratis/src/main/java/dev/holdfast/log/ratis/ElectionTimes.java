package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.LatchedSignal;
import dev.holdfast.log.ratis.threads.RatisInternals;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.server.DivisionProperties;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.Timestamp;

/**
 * The times of a shard's elections. Two threads of Ratis 3.3.0 ask for them again and again: that
 * of a follower sleeps a random election timeout, and looks then whether its leader was silent for
 * as long; that of a leader looks once a failover whether a majority answers. Both rest where they
 * ask as long as all others are heard, and begin such a time when one is not.
 *
 * <p>Nothing is decided here: whatever these threads do, they do after a whole time that begins
 * when somebody is silent already. Thread-safe.
 */
final class ElectionTimes implements DivisionProperties {

  /** How many failovers a leader rests at most: nothing wakes its thread when it leads no more. */
  private static final int LEADER_FAILOVERS = 8;

  private final DivisionProperties times;
  private final RaftServer.Division division;
  private final AtomicReference<?> leading;
  private final AtomicReference<?> following;
  private volatile boolean isLeaderResting;

  private ElectionTimes(
      RaftServer.Division division, AtomicReference<?> leading, AtomicReference<?> following) {
    this.times = division.properties();
    this.division = division;
    this.leading = leading;
    this.following = following;
  }

  /**
   * Takes over the times of a member. A thread that sleeps just now rests from the next time on.
   *
   * @param division the member
   * @param leading what it does as the leader; empty if it is none
   * @param following what it does as a follower; empty if it is none
   * @return what ends the rests
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  static ElectionTimes takeOver(
      RaftServer.Division division, AtomicReference<?> leading, AtomicReference<?> following) {
    ElectionTimes taken = new ElectionTimes(division, leading, following);
    RatisInternals.set(division, "divisionProperties", taken);
    return taken;
  }

  /** After more than the half of the least timeout, in which each leader sends a heartbeat. */
  private long silentMillis() {
    return times.minRpcTimeoutMs() * 9L / 16;
  }

  /**
   * {@inheritDoc} The thread of a follower asks before it draws a timeout. It is interrupted when
   * this is no follower any more, which Ratis finds when it sleeps.
   */
  @Override
  public int minRpcTimeoutMs() {
    Thread asking = Thread.currentThread();
    while (asking.equals(following.get()) && hearsLeader(asking) && !asking.isInterrupted()) {
      LockSupport.parkNanos(this, LatchedSignal.REST_NANOS);
    }
    return times.minRpcTimeoutMs();
  }

  /** Not before it has: after a vote or a lost election the first timeout begins at once. */
  private boolean hearsLeader(Thread follower) {
    Timestamp heard = (Timestamp) RatisInternals.valueOf(follower, "lastRpcTime");
    return heard.elapsedTimeMs() < silentMillis()
        && !heard.equals(RatisInternals.valueOf(follower, "creationTime"))
        && division.getInfo().getLeaderId() != null;
  }

  /**
   * {@inheritDoc} The thread of a leader asks how long it waits for an event, and with the lock of
   * the member how long others may be silent.
   */
  @Override
  public int maxRpcTimeoutMs() {
    int millis = times.maxRpcTimeoutMs();
    if (leading.get() instanceof LeaderState leader
        && Thread.currentThread().equals(RatisInternals.valueOf(leader, "processor"))
        && !Thread.holdsLock(division)) {
      isLeaderResting = true; // first: a rest is not begun unseen
      isLeaderResting = isHeardByAll(leader);
      return isLeaderResting ? LEADER_FAILOVERS * millis : millis;
    }
    return millis;
  }

  private boolean isHeardByAll(LeaderState leader) {
    return RepeatingAppender.of(leader)
        .allMatch(
            each -> each.getFollower().getLastRpcResponseTime().elapsedTimeMs() < silentMillis());
  }

  /** {@return whether a thread of a leader rests, for tests} */
  boolean isLeaderResting() {
    return isLeaderResting;
  }

  /** Lets the thread of a follower begin a timeout if it hears no leader. Waits for no lock. */
  void endFollowersRest() {
    if (following.get() instanceof Thread follower && !hearsLeader(follower)) {
      LockSupport.unpark(follower);
    }
  }

  /** Lets the thread of a leader begin a failover if one does not answer. Waits for no lock. */
  void endLeadersRest() {
    if (isLeaderResting && leading.get() instanceof LeaderState leader && !isHeardByAll(leader)) {
      isLeaderResting = false; // once: each event begins the wait again
      RepeatingAppender.of(leader)
          .limit(1)
          .forEach(
              each -> leader.onFollowerSuccessAppendEntries(each.getFollower())); // only a look
    }
  }

  @Override
  public TimeDuration minRpcTimeout() {
    return times.minRpcTimeout();
  }

  @Override
  public TimeDuration maxRpcTimeout() {
    return times.maxRpcTimeout();
  }

  @Override
  public TimeDuration rpcSleepTime() {
    return times.rpcSleepTime();
  }

  @Override
  public TimeDuration rpcSlownessTimeout() {
    return times.rpcSlownessTimeout();
  }
}
