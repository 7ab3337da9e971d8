package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.call.MemberTls;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.tls.CertificateAuthority;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.log.ratis.LogTls;
import dev.holdfast.log.ratis.RatisNode;
import dev.holdfast.log.ratis.RatisOptions;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The port of the logs: which peers are let in, and what bytes of others do. */
final class LogPortTest {

  private static final int ROUNDS =
      "long".equals(System.getProperty("holdfast.tests")) ? 2_000 : 12;

  /** This number of messages of 2 GiB would not fit into any machine of a test. */
  private static final int CLAIMS = 40;

  private static final Duration DAY = Duration.ofDays(1);

  @TempDir private static Path shared;
  private static ThreeNodes nodes;

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  @BeforeAll
  static void openNodes() throws Exception {
    nodes = ThreeNodes.open(shared, 1, LogPortTest::register);
  }

  @AfterAll
  static void closeNodes() {
    nodes.close();
  }

  private static InetSocketAddress logOf(ThreeNodes cluster, String node) {
    ClusterOptions options = cluster.options(node);
    return MemberAddress.logOf(Objects.requireNonNull(options.addresses().get(options.self())));
  }

  private static TlsFiles filesOf(ThreeNodes cluster, String node) {
    return Objects.requireNonNull(cluster.options(node).tls());
  }

  private static boolean isAccepted(InetSocketAddress address, SSLContext context)
      throws IOException {
    try (LogPortClient client = LogPortClient.connect(address, context)) {
      return client.isAccepted();
    }
  }

