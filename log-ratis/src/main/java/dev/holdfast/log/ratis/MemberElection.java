package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.RatisInternals;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * Lets a member of Ratis stand for election before its timeout. Ratis has no call for that, but one
 * by which a leader is replaced without votes before votes. Thread-safe.
 */
final class MemberElection implements EndedLeaders.Follower {

  private final RaftPeerId self;
  private final RaftServer.Division division;
  private final BooleanSupplier takesPart;
  private final AtomicReference<?> following;

  /**
   * Creates it.
   *
   * @param division the member
   * @param takesPart whether it hears the others
   * @param following what it does as a follower; empty if it is none
   */
  MemberElection(
      RaftServer.Division division, BooleanSupplier takesPart, AtomicReference<?> following) {
    this.self = division.getId();
    this.division = division;
    this.takesPart = takesPart;
    this.following = following;
  }

  private RaftGroupId group() {
    return division.getMemberId().getGroupId();
  }

  @Override
  public boolean lacksLeader(RaftPeerId ended) {
    DivisionInfo info = division.getInfo();
    return info.getLifeCycleState() == LifeCycle.State.RUNNING
        && ended.equals(info.getLeaderId())
        && takesPart.getAsBoolean()
        && division.getRaftConf().getPeer(self) != null
        && division.getRaftConf().getPeer(ended) != null;
  }

  @Override
  public String addressOf(RaftPeerId other) {
    RaftPeer peer = division.getRaftConf().getPeer(other);
    return peer == null ? "" : peer.getAddress();
  }

  @Override
  public EndedLeaders.Turn turn(RaftPeerId ended) {
    List<RaftPeerId> order =
        division.getRaftConf().getCurrentPeers().stream()
            .map(RaftPeer::getId)
            .filter(each -> !each.equals(ended))
            .sorted(Comparator.comparing(RaftPeerId::toString))
            .toList();
    int places = Math.max(1, order.size());
    int place =
        Math.max(0, order.indexOf(self)) + Math.floorMod(group().getUuid().hashCode(), places);
    return new EndedLeaders.Turn(place % places, places);
  }

  @Override
  public void forget(RaftPeerId ended, long silentMillis) {
    synchronized (division) { // as votes are decided
      Object follower = follower(ended);
      if (follower != null && isSilent(follower, silentMillis)) {
        Timestamp past =
            Timestamp.currentTime().addTimeMs(-division.properties().maxRpcTimeoutMs());
        RatisInternals.set(follower, "lastRpcTime", past);
      }
    }
  }

  @Override
  public void stand(RaftPeerId ended, long silentMillis) {
    synchronized (division) {
      Object follower = follower(ended);
      if (follower != null
          && isSilent(follower, silentMillis)
          && isCurrent() // Ratis would end one that is about to be removed
          && ((AtomicInteger) RatisInternals.valueOf(follower, "outstandingOp")).get() == 0) {
        stand();
      }
    }
  }

  private boolean isCurrent() {
    return division.getRaftConf().getCurrentPeers().stream()
        .anyMatch(each -> each.getId().equals(self));
  }

  /** Asks the others for votes before votes. Only as a follower. */
  void stand() {
    RatisInternals.call(division, "changeToCandidate", false); // not forced
  }

  /** {@return what this member does as a follower of that leader; null if it is none} */
  private @Nullable Object follower(RaftPeerId ended) {
    Object follower = following.get();
    return division.getInfo().isFollower() && lacksLeader(ended) ? follower : null;
  }

  private static boolean isSilent(Object follower, long silentMillis) {
    return ((Timestamp) RatisInternals.valueOf(follower, "lastRpcTime")).elapsedTimeMs()
        >= silentMillis;
  }
}
