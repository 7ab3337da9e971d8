package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.ExitUtils;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * One node's part in the logs of its shards: a server that all of them share. Thread-safe.
 *
 * <pre>{@code
 * try (RatisNode node = RatisNode.open(options)) {
 *   RatisLog log = node.log(3, stopped -> ...);
 *   replica.start(log);
 * }
 * }</pre>
 */
public final class RatisNode implements AutoCloseable {

  private static final long COMPACTION_MILLIS_MAX = 60_000;

  /** How often connections are looked at in the time in which a member may be silent. */
  private static final int LOOKS = 4;

  static {
    // Ratis is no module, so the descriptor cannot require it, nor let it create RepeatingAppender.
    Module own = RatisNode.class.getModule();
    Module ofRatis = RatisNode.class.getClassLoader().getUnnamedModule();
    own.addReads(ofRatis);
    own.addOpens(RatisNode.class.getPackageName(), ofRatis);
    // Ratis would end the process of the application if an address is in use; now it throws. It
    // also takes the errors of all threads from the application, which would never see them.
    Thread.UncaughtExceptionHandler ofApplication = Thread.getDefaultUncaughtExceptionHandler();
    ExitUtils.disableSystemExit();
    Thread.setDefaultUncaughtExceptionHandler(ofApplication);
  }

  private final RatisOptions options;
  private volatile String cluster;
  private final Disk disk = new FileDisk();
  private final RaftProperties properties;
  private final RaftServer server;
  private final RaftPeerId self;
  private final JoinedShards joined = new JoinedShards();
  private final LogConnections connections;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private final Map<RaftGroupId, StateMachine> stateMachines = new ConcurrentHashMap<>();
  private final Map<Integer, RatisLog> logs = new ConcurrentHashMap<>();
  private final Map<RaftGroupId, Joined> members = new ConcurrentHashMap<>();
  private final EventThread events = new EventThread("holdfast-log-connections");

  /** Held while a shard is opened: the server has one directory at a time. */
  private final ReentrantLock membership = new ReentrantLock();

  private RatisNode(RatisOptions options) throws IOException {
    this.options = options;
    this.cluster = options.cluster();
    this.connections = new LogConnections(options.failover());
    disk.ensureDirectory(options.directory());
    this.properties = RatisSettings.of(options);
    this.self = idOf(options.node());
    // What is found there is not opened: the folders of shards are no names of groups.
    RaftServerConfigKeys.setStorageDir(properties, List.of(options.directory().toFile()));
    this.server =
        RaftServer.newBuilder()
            .setServerId(self)
            .setProperties(properties)
            .setParameters(
                RatisSettings.parameters(options.tls(), joined, new CheckedRequests(members::get)))
            .setStateMachineRegistry(stateMachines::get)
            .build();
  }

  /**
   * Opens the node: from now on it listens. Its shards are opened by {@link #log}.
   *
   * @param options how it takes part
   * @return the node
   * @throws DataDirectoryException if the directory cannot be created, or the address is in use
   */
  public static RatisNode open(RatisOptions options) {
    RatisNode node;
    try {
      node = new RatisNode(options);
    } catch (IOException | RuntimeException e) {
      throw cannotOpen(options, e);
    }
    try {
      node.server.start();
      node.watchConnections();
      return node;
    } catch (IOException | RuntimeException e) {
      node.close();
      throw cannotOpen(options, e);
    }
  }

  private static DataDirectoryException cannotOpen(RatisOptions options, Exception e) {
    return new DataDirectoryException(
        options.directory(),
        "Node "
            + options.node()
            + " cannot listen on "
            + options.address()
            + " for the logs of its shards ("
            + e.getMessage()
            + "). Check the address and the directory",
        e);
  }

  /**
   * Returns the log of a shard on this node. It takes part once {@link RatisLog#start} is called.
   *
   * @param shard the number of the shard, 0 to 9999
   * @param stopped called on a thread of the node when the log stops for good
   * @return the log; closed by the caller
   * @throws IllegalArgumentException if there is no such number
   * @throws IllegalStateException if the shard is open
   */
  public RatisLog log(int shard, Consumer<LogStoppedException> stopped) {
    return log(shard, /* mustExist= */ false, stopped);
  }