  /** Adds to a count that only this test changes, which needs a majority of the logs. */
  private static void assertCommits(ThreeNodes cluster, String node, String name) {
    Counter counter = cluster.get(node).namespace("counters", Counter.class).getByName(name);
    long before = ThreeNodes.known(() -> counter.add(0));
    assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), before))
        .isEqualTo(before + 1);
  }

  @Test
  void certificateOfAMemberIsAccepted() throws Exception {
    assertThat(isAccepted(logOf(nodes, "b"), LogPortClient.showing(filesOf(nodes, "a")))).isTrue();
  }

  @Test
  void certificateOfAnotherAuthorityIsRefused() throws Exception {
    Instant now = Instant.now();
    TlsFiles stranger =
        CertificateAuthority.of("test", now.minus(DAY), now.plus(DAY))
            .write(directory, "a", now.minus(DAY), now.plus(DAY));

    assertThat(isAccepted(logOf(nodes, "b"), LogPortClient.showing(stranger))).isFalse();
  }

  @Test
  void certificateOfTheAuthorityThatNamesNoMemberIsRefused() throws Exception {
    // Node d has one, and was never added.
    assertThat(isAccepted(logOf(nodes, "b"), LogPortClient.showing(filesOf(nodes, "d")))).isFalse();
  }

  @Test
  void noCertificateIsRefused() throws Exception {
    SSLContext without = SSLContext.getInstance("TLS");
    without.init(null, LogPortClient.TRUSTING, null);

    assertThat(isAccepted(logOf(nodes, "b"), without)).isFalse();
  }

  @Test
  void plaintextIsRefused() throws Exception {
    try (LogPortClient client = LogPortClient.plain(logOf(nodes, "b"))) {
      assertThat(client.isAccepted()).isFalse();
    }
  }

  /** It keeps what it needs to go on with the earlier connection, and would not be checked. */
  @Test
  void memberThatWasRemovedIsRefusedAlthoughItWasConnected() throws Exception {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.pairs(1).getFirst());
    NodeId self = new NodeId("b");
    NodeId removed = new NodeId("a");
    Map<NodeId, InetSocketAddress> members = new ConcurrentHashMap<>(Map.of(self, address));
    members.put(removed, logOf(nodes, "a"));
    MemberTls tls =
        new MemberTls(filesOf(nodes, "b"), () -> members, InstantSource.system(), _ -> {});
    try (RatisNode node =
        RatisNode.open(
            RatisOptions.withTls(
                "test",
                self,
                directory,
                Map.of(self, address),
                new LogTls(tls.keys(), tls.trust())))) {
      assertThat(node).isNotNull();
      SSLContext context = LogPortClient.showing(filesOf(nodes, "a"));
      assertThat(isAccepted(address, context)).isTrue();

      members.remove(removed);

      assertThat(isAccepted(address, context)).isFalse();
    }
  }

  @Test
  void randomBytesHarmNobody() throws Exception {
    Random random = new Random(11);
    SSLContext member = LogPortClient.showing(filesOf(nodes, "a"));
    for (String node : List.of("b", "c")) {
      for (int round = 0; round < ROUNDS; round++) {
        byte[] noise = new byte[1 + random.nextInt(2_000)];
        random.nextBytes(noise);
        try (LogPortClient client = LogPortClient.plain(logOf(nodes, node))) {
          if (round % 2 == 0) { // as the head of a record of TLS begins, of any length
            System.arraycopy(new byte[] {22, 3, 3}, 0, noise, 0, Math.min(3, noise.length));
          }
          client.send(noise);
        } catch (SocketException e) {
          assertThat(e).isNotNull(); // the node was faster to end it
        }
        try (LogPortClient client = LogPortClient.connect(logOf(nodes, node), member)) {
          assertThat(client.isAccepted()).isTrue();
          switch (round % 3) {
            case 0 -> client.send(noise);
            case 1 -> client.frame(random.nextInt(12), random.nextInt(256), 1, noise);
            default -> {
              byte[] message =
                  ByteBuffer.allocate(5 + noise.length).putInt(1, noise.length).array();
              System.arraycopy(noise, 0, message, 5, noise.length);
              client.request(1, round % 2 == 0 ? "requestVote" : "appendEntries", message);
            }
          }
        } catch (SocketException | SSLException e) {
          assertThat(e).isNotNull();
        }
      }
    }

    for (String node : List.of("b", "c")) {
      assertThat(nodes.get(node).shards()).allMatch(shard -> shard.failure() == null);
      assertThat(isAccepted(logOf(nodes, node), member)).isTrue();
    }
    // By connections of before, and then by new ones.
    nodes.closeNode("a");
    assertCommits(nodes, "b", "noise");
    nodes.openNode("a");
    nodes.awaitReady();
    nodes.closeNode("c");
    assertCommits(nodes, "b", "noise");
    nodes.openNode("c");
    nodes.awaitReady();
  }

  @Test
  void messageThatClaimsToBeLongerThanAnyIsRefusedAtItsFirstBytes() throws Exception {
    SSLContext member = LogPortClient.showing(filesOf(nodes, "a"));
    byte[] claim = ByteBuffer.allocate(5).putInt(1, Integer.MAX_VALUE).array();
    List<LogPortClient> open = new ArrayList<>();
    try {
      for (int i = 0; i < CLAIMS; i++) {
        LogPortClient client = LogPortClient.connect(logOf(nodes, "b"), member);
        open.add(client);
        assertThat(client.isAccepted()).isTrue();
        client.request(1, "appendEntries", claim);
      }
      for (LogPortClient each : open) {
        each.awaitEnd(1);
      }
      assertCommits(nodes, "b", "claims");
    } finally {
      for (LogPortClient each : open) {
        each.close();
      }
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void replacedCertificatesAreUsedByNewConnectionsWithoutARestart() throws Exception {
    try (ThreeNodes own = ThreeNodes.open(directory, 1, LogPortTest::register)) {
      SSLContext before = LogPortClient.showing(copied(filesOf(own, "a")));
      InetSocketAddress b = logOf(own, "b");
      assertThat(isAccepted(b, before)).isTrue();

      Instant now = Instant.now();
      CertificateAuthority next = CertificateAuthority.of("test", now.minus(DAY), now.plus(DAY));
      for (String name : List.of("a", "b", "c")) {
        next.write(directory, name, now.minus(DAY), now.plus(DAY));
      }

      assertThat(isAccepted(b, before)).isFalse();
      try (LogPortClient client =
          LogPortClient.connect(b, LogPortClient.showing(filesOf(own, "a")))) {
        assertThat(client.isAccepted()).isTrue();
        assertThat(client.shown().getEncoded()).isEqualTo(certificateIn(filesOf(own, "b")));
      }
      assertCommits(own, "b", "old connections");
      // Node c knows the next authority only: both others must show it what they have now.
      own.closeNode("c");
      own.openNode("c");
      own.awaitReady();
      own.closeNode("a");
      assertCommits(own, "b", "new connections");
    }
  }

  private static byte[] certificateIn(TlsFiles files) throws Exception {
    try (InputStream in = Files.newInputStream(files.certificate())) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in).getEncoded();
    }
  }

  private TlsFiles copied(TlsFiles files) throws IOException {
    Path kept = Files.createDirectories(directory.resolve("kept"));
    return TlsFiles.of(
        Files.copy(files.certificate(), kept.resolve("node.pem")),
        Files.copy(files.key(), kept.resolve("node.key")),
        Files.copy(files.authority(), kept.resolve("ca.pem")));
  }
}
