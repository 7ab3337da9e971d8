package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.LatchedSignal;
import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.log.ratis.threads.RestingCondition;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/** A group of Ratis on this node. Thread-safe. */
final class RatisDivision
    implements LogDivision, CheckedRequests.Follower, SharedHeartbeats.Follower {

  private static final long COMPACTION_MILLIS_MAX = 60_000;

  private final NodeServer node;
  private final RaftGroupId group;
  private final RaftServer.Division division;
  private final BooleanSupplier isIdle;
  private final RaftClientAsynchronousProtocol direct;

  /** The first entry of a leader that has asked whether the replica is to be brought forward. */
  private final AtomicLong openQuestion;

  /** The entry with which the thread of Ratis ends that passes entries on; null while it runs. */
  private final AtomicReference<@Nullable Long> lastToApply;

  /** What this member does as the leader; empty if it is none. */
  private final AtomicReference<?> leading;

  /** What this member does as a follower; empty if it is none. */
  private final AtomicReference<?> following;

  private final LatchedSignal applying;
  private final MemberElection election;
  private final ElectionTimes times;
  private final RestingCondition writing;

  @SuppressWarnings("unchecked")
  RatisDivision(
      NodeServer node, RaftGroupId group, RaftServer.Division division, BooleanSupplier isIdle) {
    this.node = node;
    this.group = group;
    this.division = division;
    this.isIdle = isIdle;
    // The division itself: the server would hand each request to a pool and wait for it.
    this.direct =
        division instanceof RaftClientAsynchronousProtocol protocol ? protocol : node.server();
    this.openQuestion =
        (AtomicLong)
            RatisInternals.valueOf(
                RatisInternals.valueOf(division, "snapshotInstallationHandler"),
                "inProgressInstallSnapshotIndex");
    Object updater =
        ((Supplier<?>)
                RatisInternals.valueOf(
                    RatisInternals.valueOf(division, "state"), "stateMachineUpdater"))
            .get();
    Object role = RatisInternals.valueOf(division, "role");
    this.leading = (AtomicReference<?>) RatisInternals.valueOf(role, "leaderState");
    this.following = (AtomicReference<?>) RatisInternals.valueOf(role, "followerState");
    this.times = ElectionTimes.takeOver(division, leading, following);
    this.election = new MemberElection(division, () -> node.joined().has(group), following);
    this.applying = new LatchedSignal("apply", _ -> LatchedSignal.REST_NANOS);
    // Ratis signals whatever that thread waits for, but it looks ten times a second all the same.
    RatisInternals.set(updater, "awaitForSignal", applying);
    applying.signal(); // what came before went to the other one
    this.writing = RestingCondition.takeOver(division);
    // A member that has always followed would read the times of its first election from the text of
    // its settings at each look; they are those of every election.
    ((AtomicBoolean) RatisInternals.valueOf(division, "firstElectionSinceStartup")).set(false);
    this.lastToApply =
        (AtomicReference<@Nullable Long>) RatisInternals.valueOf(updater, "stopIndex");
  }

  @Override
  public long lastIndex() {
    return division.getRaftLog().getNextIndex() - 1;
  }

  @Override
  public long committedIndex() {
    return division.getRaftLog().getLastCommittedIndex();
  }

  @Override
  public boolean isLeader() {
    return division.getInfo().isLeader();
  }

  @Override
  public boolean isReady() {
    return division.getInfo().isLeaderReady();
  }

  @Override
  public @Nullable TermIndex termOf(long index) {
    return division.getRaftLog().getTermIndex(index);
  }

  @Override
  public long snapshotIndex() {
    return division.getRaftLog().getSnapshotIndex();
  }

  @Override
  public long term() {
    synchronized (division) { // as a vote is decided
      return division.getInfo().getCurrentTerm();
    }
  }

  @Override
  public void takePart() {
    node.joined().add(group);
  }

  @Override
  public boolean isIdle() {
    return isIdle.getAsBoolean();
  }

  @Override
  public OptionalLong leastCommitted() {
    return RatisLog.least(division.getCommitInfos(), division.getRaftConf().getAllPeers().size());
  }

  @Override
  public void askAgain(long first) {
    synchronized (division) { // as Ratis hands such a question over, and looks at this then
      openQuestion.compareAndSet(first, RatisLog.NONE);
    }
  }

  @Override
  public CompletableFuture<RaftClientReply> submit(ByteBuffer entry) {
    try {
      return direct.submitClientRequestAsync(
          RaftClientRequest.newBuilder()
              .setClientId(node.client())
              .setServerId(node.self())
              .setGroupId(group)
              .setCallId(node.nextCall())
              .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(entry)))
              .setType(RaftClientRequest.writeRequestType())
              .build());
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e); // closed, or closing
    }
  }

  @Override
  public CompletableFuture<?> compact() {
    try {
      return node.server()
          .snapshotManagementAsync(
              SnapshotManagementRequest.newCreate(
                  node.client(),
                  node.self(),
                  group,
                  node.nextCall(),
                  COMPACTION_MILLIS_MAX,
                  /* creationGap= */ 1));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<?> transferTo(NodeId other) {
    return transfer(NodeServer.idOf(other));
  }

  @Override
  public CompletableFuture<?> stepDown() {
    return transfer(null);
  }

  private CompletableFuture<?> transfer(@Nullable RaftPeerId other) {
    try {
      return node.server()
          .transferLeadershipAsync(
              new TransferLeadershipRequest(
                  node.client(),
                  node.self(),
                  group,
                  node.nextCall(),
                  other,
                  node.options().failover().toMillis()));
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e); // closed, or closing
    }
  }

  @Override
  public Configuration configuration() {
    RaftConfiguration known = division.getRaftConf();
    Map<NodeId, String> members = new HashMap<>();
    known
        .getAllPeers()
        .forEach(each -> members.put(new NodeId(each.getId().toString()), each.getAddress()));
    boolean isChanging = !known.getPreviousPeers().isEmpty();
    Configuration stable = Configuration.of(known.getLogEntryIndex(), members);
    return isChanging ? new Configuration(stable.index(), stable.members(), true) : stable;
  }

  @Override
  public CompletableFuture<RaftClientReply> change(
      Configuration expected, Map<NodeId, String> wanted) {
    try {
      return node.server()
          .setConfigurationAsync(
              new SetConfigurationRequest(
                  node.client(),
                  node.self(),
                  group,
                  node.nextCall(),
                  SetConfigurationRequest.Arguments.newBuilder()
                      .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                      .setServersInCurrentConf(NodeServer.peers(expected.members()))
                      .setServersInNewConf(NodeServer.peers(wanted))
                      .build()));
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e); // closed, or closing
    }
  }

  @Override
  public Map<NodeId, Long> committed() {
    Map<NodeId, Long> committed = new HashMap<>();
    for (CommitInfoProto each : division.getCommitInfos()) {
      committed.put(new NodeId(each.getServer().getId().toStringUtf8()), each.getCommitIndex());
    }
    committed.remove(node.options().node());
    return committed;
  }

  /** {@return the members that this one feeds; none if it does not lead} */
  private Stream<FollowerInfo> followers() {
    RaftConfiguration members = division.getRaftConf(); // others may be about to be added
    return appenders().stream()
        .map(RepeatingAppender::getFollower)
        .filter(each -> members.getPeer(each.getId()) != null);
  }

  private static NodeId nodeOf(FollowerInfo follower) {
    return new NodeId(follower.getId().toString());
  }

  private static long heardMillisAgo(FollowerInfo follower) {
    return follower.getLastRpcResponseTime().elapsedTimeMs();
  }

  @Override
  public Map<NodeId, Long> heardMillisAgo() {
    return followers()
        .collect(Collectors.toMap(RatisDivision::nodeOf, RatisDivision::heardMillisAgo));
  }

  @Override
  public boolean hearsNoLeader(Duration silenceMax) {
    Object follower = following.get();
    if (follower != null) { // asked once a second for each shard
      Timestamp heard = (Timestamp) RatisInternals.valueOf(follower, "lastRpcTime");
      return heard.elapsedTimeMs() > silenceMax.toMillis();
    }
    RoleInfoProto role = division.getInfo().getRoleInfoProto();
    return !role.hasLeaderInfo()
        && role.getCandidateInfo().getLastLeaderElapsedTimeMs() > silenceMax.toMillis();
  }

  @Override
  public Optional<NodeId> successor() {
    Map<NodeId, Long> committed = committed();
    return followers()
        .filter(each -> heardMillisAgo(each) <= node.options().failover().toMillis())
        .max(
            Comparator.comparingLong(
                    (FollowerInfo each) -> committed.getOrDefault(nodeOf(each), RatisLog.NONE))
                // Of an idle log, one that has just ended has as much as the others.
                .thenComparing(
                    Comparator.<FollowerInfo>comparingLong(RatisDivision::heardMillisAgo)
                        .reversed()))
        .map(RatisDivision::nodeOf);
  }

  /**
   * Lets a leader look how far nodes have come that are to be added. Ratis looks when one of them
   * answers, or when nothing has happened for a failover: in a log that is in use, a change would
   * wait for ever for a node that does not answer.
   */
  void reviewNewMembers() {
    for (RepeatingAppender each : appenders()) {
      if (each.getLeaderState().isFollowerBootstrapping(each.getFollower())) {
        each.getLeaderState().onFollowerSuccessAppendEntries(each.getFollower()); // only a look
      }
    }
  }

  /** {@return what feeds the other members; nothing if this one does not lead} */
  List<RepeatingAppender> appenders() {
    if (!(leading.get() instanceof LeaderState leader)) {
      return List.of();
    }
    return RepeatingAppender.of(leader).toList();
  }

  /** Lets threads of a leader look for themselves, if members have not answered. */
  void endRests() {
    if (leading.get() instanceof LeaderState leader) {
      RepeatingAppender.of(leader).forEach(RepeatingAppender::endRest);
      times.endLeadersRest();
    }
  }

  /** A member that this one feeds, and what all members have accepted. */
  private record Fed(RepeatingAppender appender, long accepted) implements SharedHeartbeats.Fed {

    @Override
    public RaftPeerId follower() {
      return appender.getFollowerId();
    }

    @Override
    public SharedHeartbeats.@Nullable Idle idle() {
      return appender.idle(accepted);
    }

    @Override
    public void answered(Timestamp sent) {
      appender.answered(sent);
    }
  }

  /** {@return the members that this one feeds; none if it does not lead} */
  Stream<SharedHeartbeats.Fed> fed() {
    List<RepeatingAppender> appenders = appenders();
    long accepted = appenders.stream().mapToLong(each -> each.getFollower().getCommitIndex()).sum();
    return appenders.stream().map(each -> new Fed(each, accepted));
  }

  /**
   * {@inheritDoc} Neither for that of Ratis nor for that of the log, which a slow disk may hold: if
   * the member follows another leader meanwhile, that one is not concerned. What it knows to be
   * accepted it has; what it has behind that is of a leader before, and gives way to the next
   * entry.
   */
  @Override
  public boolean hears(RaftPeerId leader, long term, long last) {
    Object follower = following.get();
    boolean isHeard =
        follower != null
            && division.getInfo().isFollower()
            && division.getInfo().isAlive()
            && division.getInfo().getCurrentTerm() == term
            && leader.equals(division.getInfo().getLeaderId())
            && committedIndex() == last;
    if (isHeard) {
      RatisInternals.set(follower, "lastRpcTime", Timestamp.currentTime());
    }
    return isHeard;
  }

  /** {@return the leader that this member knows} */
  @Nullable RaftPeerId leader() {
    return division.getInfo().getLeaderId();
  }

  /** {@return the times of this member's elections} */
  ElectionTimes times() {
    return times;
  }

  /** {@return how this member stands for election} */
  MemberElection election() {
    return election;
  }

  /**
   * Lets the thread of Ratis end that passes entries on. A close waits for it, until it has read
   * all that was accepted: for nothing, as a log that has ended passes nothing on. One that fails
   * meanwhile, because an entry cannot be read, would not end, and nor would the close.
   */
  void endApplying() {
    lastToApply.set(RatisLog.NONE);
    applying.signal();
    writing.end();
  }

  @Override
  public void closeLater() {
    endApplying();
    Thread.ofVirtual().name("holdfast-log-close").start(division::close);
  }
}
