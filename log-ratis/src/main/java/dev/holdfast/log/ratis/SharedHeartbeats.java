package dev.holdfast.log.ratis;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.io.grpc.CallOptions;
import org.apache.ratis.thirdparty.io.grpc.Channel;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.ServerServiceDefinition;
import org.apache.ratis.thirdparty.io.grpc.stub.ClientCalls;
import org.apache.ratis.thirdparty.io.grpc.stub.ServerCalls;
import org.apache.ratis.thirdparty.io.grpc.stub.StreamObserver;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeats of all idle shards from this node to another one, in one message. Ratis 3.3.0
 * sends one for each shard.
 *
 * <p>A message names the shards that this node leads and in which the other one lacks nothing, each
 * with its term and its last entry. The other node takes that for a heartbeat of those shards in
 * which it follows this leader in this term and has this entry, and answers which. Whatever else is
 * so in a shard, and whenever no answer comes, Ratis sends heartbeats as it does without this: here
 * nothing is decided, neither that a leader is lost nor that there is another one. Thread-safe.
 */
final class SharedHeartbeats {

  /** Also what a version of the message is known by: other nodes answer that they know no other. */
  private static final String SERVICE = "holdfast.log.SharedHeartbeats1";

  private static final int ENTRY_BYTES = 2 * Long.BYTES + 2 * Long.BYTES;
  private static final int NAME_BYTES_MAX = 255;
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int ENTRIES_MAX = 10_000;

  private static final MethodDescriptor<byte[], byte[]> METHOD =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "beat"))
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  /**
   * A shard in which a follower lacks nothing.
   *
   * @param shard the group
   * @param term in which this node leads it
   * @param last the last entry, which both know to be accepted
   */
  record Idle(RaftGroupId shard, long term, long last) {}

  /** What a leader knows of a follower of one shard. */
  interface Fed {

    /** {@return the follower} */
    RaftPeerId follower();

    /** {@return the shard as the follower has it, if it has lacked nothing for a while; or null} */
    @Nullable Idle idle();

    /**
     * The follower has answered in place of one heartbeat.
     *
     * @param sent when that was sent: its election timer began again after that
     */
    void answered(Timestamp sent);
  }

  /** What a follower does with a heartbeat. */
  interface Follower {

    /**
     * Remembers when it has heard its leader.
     *
     * @return whether this is its leader in this term, and it lacks nothing
     */
    boolean hears(RaftPeerId leader, long term, long last);
  }

  private final RaftPeerId self;
  private final long periodMillis;
  private final Supplier<Collection<? extends Fed>> fed;
  private final Function<RaftGroupId, @Nullable Follower> followers;
  private final Set<RaftPeerId> asked = ConcurrentHashMap.newKeySet();

  /**
   * Creates it.
   *
   * @param self this node
   * @param periodMillis how often {@link #send} is called, and how long an answer may take
   * @param fed the followers of all shards that this node leads
   * @param followers the member of a shard; null if it is not open
   */
  SharedHeartbeats(
      RaftPeerId self,
      long periodMillis,
      Supplier<Collection<? extends Fed>> fed,
      Function<RaftGroupId, @Nullable Follower> followers) {
    this.self = self;
    this.periodMillis = periodMillis;
    this.fed = fed;
    this.followers = followers;
  }

  /** Finds the connection to another node. */
  interface Connections {

    /** {@return the connection of heartbeats} */
    Channel to(RaftPeerId other) throws IOException;
  }

  /** Sends a message to each node that has idle shards. Returns at once. */
  void send(Connections connections) {
    Map<RaftPeerId, Map<Fed, Idle>> idle = new HashMap<>();
    for (Fed each : fed.get()) {
      Idle shard = idle(each);
      if (shard != null) {
        idle.computeIfAbsent(each.follower(), _ -> new HashMap<>()).put(each, shard);
      }
    }
    idle.forEach(
        (other, shards) -> {
          if (asked.add(other)) { // else the last one is under way: its time is over soon
            // A connection that is just given up and made again holds a thread that asks for it.
            Thread.ofVirtual()
                .name("holdfast-log-heartbeat")
                .start(() -> send(connections, other, shards));
          }
        });
  }

  /** Ratis may just close the member, or another term begins: that shard alone is left out. */
  private static @Nullable Idle idle(Fed follower) {
    try {
      return follower.idle();
    } catch (IllegalStateException e) {
      return null;
    }
  }

  private static boolean isHeard(
      @Nullable Follower member, RaftPeerId leader, long term, long last) {
    try {
      return member != null && member.hears(leader, term, last);
    } catch (IllegalStateException e) {
      return false; // as above
    }
  }

  private void send(Connections connections, RaftPeerId other, Map<Fed, Idle> shards) {
    try {
      send(connections.to(other), other, shards);
    } catch (IOException | RuntimeException e) {
      asked.remove(other); // the shards have heartbeats of their own until one is answered
    }
  }

  private void send(Channel connection, RaftPeerId other, Map<Fed, Idle> shards) {
    List<Fed> order = List.copyOf(shards.keySet());
    List<Idle> named = order.stream().map(shards::get).limit(ENTRIES_MAX).toList();
    Timestamp sent = Timestamp.currentTime();
    ClientCalls.asyncUnaryCall(
        connection.newCall(
            METHOD, CallOptions.DEFAULT.withDeadlineAfter(periodMillis, TimeUnit.MILLISECONDS)),
        encode(self, named),
        new StreamObserver<byte[]>() {
          @Override
          public void onNext(byte[] answer) {
            for (int i = 0; i < Math.min(answer.length, named.size()); i++) {
              if (answer[i] == 1) {
                order.get(i).answered(sent);
              }
            }
          }

          @Override
          public void onError(Throwable why) {
            asked.remove(other);
          }

          @Override
          public void onCompleted() {
            asked.remove(other);
          }
        });
  }

  /** {@return the part of this node's server that answers} */
  ServerServiceDefinition service() {
    return ServerServiceDefinition.builder(SERVICE)
        .addMethod(
            METHOD,
            ServerCalls.asyncUnaryCall(
                (message, sender) -> {
                  sender.onNext(answer(message));
                  sender.onCompleted();
                }))
        .build();
  }

  /** {@return one byte for each shard of a message: 1 if it is heard, else 0} */
  byte[] answer(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message);
    byte[] name = new byte[in.get() & 0xFF];
    in.get(name);
    RaftPeerId leader = RaftPeerId.valueOf(new String(name, StandardCharsets.UTF_8));
    byte[] answer = new byte[in.remaining() / ENTRY_BYTES];
    for (int i = 0; i < answer.length; i++) {
      Follower member = followers.apply(RaftGroupId.valueOf(new UUID(in.getLong(), in.getLong())));
      long term = in.getLong();
      long last = in.getLong();
      answer[i] = (byte) (isHeard(member, leader, term, last) ? 1 : 0);
    }
    return answer;
  }

  static byte[] encode(RaftPeerId self, List<Idle> shards) {
    byte[] name = self.toString().getBytes(StandardCharsets.UTF_8);
    if (name.length > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("The name of a node has too many bytes: " + self);
    }
    ByteBuffer out = ByteBuffer.allocate(1 + name.length + shards.size() * ENTRY_BYTES);
    out.put((byte) name.length).put(name);
    for (Idle each : shards) {
      UUID group = each.shard().getUuid();
      out.putLong(group.getMostSignificantBits()).putLong(group.getLeastSignificantBits());
      out.putLong(each.term()).putLong(each.last());
    }
    return out.array();
  }

  /** Messages as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream message) {
      try {
        return message.readNBytes(MESSAGE_BYTES_MAX);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
