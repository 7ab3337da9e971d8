package dev.holdfast.benchmarks.compare.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.thirdparty.io.grpc.CallOptions;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor.MethodType;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyChannelBuilder;
import org.apache.ratis.thirdparty.io.grpc.stub.ClientCalls;

/**
 * Three members of etcd from Debian, and connections to the one that leads. Debian has no client in
 * Java: this one is gRPC's own, as Ratis has it, with messages written by hand. Thread-safe once it
 * has started.
 */
public final class EtcdCluster implements AutoCloseable {

  private static final int MEMBERS = 3;
  private static final int LEADER_TRIES = 300;
  private static final long TRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The tags of {@code etcdserverpb.PutRequest}: two fields of bytes. */
  private static final int KEY_TAG = (1 << 3) | 2;

  private static final int VALUE_TAG = (2 << 3) | 2;

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private static final MethodDescriptor<byte[], byte[]> PUT =
      MethodDescriptor.<byte[], byte[]>newBuilder(BYTES, BYTES)
          .setType(MethodType.UNARY)
          .setFullMethodName("etcdserverpb.KV/Put")
          .build();

  private final List<ServerProcess> processes = new ArrayList<>();
  private final List<ManagedChannel> connections = new ArrayList<>();

  private EtcdCluster() {}

  /**
   * Starts the members, and waits until one leads.
   *
   * @param files the programs
   * @param directory for their data
   * @param connections how many connections are opened to the leader
   */
  public static EtcdCluster start(PeerFiles files, Path directory, int connections)
      throws Exception {
    EtcdCluster cluster = new EtcdCluster();
    try {
      int port = cluster.startMembers(files, directory);
      for (int i = 0; i < connections; i++) {
        cluster.connections.add(
            NettyChannelBuilder.forAddress(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .usePlaintext()
                .build());
      }
      cluster.put(0, "first", new byte[1]);
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  private int startMembers(PeerFiles files, Path directory) throws Exception {
    Set<Integer> free = new LinkedHashSet<>();
    while (free.size() < 2 * MEMBERS) {
      free.add(ServerProcess.freePort());
    }
    List<Integer> ports = List.copyOf(free);
    List<String> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      members.add("n" + i + "=" + url(ports.get(MEMBERS + i)));
    }
    for (int i = 0; i < MEMBERS; i++) {
      String clients = url(ports.get(i));
      String peers = url(ports.get(MEMBERS + i));
      processes.add(
          ServerProcess.start(
              List.of(
                  files.debian("usr/bin/etcd").toString(),
                  "--name=n" + i,
                  "--data-dir=" + directory.resolve("n" + i),
                  "--listen-client-urls=" + clients,
                  "--advertise-client-urls=" + clients,
                  "--listen-peer-urls=" + peers,
                  "--initial-advertise-peer-urls=" + peers,
                  "--initial-cluster=" + String.join(",", members),
                  "--initial-cluster-state=new",
                  "--log-level=error"),
              Map.of(),
              directory.resolve("log" + i)));
    }
    for (int i = 0; i < MEMBERS; i++) {
      processes.get(i).awaitPort(ports.get(i));
    }
    return awaitLeader(ports.subList(0, MEMBERS));
  }

  private static String url(int port) {
    return "http://127.0.0.1:" + port;
  }

  private static int awaitLeader(List<Integer> ports) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      for (int i = 0; i < LEADER_TRIES; i++) {
        for (int port : ports) {
          if (isLeader(http, port)) {
            return port;
          }
        }
        LockSupport.parkNanos(TRY_NANOS);
      }
    }
    throw new IOException("etcd has no leader");
  }

  private static boolean isLeader(HttpClient http, int port) throws Exception {
    HttpRequest status =
        HttpRequest.newBuilder(URI.create(url(port) + "/v3/maintenance/status"))
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    JsonNode answer =
        new ObjectMapper().readTree(http.send(status, BodyHandlers.ofString()).body());
    String leader = answer.path("leader").asText("0");
    return !leader.equals("0") && leader.equals(answer.path("header").path("member_id").asText());
  }

  /**
   * Puts a value; returns when a majority has it.
   *
   * @param connection its number
   * @param key the key
   * @param value the value
   */
  public void put(int connection, String key, byte[] value) {
    ByteArrayOutputStream request = new ByteArrayOutputStream(key.length() + value.length + 8);
    field(request, KEY_TAG, key.getBytes(StandardCharsets.UTF_8));
    field(request, VALUE_TAG, value);
    ClientCalls.blockingUnaryCall(
        connections.get(connection), PUT, CallOptions.DEFAULT, request.toByteArray());
  }

  private static void field(ByteArrayOutputStream request, int tag, byte[] bytes) {
    request.write(tag);
    int length = bytes.length;
    while (length > 0x7F) {
      request.write((length & 0x7F) | 0x80);
      length >>>= 7;
    }
    request.write(length);
    request.writeBytes(bytes);
  }

  /** {@return the processor time that its members have used} */
  public long cpuNanos() {
    return processes.stream().mapToLong(ServerProcess::cpuNanos).sum();
  }

  @Override
  public void close() {
    connections.forEach(ManagedChannel::shutdownNow);
    processes.forEach(ServerProcess::close);
  }
}