  /**
   * Returns the log of a shard as {@link #log(int, Consumer)} does, and says whether it may be new.
   *
   * @param shard the number of the shard, 0 to 9999
   * @param mustExist whether this node has taken part in the shard before: a log that is missing
   *     then is lost, and {@link RatisLog#start} refuses to begin another one
   * @param stopped called on a thread of the node when the log stops for good
   * @return the log; closed by the caller
   * @throws IllegalArgumentException if there is no such number
   * @throws IllegalStateException if the shard is open
   */
  public RatisLog log(int shard, boolean mustExist, Consumer<LogStoppedException> stopped) {
    if (shard < 0 || shard > 9999) {
      throw new IllegalArgumentException("A shard has a number from 0 to 9999, not " + shard);
    }
    RatisLog log = new RatisLog(this, shard, directoryOf(shard), mustExist, stopped);
    if (logs.putIfAbsent(shard, log) != null) {
      throw new IllegalStateException("Shard " + shard + " is open on this node.");
    }
    return log;
  }

  /**
   * Names the cluster, for a node that did not know the name when it was opened. Shards that are
   * started from now on belong to it.
   *
   * @param name the name
   */
  public void inCluster(String name) {
    cluster = name;
  }

  /**
   * Another node answers again. A vote is not sent before the time at which a connection that has
   * failed is tried again, which may be two minutes, or at which TCP repeats what was sent before;
   * now it is tried at once, on another connection.
   *
   * @param other the node
   */
  public void reconnect(NodeId other) {
    // A leader that hears it has connections that work, and entries are under way.
    boolean isMember =
        logs.values().stream().anyMatch(log -> log.configuration().members().containsKey(other));
    if (isMember && !connections.hears(idOf(other), Timestamp.currentTimeNanos())) {
      giveUp(idOf(other), "It answers again.");
    }
  }

  private void giveUp(RaftPeerId other, String why) {
    if (server.getServerRpc() instanceof GrpcServicesImpl rpc) {
      LogConnections.giveUp(rpc, other, why);
    }
  }

  /** Looks again and again whether those are heard that this node feeds, or is to feed. */
  private void watchConnections() {
    try {
      giveUpSilent();
      members.values().forEach(Joined::reviewNewMembers);
    } finally {
      CompletableFuture.delayedExecutor(
              options.failover().toMillis() / LOOKS, TimeUnit.MILLISECONDS, events)
          .execute(this::watchConnections);
    }
  }

  private void giveUpSilent() {
    long nowNanos = Timestamp.currentTimeNanos();
    Map<RaftPeerId, Long> heardNanos = new HashMap<>();
    logs.values()
        .forEach(
            log ->
                log.heardMillisAgo()
                    .forEach(
                        (node, millis) ->
                            heardNanos.merge(
                                idOf(node), nowNanos - millis * 1_000_000, Math::max)));
    connections.silent(heardNanos, nowNanos).forEach(each -> giveUp(each, "It answers nothing."));
  }

