package dev.holdfast.log.ratis;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.io.grpc.CallOptions;
import org.apache.ratis.thirdparty.io.grpc.Channel;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallExecutorSupplier;
import org.apache.ratis.thirdparty.io.grpc.ServerServiceDefinition;
import org.apache.ratis.thirdparty.io.grpc.Status;
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
  private static final String SERVICE = "holdfast.log.SharedHeartbeats2";

  private static final int ENTRY_BYTES = 2 * Long.BYTES + 2 * Long.BYTES;
  private static final int NAME_BYTES_MAX = 255;
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int ENTRIES_MAX = 10_000;

  /** How many messages may be under way; then another call is begun. */
  private static final int UNANSWERED_MAX = 3;

  /**
   * A message is answered by the thread that reads it: it waits for nothing, and each hand-over
   * wakes two threads.
   */
  static final ServerCallExecutorSupplier THREADS =
      new ServerCallExecutorSupplier() {
        @Override
        public <Q, R> @Nullable Executor getExecutor(ServerCall<Q, R> call, Metadata headers) {
          boolean isHeartbeat = SERVICE.equals(call.getMethodDescriptor().getServiceName());
          return isHeartbeat ? Runnable::run : null; // null: the pool of the server
        }
      };

  private static final MethodDescriptor<byte[], byte[]> METHOD =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
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
     * Remembers when it has heard its leader. Waits for no lock: the thread reads all connections.
     *
     * @return whether this is its leader in this term, and it lacks nothing
     */
    boolean hears(RaftPeerId leader, long term, long last);
  }

  private final RaftPeerId self;
  private final Supplier<Collection<? extends Fed>> fed;
  private final Function<RaftGroupId, @Nullable Follower> followers;
  private final Map<RaftPeerId, Call> calls = new ConcurrentHashMap<>();

  /**
   * Creates it.
   *
   * @param self this node
   * @param fed the followers of all shards that this node leads
   * @param followers the member of a shard; null if it is not open
   */
  SharedHeartbeats(
      RaftPeerId self,
      Supplier<Collection<? extends Fed>> fed,
      Function<RaftGroupId, @Nullable Follower> followers) {
    this.self = self;
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
          Call call = calls.get(other);
          if (call == null || !call.goesOnWith(shards)) {
            Call next = new Call();
            calls.put(other, next);
            // A connection that is just given up and made again holds a thread that asks for it.
            Thread.ofVirtual()
                .name("holdfast-log-heartbeat")
                .start(() -> next.begin(connections, other, shards));
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

  /**
   * What was sent.
   *
   * @param asked the followers, in the order of the answer
   * @param sent when
   */
  private record Message(List<Fed> asked, Timestamp sent) {}

  /**
   * A call to another node, with one message after the other. Another one is begun when its
   * connection ends, or when too many messages are not answered; the shards have heartbeats of
   * their own until one is.
   */
  private final class Call implements StreamObserver<byte[]> {

    // All guarded by this.
    private @Nullable StreamObserver<byte[]> messages;
    private boolean hasEnded;

    /** Those under way; they are answered in their order. */
    private final Deque<Message> unanswered = new ArrayDeque<>();

    void begin(Connections connections, RaftPeerId other, Map<Fed, Idle> shards) {
      boolean goesOn = false;
      try {
        Channel connection = connections.to(other);
        synchronized (this) {
          messages =
              ClientCalls.asyncBidiStreamingCall(
                  connection.newCall(METHOD, CallOptions.DEFAULT.withExecutor(Runnable::run)),
                  this);
        }
        goesOn = goesOnWith(shards);
      } catch (IOException | RuntimeException _) {
        // The shards have heartbeats of their own until a later call is answered.
      } finally {
        if (!goesOn) {
          end(); // the next heartbeat begins another call
        }
      }
    }

    /** Sends another message, if this has begun. {@return whether no other call is needed} */
    synchronized boolean goesOnWith(Map<Fed, Idle> shards) {
      StreamObserver<byte[]> open = messages;
      if (hasEnded || open == null) {
        return !hasEnded; // else it is about to begin
      }
      if (unanswered.size() == UNANSWERED_MAX) {
        end();
        open.onError(Status.CANCELLED.withDescription("It is not answered.").asException());
        return false;
      }
      List<Fed> asked = shards.keySet().stream().limit(ENTRIES_MAX).toList();
      unanswered.add(new Message(asked, Timestamp.currentTime()));
      open.onNext(encode(self, asked.stream().map(shards::get).toList()));
      return true;
    }

    @Override
    public synchronized void onNext(byte[] answer) {
      Message message = unanswered.pollFirst();
      if (message == null) {
        return; // it has ended
      }
      for (int i = 0; i < Math.min(answer.length, message.asked().size()); i++) {
        if (answer[i] == 1) {
          message.asked().get(i).answered(message.sent());
        }
      }
    }

    private synchronized void end() {
      hasEnded = true;
      unanswered.clear(); // with the members that they name
    }

    @Override
    public void onError(Throwable why) {
      end();
    }

    @Override
    public void onCompleted() {
      end();
    }
  }

  /** {@return the part of this node's server that answers} */
  ServerServiceDefinition service() {
    return ServerServiceDefinition.builder(SERVICE)
        .addMethod(
            METHOD,
            ServerCalls.asyncBidiStreamingCall(
                sender ->
                    new StreamObserver<byte[]>() {
                      @Override
                      public void onNext(byte[] message) {
                        sender.onNext(answer(message));
                      }

                      @Override
                      public void onError(Throwable why) {
                        // The connection has ended, and the call with it.
                      }

                      @Override
                      public void onCompleted() {
                        sender.onCompleted();
                      }
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
