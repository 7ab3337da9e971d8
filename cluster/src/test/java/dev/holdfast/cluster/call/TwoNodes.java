package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.tls.CertificateAuthority;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.faults.TcpProxy;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Node {@code a}, which calls, and node {@code b}, which is called through a proxy, over TLS on the
 * loopback interface. Each part can be replaced before the nodes are opened.
 */
class TwoNodes implements AutoCloseable {

  static final NodeId A = new NodeId("a");
  static final NodeId B = new NodeId("b");
  static final Duration LONG = Duration.ofSeconds(30);
  static final ObjectId ID = ObjectId.of(new byte[32], "one");

  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  final SystemTimeSource time = new SystemTimeSource();
  final Map<NodeId, InetSocketAddress> members = new ConcurrentHashMap<>();
  volatile boolean isMade; // otherwise the cluster is being made
  final Map<NodeId, Long> incarnations = new ConcurrentHashMap<>();
  final Set<NodeId> older = ConcurrentHashMap.newKeySet();
  final Set<NodeId> removed = ConcurrentHashMap.newKeySet();
  final BlockingQueue<ClusterException> refused = new LinkedBlockingQueue<>();
  final BlockingQueue<ClusterException> unusable = new LinkedBlockingQueue<>();

  /** The clock of node a. */
  TimeSource timeOfA = time;

  /** The wall clock of node b. */
  InstantSource timeOfB = InstantSource.system();

  EndpointOptions optionsA;
  EndpointOptions optionsB;
  CallHandler handler = call -> call.reply(call.arguments().getFirst());

  private @Nullable CallEndpoint a;
  private @Nullable CallEndpoint b;
  private @Nullable TcpProxy proxy;

  TwoNodes(Path directory) throws IOException {
    CertificateAuthority authority = authority("shop");
    optionsA = options("shop", "a", certificate(authority, directory, "a"));
    optionsB = options("shop", "b", certificate(authority, directory, "b"));
    members.put(A, ANY_PORT);
    members.put(B, ANY_PORT);
  }

  static CertificateAuthority authority(String name) {
    Instant now = Instant.now();
    return CertificateAuthority.of(
        name, now.minus(Duration.ofDays(9)), now.plus(Duration.ofDays(9)));
  }

  static TlsFiles certificate(CertificateAuthority authority, Path directory, String node)
      throws IOException {
    Instant now = Instant.now();
    return certificate(
        authority, directory, node, now.minus(Duration.ofHours(1)), now.plus(Duration.ofHours(1)));
  }

  static TlsFiles certificate(
      CertificateAuthority authority, Path directory, String node, Instant from, Instant until)
      throws IOException {
    return authority.write(
        Files.createDirectories(directory.resolve("for-" + node)), node, from, until);
  }

  static EndpointOptions options(String cluster, String node, @Nullable TlsFiles tls) {
    return new EndpointOptions(
        cluster, new NodeId(node), node.charAt(0), 1, 0, 1, ANY_PORT, tls, false, LONG);
  }

  static EndpointOptions withSilence(EndpointOptions of, Duration silence) {
    return new EndpointOptions(
        of.cluster(),
        of.node(),
        of.incarnation(),
        of.opening(),
        of.lineage(),
        of.shards(),
        of.address(),
        of.tls(),
        false,
        silence);
  }

  TwoNodes open() throws IOException {
    Members known = known();
    CallEvents events =
        new CallEvents() {
          @Override
          public void refused(ClusterException why) {
            refused.add(why);
          }

          @Override
          public void certificatesUnusable(ClusterException why) {
            unusable.add(why);
          }
        };
    b =
        CallEndpoint.open(
            optionsB, known, new Wall(time, timeOfB), call -> handler.call(call), events);
    proxy = new TcpProxy(b.address());
    members.put(B, proxy.address());
    a =
        CallEndpoint.open(
            optionsA,
            known,
            timeOfA,
            call -> {
              throw new AssertionError("nobody calls a");
            },
            CallEvents.NONE);
    return this;
  }

  Members known() {
    return new KnownMembers();
  }

  /** A clock with another time of day. */
  private record Wall(TimeSource time, InstantSource wall) implements TimeSource {

    @Override
    public long wallMillis() {
      return wall.millis();
    }

    @Override
    public long monotonicNanos() {
      return time.monotonicNanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return time.schedule(delayNanos, task);
    }
  }

  private final class KnownMembers implements Members {
    @Override
    public List<NodeId> nodes() {
      return List.of(A, B);
    }

    @Override
    public boolean isBeingMade() {
      return !isMade;
    }

    @Override
    public Optional<InetSocketAddress> addressOf(NodeId node) {
      return Optional.ofNullable(members.get(node));
    }

    @Override
    public boolean met(NodeId node, long incarnation, long opening) {
      return !older.contains(node);
    }

    @Override
    public boolean isRemoved(NodeId node, long incarnation) {
      return removed.contains(node);
    }

    @Override
    public OptionalLong incarnationOf(NodeId node) {
      Long incarnation = incarnations.get(node);
      return incarnation == null ? OptionalLong.empty() : OptionalLong.of(incarnation);
    }
  }

  CallEndpoint a() {
    return Objects.requireNonNull(a);
  }

  CallEndpoint b() {
    return Objects.requireNonNull(b);
  }

  TcpProxy proxy() {
    return Objects.requireNonNull(proxy);
  }

  static CallUnderWay call(Value... arguments) {
    return new CallUnderWay(
        "carts", ID, "echo(java.lang.Object)", List.of(), List.of(), List.of(arguments));
  }

  static Value value(Object value) {
    return new Value.Cloned(StructuredClone.standard().encode(value));
  }

  static Value bytes(int length) {
    return new Value.Cloned(new byte[length]);
  }

  PendingCall send(Value argument) {
    return a().send(B, call(argument), 0);
  }

  static CallOutcome outcome(PendingCall call) throws Exception {
    return call.outcome().get(60, TimeUnit.SECONDS);
  }

  static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("nothing came");
    }
    return next;
  }

  @Override
  public void close() throws IOException {
    if (a != null) {
      a.close();
    }
    if (b != null) {
      b.close();
    }
    if (proxy != null) {
      proxy.close();
    }
    time.close();
  }
}