  /** Closes the logs of all shards, and stops listening. */
  @Override
  public void close() {
    logs.values().forEach(RatisLog::end);
    members.values().forEach(Joined::endApplying);
    try {
      server.close(); // all shards at once: each takes up to a second
    } catch (IOException e) {
      // Nothing is lost: every entry that was acknowledged is synced.
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.WARNING, "The server of the logs was not closed cleanly", e);
    }
    events.end();
  }

  // ---------------------------------------------------------------- for the logs

  RatisOptions options() {
    return options;
  }

  Disk disk() {
    return disk;
  }

  boolean exists(int shard) {
    return Files.isDirectory(directoryOf(shard).resolve(groupOf(shard).getUuid().toString()));
  }

  private Path directoryOf(int shard) {
    return directoryOf(options.directory(), shard);
  }

  static Path directoryOf(Path shards, int shard) {
    return shards.resolve("%04d".formatted(shard)).resolve("log");
  }

  private RaftGroupId groupOf(int shard) {
    return groupOf(cluster, shard);
  }

  static RaftGroupId groupOf(String cluster, int shard) {
    String name = cluster + "/" + shard;
    return RaftGroupId.valueOf(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  private static RaftPeerId idOf(NodeId node) {
    return RaftPeerId.valueOf(node.name());
  }

  /**
   * Opens the log of a shard; only its first members are said here, it knows the later ones. It
   * hears the others from {@link RatisLog.Division#takePart} on.
   */
  RatisLog.Division join(int shard, StateMachine machine, BooleanSupplier hasFailed) {
    Path directory = directoryOf(shard);
    RaftGroupId group = groupOf(shard);
    membership.lock();
    try {
      boolean isNew = !exists(shard);
      disk.ensureDirectory(directory);
      forceAll(directory.resolve(group.getUuid().toString()).resolve("current"));
      RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
      stateMachines.put(group, machine);
      RaftClientReply reply =
          server.groupManagement(
              GroupManagementRequest.newAdd(
                  client,
                  self,
                  calls.incrementAndGet(),
                  RaftGroup.valueOf(group, options.isAdded() ? List.of() : peers()),
                  /* format= */ isNew));
      if (!reply.isSuccess()) {
        throw new IOException("Ratis refused the shard", reply.getException());
      }
      RaftServer.Division division = server.getDivision(group);
      Joined open = new Joined(group, division, FollowerAppends.takeOver(division, hasFailed));
      members.put(group, open);
      return open;
    } catch (IOException | RuntimeException e) {
      stateMachines.remove(group);
      logs.remove(shard);
      if (e.getCause() instanceof DataDirectoryException known) {
        throw known;
      }
      throw new DataDirectoryException(
          directory,
          "The log of shard "
              + shard
              + " cannot be opened ("
              + e.getMessage()
              + "). If it is damaged, remove this node from the shard and add another one",
          e);
    } finally {
      membership.unlock();
    }
  }

  /**
   * Ratis takes for durable what it reads. A process that was killed has left entries that only the
   * operating system has.
   */
  private void forceAll(Path current) throws IOException {
    if (!disk.exists(current)) {
      return;
    }
    for (Path file : disk.list(current)) {
      if (file.getFileName().toString().startsWith("log_")) {
        try (DiskFile open = disk.open(file, Disk.Mode.WRITE)) {
          open.force();
        }
      }
    }
    disk.forceDirectory(current);
  }

  private List<RaftPeer> peers() {
    Map<NodeId, String> first = new HashMap<>();
    options
        .members()
        .forEach((node, at) -> first.put(node, at.getHostString() + ":" + at.getPort()));
    return peers(first);
  }

  private static List<RaftPeer> peers(Map<NodeId, String> members) {
    return members.entrySet().stream()
        .map(
            member ->
                RaftPeer.newBuilder()
                    .setId(idOf(member.getKey()))
                    .setAddress(member.getValue())
                    .build())
        .toList();
  }

  /** Takes no part in a shard any more; its files stay. */
  void leave(int shard) {
    RaftGroupId group = groupOf(shard);
    joined.remove(group);
    Joined left = members.remove(group);
    if (left != null) {
      left.endApplying();
    }
    try {
      if (stateMachines.remove(group) != null) {
        server.groupManagement(
            GroupManagementRequest.newRemove(
                client,
                self,
                calls.incrementAndGet(),
                group,
                /* deleteDirectory= */ false,
                /* renameDirectory= */ false));
      }
    } catch (IOException e) {
      // It was closed already, or the server is.
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.DEBUG, "A shard was not left cleanly", e);
    } finally {
      logs.remove(shard); // not before: another opening would find it open
    }
  }

  private final class Joined implements RatisLog.Division, CheckedRequests.Follower {

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
    Joined(RaftGroupId group, RaftServer.Division division, BooleanSupplier isIdle) {
      this.group = group;
      this.division = division;
      this.isIdle = isIdle;
      // The division itself: the server would hand each request to a pool and wait for it.
      this.direct = division instanceof RaftClientAsynchronousProtocol protocol ? protocol : server;
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
      joined.add(group);
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
                .setClientId(client)
                .setServerId(self)
                .setGroupId(group)
                .setCallId(calls.incrementAndGet())
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
        return server.snapshotManagementAsync(
            SnapshotManagementRequest.newCreate(
                client,
                self,
                group,
                calls.incrementAndGet(),
                COMPACTION_MILLIS_MAX,
                /* creationGap= */ 1));
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    @Override
    public CompletableFuture<?> transferTo(NodeId other) {
      return transfer(idOf(other));
    }

    @Override
    public CompletableFuture<?> stepDown() {
      return transfer(null);
    }

    private CompletableFuture<?> transfer(@Nullable RaftPeerId other) {
      try {
        return server.transferLeadershipAsync(
            new TransferLeadershipRequest(
                client,
                self,
                group,
                calls.incrementAndGet(),
                other,
                options.failover().toMillis()));
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
        return server.setConfigurationAsync(
            new SetConfigurationRequest(
                client,
                self,
                group,
                calls.incrementAndGet(),
                SetConfigurationRequest.Arguments.newBuilder()
                    .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                    .setServersInCurrentConf(peers(expected.members()))
                    .setServersInNewConf(peers(wanted))
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
      committed.remove(options.node());
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
          .collect(Collectors.toMap(Joined::nodeOf, ServerRpcProto::getLastRpcElapsedTimeMs));
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
          .filter(each -> each.getLastRpcElapsedTimeMs() <= options.failover().toMillis())
          .max(
              Comparator.comparingLong(
                      (ServerRpcProto each) -> committed.getOrDefault(nodeOf(each), RatisLog.NONE))
                  // Of an idle log, one that has just ended has as much as the others.
                  .thenComparing(
                      Comparator.comparingLong(ServerRpcProto::getLastRpcElapsedTimeMs).reversed()))
          .map(Joined::nodeOf);
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
}
