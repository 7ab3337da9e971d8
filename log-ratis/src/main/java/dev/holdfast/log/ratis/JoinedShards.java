package dev.holdfast.log.ratis;

import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerBuilder;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.ServerServiceDefinition;
import org.apache.ratis.thirdparty.io.grpc.ServerTransportFilter;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the requests of other members from a shard that is being joined. Ratis refuses most of them
 * until it has opened the log, and the rest until that was compared with the replica: a log that
 * has lost its end must not vote. The notification that entries are dropped would make the member a
 * follower in the middle of its start, which then fails and leaves a member that nobody can close.
 * Thread-safe.
 */
final class JoinedShards implements ServerInterceptor {

  private final Set<RaftGroupId> joined = ConcurrentHashMap.newKeySet();

  void add(RaftGroupId group) {
    joined.add(group);
  }

  boolean has(RaftGroupId group) {
    return joined.contains(group);
  }

  void remove(RaftGroupId group) {
    joined.remove(group);
  }

  /**
   * Returns what adds this to the server: a proxy, as javac cannot read its builder's class.
   *
   * @param requests looks at those of leaders
   * @param heartbeats answers those of idle shards
   * @param connections is asked about each connection; null if none is checked
   */
  GrpcServices.Customizer customizer(
      ServerInterceptor requests,
      ServerServiceDefinition heartbeats,
      @Nullable ServerTransportFilter connections) {
    return (GrpcServices.Customizer)
        Proxy.newProxyInstance(
            GrpcServices.Customizer.class.getClassLoader(),
            new Class<?>[] {GrpcServices.Customizer.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("customize")) {
                return method.invoke(this, arguments);
              }
              ServerBuilder<?> server =
                  ((ServerBuilder<?>) arguments[0])
                      .addService(heartbeats)
                      .callExecutor(SharedHeartbeats.THREADS)
                      .intercept(this)
                      .intercept(requests);
              if (connections != null) {
                server.addTransportFilter(connections);
              }
              return arguments[0];
            });
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    ServerCall.Listener<Q> listener = next.startCall(call, headers);
    return new Guard<>(call, listener);
  }

  private static @Nullable ByteString groupOf(Object message) {
    RaftRpcRequestProto request =
        switch (message) {
          case AppendEntriesRequestProto append -> append.getServerRequest();
          case InstallSnapshotRequestProto install -> install.getServerRequest();
          case RequestVoteRequestProto vote -> vote.getServerRequest();
          case StartLeaderElectionRequestProto start -> start.getServerRequest();
          default -> null;
        };
    return request == null ? null : request.getRaftGroupId().getId();
  }

  /** Called by one thread at a time. */
  private final class Guard<Q> extends SimpleForwardingServerCallListener<Q> {

    private final ServerCall<Q, ?> call;
    private boolean isRefused;

    Guard(ServerCall<Q, ?> call, ServerCall.Listener<Q> listener) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      if (isRefused) {
        return;
      }
      ByteString group = groupOf(message);
      if (group != null && !joined.contains(RaftGroupId.valueOf(group))) {
        isRefused = true;
        call.close(
            Status.UNAVAILABLE.withDescription("The shard is not joined yet; try again"),
            new Metadata());
        return;
      }
      super.onMessage(message);
    }

    @Override
    public void onHalfClose() {
      if (!isRefused) { // otherwise it would be answered twice
        super.onHalfClose();
      }
    }
  }
}
