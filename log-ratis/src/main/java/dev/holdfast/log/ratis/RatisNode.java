package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.log.ratis.threads.RepeatedTask;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
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
  private final NodeServer server;
  private final LogConnections connections;
  private final Map<RaftGroupId, StateMachine> stateMachines = new ConcurrentHashMap<>();
  private final Map<Integer, RatisLog> logs = new ConcurrentHashMap<>();
  private final Map<RaftGroupId, RatisDivision> members = new ConcurrentHashMap<>();
  private final SharedHeartbeats heartbeats;
  private final EndedLeaders endedLeaders;

  /** A heartbeat that is late begins an election: it waits for nothing else. */
  private final RepeatedTask beats =
      new RepeatedTask("holdfast-log-heartbeats", () -> nanosToNext(beatNanos()), this::beat);

  private final RepeatedTask connectionLooks =
      new RepeatedTask(
          "holdfast-log-connections", () -> nanosToNext(2 * beatNanos()), this::watchConnections);

  /** Waits for no lock of a log: when the heartbeats hang, the shards send their own. */
  private final RepeatedTask rests =
      new RepeatedTask("holdfast-log-rests", this::nanosToLateAnswers, this::endRests);

  private volatile long beatenNanos = Timestamp.currentTimeNanos();

  /** Held while a shard is opened: the server has one directory at a time. */
  private final ReentrantLock membership = new ReentrantLock();

  private RatisNode(RatisOptions options) throws IOException {
    this.options = options;
    this.cluster = options.cluster();
    this.connections = new LogConnections(options.failover());
    disk.ensureDirectory(options.directory());
    this.properties = RatisSettings.of(options);
    RaftPeerId self = NodeServer.idOf(options.node());
    JoinedShards joined = new JoinedShards();
    this.heartbeats =
        new SharedHeartbeats(
            self,
            () -> members.values().stream().flatMap(RatisDivision::fed).toList(),
            members::get);
    // What is found there is not opened: the folders of shards are no names of groups.
    RaftServerConfigKeys.setStorageDir(properties, List.of(options.directory().toFile()));
    this.endedLeaders =
        new EndedLeaders(
            options.failover().toMillis(),
            () -> members.values().stream().map(RatisDivision::election).toList(),
            LogConnections::isRefused,
            (millis, task) ->
                CompletableFuture.delayedExecutor(
                        millis, TimeUnit.MILLISECONDS, Thread::startVirtualThread)
                    .execute(task));
    RaftServer ratis =
        RaftServer.newBuilder()
            .setServerId(self)
            .setProperties(properties)
            .setParameters(
                RatisSettings.parameters(
                    options.tls(),
                    joined,
                    new CheckedRequests(members::get, endedLeaders::connectionEnded),
                    heartbeats))
            .setStateMachineRegistry(stateMachines::get)
            .build();
    this.server =
        new NodeServer(ratis, self, ClientId.randomId(), new AtomicLong(), options, joined);
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
      node.connectionLooks.begin();
      node.beats.begin();
      node.rests.begin();
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
    return log(shard, options.isAdded() ? Map.of() : options.members(), mustExist, stopped);
  }

  /**
   * Returns the log of a shard as {@link #log(int, Consumer)} does, for a shard that not all nodes
   * keep.
   *
   * @param shard the number of the shard, 0 to 9999
   * @param first the nodes that keep it to begin with, with the addresses of their logs, all alike
   *     on each of them; empty if this node is added to a log that others have. A log that exists
   *     knows its members itself
   * @param mustExist whether this node has taken part in the shard before
   * @param stopped called on a thread of the node when the log stops for good
   * @return the log; closed by the caller
   * @throws IllegalArgumentException if there is no such number
   * @throws IllegalStateException if the shard is open
   */
  public RatisLog log(
      int shard,
      Map<NodeId, InetSocketAddress> first,
      boolean mustExist,
      Consumer<LogStoppedException> stopped) {
    if (shard < 0 || shard > 9999) {
      throw new IllegalArgumentException("A shard has a number from 0 to 9999, not " + shard);
    }
    RatisLog log = new RatisLog(this, shard, directoryOf(shard), first, mustExist, stopped);
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
    if (isMember && !connections.hears(NodeServer.idOf(other), Timestamp.currentTimeNanos())) {
      giveUp(NodeServer.idOf(other), "It answers again.");
    }
  }

  private void giveUp(RaftPeerId other, String why) {
    if (server.server().getServerRpc() instanceof GrpcServicesImpl rpc) {
      LogConnections.giveUp(rpc, other, why);
    }
  }

  /** As often as Ratis sends heartbeats: after half of the least election timeout. */
  private long beatMillis() {
    return options.failover().toMillis() / 4;
  }

  private long beatNanos() {
    return TimeUnit.MILLISECONDS.toNanos(beatMillis());
  }

  /** All threads that look again and again look together: a processor wakes once for them. */
  private static long nanosToNext(long periodNanos) {
    return periodNanos - Math.floorMod(Timestamp.currentTimeNanos(), periodNanos);
  }

  private void beat() {
    beatenNanos = Timestamp.currentTimeNanos();
    heartbeats.send(
        other ->
            (ManagedChannel)
                RatisInternals.valueOf(
                    ((GrpcServicesImpl) server.server().getServerRpc())
                        .getProxies()
                        .getProxy(other),
                    "hbChannel"));
    endFollowersRests();
  }

  /** Twice in a period, so a rest ends soon after a heartbeat that does not come. */
  private void endFollowersRests() {
    members.values().forEach(each -> each.times().endFollowersRest());
  }

  /** Half of a period after a heartbeat: then it is answered, and before others are due. */
  private long nanosToLateAnswers() {
    long passed = Timestamp.currentTimeNanos() - beatenNanos;
    long nanos = beatNanos() - Math.floorMod(passed + beatNanos() / 2, beatNanos());
    return nanos < beatNanos() / 4 ? nanos + beatNanos() : nanos; // it was just early
  }

  private void endRests() {
    endFollowersRests();
    members.values().forEach(RatisDivision::endRests);
  }

  /** Looks again and again whether those are heard that this node feeds, or is to feed. */
  private void watchConnections() {
    giveUpSilent();
    members.values().forEach(RatisDivision::reviewNewMembers);
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
                                NodeServer.idOf(node), nowNanos - millis * 1_000_000, Math::max)));
    connections.silent(heardNanos, nowNanos).forEach(each -> giveUp(each, "It answers nothing."));
  }

  /** Closes the logs of all shards, and stops listening. */
  @Override
  public void close() {
    logs.values().forEach(RatisLog::end);
    members.values().forEach(RatisDivision::endApplying);
    try {
      server.server().close(); // all shards at once: each takes up to a second
    } catch (IOException e) {
      // Nothing is lost: every entry that was acknowledged is synced.
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.WARNING, "The server of the logs was not closed cleanly", e);
    }
    connectionLooks.end();
    beats.end();
    rests.end();
  }

  // ---------------------------------------------------------------- for the logs

  /** {@return the member of a shard that is open here} */
  @Nullable RatisDivision member(int shard) {
    return members.get(groupOf(shard));
  }

  EndedLeaders endedLeaders() {
    return endedLeaders;
  }

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

  /**
   * Opens the log of a shard; only its first members are said here, it knows the later ones. It
   * hears the others from {@link LogDivision#takePart} on.
   */
  LogDivision join(
      int shard,
      Map<NodeId, InetSocketAddress> first,
      StateMachine machine,
      BooleanSupplier hasFailed) {
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
          server
              .server()
              .groupManagement(
                  GroupManagementRequest.newAdd(
                      server.client(),
                      server.self(),
                      server.nextCall(),
                      RaftGroup.valueOf(group, peers(first)),
                      /* format= */ isNew));
      if (!reply.isSuccess()) {
        throw new IOException("Ratis refused the shard", reply.getException());
      }
      RaftServer.Division division = server.server().getDivision(group);
      LogWriteBuffer.replace(division, directory);
      RatisDivision open =
          new RatisDivision(server, group, division, FollowerAppends.takeOver(division, hasFailed));
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

  private static List<RaftPeer> peers(Map<NodeId, InetSocketAddress> first) {
    Map<NodeId, String> peers = new HashMap<>();
    first.forEach((node, at) -> peers.put(node, at.getHostString() + ":" + at.getPort()));
    return NodeServer.peers(peers);
  }

  /** Takes no part in a shard any more; its files stay. */
  void leave(int shard) {
    RaftGroupId group = groupOf(shard);
    server.joined().remove(group);
    RatisDivision left = members.remove(group);
    if (left != null) {
      left.endApplying();
    }
    try {
      if (stateMachines.remove(group) != null) {
        server
            .server()
            .groupManagement(
                GroupManagementRequest.newRemove(
                    server.client(),
                    server.self(),
                    server.nextCall(),
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
}
