package dev.holdfast.log.ratis;

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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
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
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/** A group of Ratis on this node. Thread-safe. */
final class RatisDivision implements LogDivision, CheckedRequests.Follower {

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
    this.leading =
        (AtomicReference<?>)
            RatisInternals.valueOf(RatisInternals.valueOf(division, "role"), "leaderState");
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
  private Stream<ServerRpcProto> followers() {
    RoleInfoProto role = division.getInfo().getRoleInfoProto();
    RaftConfiguration members = division.getRaftConf(); // others may be about to be added
    return role.getLeaderInfo().getFollowerInfoList().stream()
        .filter(
            each ->
                members.getPeer(RaftPeerId.valueOf(each.getId().getId().toStringUtf8())) != null);
  }

  private static NodeId nodeOf(ServerRpcProto follower) {
    return new NodeId(follower.getId().getId().toStringUtf8());
  }

  @Override
  public Map<NodeId, Long> heardMillisAgo() {
    return followers()
        .collect(Collectors.toMap(RatisDivision::nodeOf, ServerRpcProto::getLastRpcElapsedTimeMs));
  }

  @Override
  public boolean hearsNoLeader(Duration silenceMax) {
    RoleInfoProto role = division.getInfo().getRoleInfoProto();
    long silenceMillis =
        role.hasFollowerInfo()
            ? role.getFollowerInfo().getLeaderInfo().getLastRpcElapsedTimeMs()
            : role.getCandidateInfo().getLastLeaderElapsedTimeMs();
    return !role.hasLeaderInfo() && silenceMillis > silenceMax.toMillis();
  }

  @Override
  public Optional<NodeId> successor() {
    Map<NodeId, Long> committed = committed();
    return followers()
        .filter(each -> each.getLastRpcElapsedTimeMs() <= node.options().failover().toMillis())
        .max(
            Comparator.comparingLong(
                    (ServerRpcProto each) -> committed.getOrDefault(nodeOf(each), RatisLog.NONE))
                // Of an idle log, one that has just ended has as much as the others.
                .thenComparing(
                    Comparator.comparingLong(ServerRpcProto::getLastRpcElapsedTimeMs).reversed()))
        .map(RatisDivision::nodeOf);
  }

  /**
   * Lets a leader look how far nodes have come that are to be added. Ratis looks when one of them
   * answers, or when nothing has happened for a failover: in a log that is in use, a change would
   * wait for ever for a node that does not answer.
   */
  void reviewNewMembers() {
    if (leading.get() instanceof LeaderState leader) {
      List<?> appenders =
          (List<?>) RatisInternals.valueOf(RatisInternals.valueOf(leader, "senders"), "senders");
      for (Object each : appenders) {
        if (each instanceof LogAppender appender
            && leader.isFollowerBootstrapping(appender.getFollower())) {
          leader.onFollowerSuccessAppendEntries(appender.getFollower()); // no more than a look
        }
      }
    }
  }

  /**
   * Lets the thread of Ratis end that passes entries on. A close waits for it, until it has read
   * all that was accepted: for nothing, as a log that has ended passes nothing on. One that fails
   * meanwhile, because an entry cannot be read, would not end, and nor would the close.
   */
  void endApplying() {
    lastToApply.set(RatisLog.NONE);
  }

  @Override
  public void closeLater() {
    endApplying();
    Thread.ofVirtual().name("holdfast-log-close").start(division::close);
  }
}
