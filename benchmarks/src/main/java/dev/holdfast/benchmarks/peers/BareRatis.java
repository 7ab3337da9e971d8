package dev.holdfast.benchmarks.peers;

import dev.holdfast.spi.log.ReplicatedLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * Three servers of Apache Ratis in this process, with one group and the settings of {@code
 * log-ratis}: each record is an entry. Thread-safe once it is open.
 */
public final class BareRatis implements AutoCloseable {

  private static final int SERVERS = 3;
  private static final long FAILOVER_MILLIS = 3_000;
  private static final long READY_SECONDS = 60;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("16MB");
  private static final long APPENDER_BYTES = 2L * ReplicatedLog.ENTRY_BYTES_MAX;

  private final List<RaftServer> servers = new ArrayList<>();
  private final RaftGroup group;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private final RaftServer.Division leader;

  private BareRatis(Path directory) throws IOException {
    List<RaftPeer> peers = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      peers.add(
          RaftPeer.newBuilder()
              .setId(RaftPeerId.valueOf("n" + i))
              .setAddress("127.0.0.1:" + freePort())
              .build());
    }
    group = RaftGroup.valueOf(RaftGroupId.valueOf(new UUID(1, 1)), peers);
    for (RaftPeer peer : peers) {
      Path own = Files.createDirectories(directory.resolve(peer.getId().toString()));
      RaftServer server =
          RaftServer.newBuilder()
              .setServerId(peer.getId())
              .setGroup(group)
              .setProperties(properties(peer, own))
              .setStateMachine(new Forgetful())
              .setOption(RaftStorage.StartupOption.FORMAT)
              .build();
      servers.add(server);
      server.start();
    }
    leader = awaitLeader();
  }

  /** Starts the servers, and waits until one leads. */
  public static BareRatis open(Path directory) throws IOException {
    return new BareRatis(directory);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The settings of {@code dev.holdfast.log.ratis.Settings}, which has a reason for each. */
  private static RaftProperties properties(RaftPeer peer, Path directory) {
    RaftProperties properties = new RaftProperties();
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    GrpcConfigKeys.Server.setHost(properties, "127.0.0.1");
    GrpcConfigKeys.Server.setPort(
        properties, Integer.parseInt(peer.getAddress().substring("127.0.0.1:".length())));
    GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf(2 * APPENDER_BYTES));
    TimeDuration least = TimeDuration.valueOf(FAILOVER_MILLIS / 2, TimeUnit.MILLISECONDS);
    TimeDuration most = TimeDuration.valueOf(FAILOVER_MILLIS, TimeUnit.MILLISECONDS);
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, least);
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, most);
    RaftServerConfigKeys.RetryCache.setExpiryTime(
        properties, TimeDuration.valueOf(2, TimeUnit.SECONDS));
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SEGMENT);
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, SEGMENT);
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("4MB"));
    RaftServerConfigKeys.Log.setWriteBufferSize(
        properties, SizeInBytes.valueOf(APPENDER_BYTES + (64 << 10)));
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.Appender.setWaitTimeMin(properties, TimeDuration.ZERO);
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(
        properties, SizeInBytes.valueOf(APPENDER_BYTES));
    return properties;
  }

  private RaftServer.Division awaitLeader() throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    while (System.nanoTime() < end) {
      for (RaftServer server : servers) {
        RaftServer.Division division = server.getDivision(group.getGroupId());
        if (division.getInfo().isLeader() && division.getInfo().isLeaderReady()) {
          return division;
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    close();
    throw new IOException("Ratis has no leader after " + READY_SECONDS + " s");
  }

  /** Appends a record, and returns when a majority has it and the leader has applied it. */
  public void append(byte[] record) throws Exception {
    // The division itself, as log-ratis does: the server would hand the request to a pool.
    RaftClientAsynchronousProtocol direct = (RaftClientAsynchronousProtocol) leader;
    RaftClientReply reply =
        direct
            .submitClientRequestAsync(
                RaftClientRequest.newBuilder()
                    .setClientId(client)
                    .setServerId(leader.getId())
                    .setGroupId(group.getGroupId())
                    .setCallId(calls.incrementAndGet())
                    .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(record)))
                    .setType(RaftClientRequest.writeRequestType())
                    .build())
            .get();
    if (!reply.isSuccess()) {
      throw new IOException("Ratis refused a record", reply.getException());
    }
  }

  @Override
  public void close() throws IOException {
    for (RaftServer each : servers) {
      each.close();
    }
  }

  /** It keeps nothing: only the log is compared. */
  private static final class Forgetful extends BaseStateMachine {

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
      return TransactionContext.newBuilder()
          .setStateMachine(this)
          .setClientRequest(request)
          .build();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext context) {
      LogEntryProto entry = context.getLogEntry();
      if (entry != null) {
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
      }
      return CompletableFuture.completedFuture(Message.EMPTY);
    }
  }
}
