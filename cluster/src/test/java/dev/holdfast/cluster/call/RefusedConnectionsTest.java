package dev.holdfast.cluster.call;

import static dev.holdfast.cluster.call.TwoNodes.A;
import static dev.holdfast.cluster.call.TwoNodes.B;
import static dev.holdfast.cluster.call.TwoNodes.certificate;
import static dev.holdfast.cluster.call.TwoNodes.next;
import static dev.holdfast.cluster.call.TwoNodes.options;
import static dev.holdfast.cluster.call.TwoNodes.outcome;
import static dev.holdfast.cluster.call.TwoNodes.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.call.CallOutcome.NotSent;
import dev.holdfast.cluster.call.CallOutcome.Replied;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameReader;
import dev.holdfast.cluster.tls.CertificateAuthority;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.faults.Polling;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with a node is found at the first connection, and both sides say what to do. */
final class RefusedConnectionsTest {

  @TempDir private Path directory;
  private TwoNodes nodes;

  @BeforeEach
  void prepare() throws IOException {
    nodes = new TwoNodes(directory);
  }

  @AfterEach
  void close() throws IOException {
    nodes.close();
  }

  /** The first call fails, surely not begun. */
  private ClusterException whyNotSent() throws Exception {
    CallOutcome outcome = outcome(nodes.send(value(1)));
    assertThat(outcome).isInstanceOf(NotSent.class);
    return ((NotSent) outcome).why();
  }

  private void assertBothSides(Reason reason, String atCaller, @Nullable String atOwner)
      throws Exception {
    nodes.open();
    ClusterException caller = whyNotSent();
    assertThat(caller).hasMessageContaining(atCaller);
    assertThat(caller.reason()).isEqualTo(reason);
    if (atOwner != null) {
      ClusterException owner = next(nodes.refused);
      assertThat(owner).hasMessageContaining(atOwner);
      assertThat(owner.reason()).isEqualTo(reason);
    }
  }

  @Test
  void nodeOfAnotherClusterIsRefused() throws Exception {
    nodes.optionsA = options("other", "a", nodes.optionsA.tls());

    assertBothSides(
        Reason.CLUSTER_NAME,
        "This node was refused by node b at",
        "belongs to the cluster \"other\", node b to \"shop\". Correct the name");
  }

  @Test
  void otherNodeAtTheAddressIsFoundOut() throws Exception {
    // Without certificates: with them, the name in the certificate would show it first.
    nodes.members.put(new NodeId("c"), new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    nodes.optionsB = options("shop", "c", null);
    nodes.optionsA = options("shop", "a", null);

    assertBothSides(
        Reason.NODE_ID,
        "Node a expects node b where c is. Correct the address of b in its list of members.",
        "Node a expects node b where c is.");
  }

  @Test
  void nodeWithAnotherDirectoryIsRefused() throws Exception {
    nodes.incarnations.put(A, 5L);

    assertBothSides(
        Reason.INCARNATION,
        "Give the node the directory back that it ran on last.",
        "is a member with another data directory than the one it runs on now: incarnation 5, not"
            + " 97.");
  }

  @Test
  void calledNodeWithAnotherDirectoryIsRefused() throws Exception {
    nodes.incarnations.put(B, 5L);

    assertBothSides(Reason.INCARNATION, "incarnation 5, not 98", null);
  }

  @Test
  void directoryThatWasRemovedIsRefused() throws Exception {
    nodes.removed.add(A);

    assertBothSides(
        Reason.REMOVED,
        "was removed from the cluster shop. Add another node",
        "was removed from the cluster shop. Add another node");
  }

  /** It is added again by mistake: it would never get a copy. */
  @Test
  void calledNodeWithADirectoryThatWasRemovedIsRefused() throws Exception {
    nodes.removed.add(B);

    assertBothSides(Reason.REMOVED, "was removed from the cluster shop. Add another node", null);
  }

  @Test
  void olderCopyOfADirectoryIsRefused() throws Exception {
    nodes.older.add(A);

    assertBothSides(
        Reason.INCARNATION,
        "If that is lost, and the cluster has never been ready",
        "runs on an older copy of its data directory than it had before");
  }

  @Test
  void nodeWithAnotherNumberOfShardsIsRefused() throws Exception {
    EndpointOptions a = nodes.optionsA;
    nodes.optionsA =
        new EndpointOptions(
            "shop",
            A,
            a.incarnation(),
            a.opening(),
            0,
            7,
            a.address(),
            a.tls(),
            false,
            a.silence());

    assertBothSides(
        Reason.SHARDS, "This node was refused by node b at", "has 7 shards, node b has 1.");
  }

  @Test
  void nodeWithOtherMembersIsRefused() throws Exception {
    nodes.optionsA = options("shop", "a", null);
    nodes.optionsB = options("shop", "b", null);
    nodes.open();
    sendRaw(
        FrameCodec.encode(
            new Hello(
                1, 1, "shop", A, 97, B, 0, 97, 1, "a,b,c", 0, new Frame.Entries(2, 2, 2), false)));
    ClusterException members = next(nodes.refused);
    assertThat(members.reason()).isEqualTo(Reason.MEMBERS);
    assertThat(members)
        .hasMessageContaining("has the members a,b,c, node b has a,b. Give all nodes the same");
  }

  @Test
  void clockThatIsFarOffIsFoundWhenNodesMeet() throws Exception {
    nodes.timeOfB = InstantSource.offset(InstantSource.system(), Duration.ofSeconds(-9));
    nodes.open();

    assertThatThrownBy(() -> nodes.a().meet(B))
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOCK))
        .hasMessageContaining("ms behind the clock of node a")
        .hasMessageContaining("Set the clocks");
    assertThat(outcome(nodes.send(value(1))))
        .as("a call before the nodes have met")
        .isInstanceOfSatisfying(
            NotSent.class, call -> assertThat(call.why().reason()).isEqualTo(Reason.CLOCK));
  }

  @Test
  void callsGoOnWhenAClockChangesAndTheNextMeetingFindsIt() throws Exception {
    AtomicReference<Duration> offset = new AtomicReference<>(Duration.ZERO);
    nodes.timeOfB = () -> Instant.now().plus(offset.get());
    nodes.open();
    nodes.a().meet(B);

    offset.set(Duration.ofHours(1));
    nodes.proxy().cutNow();
    while (!(outcome(nodes.send(value(1))) instanceof Replied)) {
      Polling.pause(); // the end of the cut connection may be noticed by a call
    }
    for (int i = 0; i < 2; i++) { // over the connection of the call, and over one of its own
      assertThatThrownBy(() -> nodes.a().meet(B))
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOCK));
    }
    offset.set(Duration.ZERO);
    assertThat(nodes.a().meet(B)).isTrue();
  }

  @Test
  void nodesThatMeetAreConnected() throws Exception {
    nodes.timeOfB = InstantSource.offset(InstantSource.system(), Duration.ofSeconds(4));
    nodes.open();
    // Both before the first assertion, which takes its time: an owner that adds a node does not
    // wait.
    boolean isConnectedAtOnce = nodes.a().meet(B) && nodes.a().isConnectedTo(B);

    assertThat(isConnectedAtOnce).isTrue();

    assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value(1)));
  }

  @Test
  void nodeThatIsNoMemberIsRefused() throws Exception {
    nodes.members.remove(A);
    nodes.isMade = true;

    assertBothSides(
        Reason.NOT_A_MEMBER,
        "Add it with ./holdfast cluster add on a member.",
        "The node a is not a member of the cluster shop, which has the members a,b.");
  }

  /** As in the documented steps: it is started first, and then added. */
  @Test
  void nodeThatWaitsToBeAddedIsNamedOnceAndWithoutAWarning() throws Exception {
    nodes.members.remove(A);
    nodes.isMade = true;
    nodes.optionsA = withLineage(nodes.optionsA, Members.UNKNOWN_LINEAGE);
    String waits = "The node a waits to be added to the cluster shop.";

    assertBothSides(Reason.NOT_A_MEMBER, waits, "");
    List<String> lines = new ArrayList<>();
    Logger log = Logger.getLogger("dev.holdfast");
    Filter before = log.getFilter();
    Level level = log.getLevel();
    log.setLevel(Level.INFO);
    RefusedCallers callers = new RefusedCallers(B, new VirtualClock());
    log.setFilter(
        line -> {
          lines.add(line.getLevel() + " " + String.valueOf(line.getParameters()[0]));
          return false;
        });
    try {
      for (int i = 0; i < 2; i++) {
        whyNotSent();
        callers.refused(next(nodes.refused));
      }
    } finally {
      log.setFilter(before);
      log.setLevel(level);
    }
    assertThat(lines)
        .containsExactly("INFO " + waits + " Add it with ./holdfast cluster add on a member.");
  }

  /** It has no right to the name that it gives. */
  @Test
  void nodeThatWaitsWithTheCertificateOfAnotherIsRefusedForThat() throws Exception {
    CertificateAuthority authority = TwoNodes.authority("shop");
    nodes.members.remove(A);
    nodes.isMade = true;
    nodes.optionsA =
        withLineage(
            options("shop", "a", certificate(authority, directory, "c")), Members.UNKNOWN_LINEAGE);
    nodes.optionsB = options("shop", "b", certificate(authority, directory, "b"));

    assertBothSides(Reason.CERTIFICATE_NAME, "the DNS name \"a\"", "has the DNS names [c]");
  }

  private static EndpointOptions withLineage(EndpointOptions of, long lineage) {
    return new EndpointOptions(
        of.cluster(),
        of.node(),
        of.incarnation(),
        of.opening(),
        lineage,
        of.shards(),
        of.address(),
        of.tls(),
        false,
        of.silence());
  }

  @Test
  void nodeThatIsNotInTheListOfTheFirstMembersIsRefused() throws Exception {
    nodes.members.remove(A);

    assertBothSides(
        Reason.MEMBERS,
        "Give all nodes the same list of members.",
        "is not in the list of members of node b");
  }

  @Test
  void certificateOfAnotherAuthorityIsRefusedByTheCaller() throws Exception {
    CertificateAuthority stranger = TwoNodes.authority("shop");
    nodes.optionsB = options("shop", "b", certificate(stranger, directory, "b"));

    assertBothSides(
        Reason.CERTIFICATE_REFUSED,
        "is not signed by an authority of this cluster. Give it a certificate",
        "The certificate of this node was refused by the caller");
  }

  @Test
  void certificateOfAnotherAuthorityIsRefusedByTheCalledNode() throws Exception {
    CertificateAuthority stranger = TwoNodes.authority("shop");
    TlsFiles files = certificate(stranger, directory.resolve("stranger"), "a");
    // It trusts the cluster, which does not trust it.
    TlsFiles own = Objects.requireNonNull(nodes.optionsA.tls());
    nodes.optionsA =
        options("shop", "a", TlsFiles.of(files.certificate(), files.key(), own.authority()));

    assertBothSides(
        Reason.CERTIFICATE_REFUSED,
        "The certificate of this node was refused by node b at",
        "is not signed by an authority of this cluster.");
  }

  @Test
  void certificateOfAnotherNodeIsRefusedByTheCaller() throws Exception {
    CertificateAuthority authority = TwoNodes.authority("shop");
    nodes.optionsA = options("shop", "a", certificate(authority, directory, "a"));
    nodes.optionsB = options("shop", "b", certificate(authority, directory, "c"));

    assertBothSides(
        Reason.CERTIFICATE_NAME,
        "has the DNS names [c]. Give the node a certificate with the DNS name \"b\".",
        null);
  }

  @Test
  void certificateOfAnotherNodeIsRefusedByTheCalledNode() throws Exception {
    CertificateAuthority authority = TwoNodes.authority("shop");
    nodes.optionsA = options("shop", "a", certificate(authority, directory, "c"));
    nodes.optionsB = options("shop", "b", certificate(authority, directory, "b"));

    assertBothSides(
        Reason.CERTIFICATE_NAME,
        "Give the node a certificate with the DNS name \"a\".",
        "has the DNS names [c]");
  }

  @Test
  void certificateThatExpiresWhileTheNodeRunsIsRefused() throws Exception {
    CertificateAuthority authority = TwoNodes.authority("shop");
    nodes.optionsA = options("shop", "a", certificate(authority, directory, "a"));
    Instant now = Instant.now();
    TlsFiles expiring =
        certificate(authority, directory, "b", now.minusSeconds(60), now.plus(Duration.ofDays(1)));
    nodes.optionsB = options("shop", "b", expiring);
    nodes.open();
    // The context is loaded; the file is replaced by an expired one, which is not used.
    certificate(authority, directory, "b", now.minusSeconds(60), now.minusSeconds(30));
    touch(expiring.certificate(), 1);

    assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value(1)));
    ClusterException unusable = next(nodes.unusable);
    assertThat(unusable.reason()).isEqualTo(Reason.CERTIFICATE_EXPIRED);
    assertThat(unusable)
        .hasMessageContaining("b.pem is valid from")
        .hasMessageContaining("Replace the certificate and its key");
    assertThat(nodes.b().certificateProblem())
        .hasValueSatisfying(why -> assertThat(why).contains("b.pem is valid from"));
    assertThat(nodes.a().certificateProblem()).isEmpty();
  }

  @Test
  void certificateThatExpiresSoonIsNamed() throws Exception {
    Instant now = Instant.now();
    Instant end = now.plus(Duration.ofDays(3)).truncatedTo(ChronoUnit.SECONDS);
    CertificateAuthority authority = TwoNodes.authority("shop");
    nodes.optionsA =
        options(
            "shop",
            "a",
            certificate(authority, directory, "a", now.minus(Duration.ofDays(7)), end));
    nodes.open();

    assertThat(nodes.a().certificateProblem())
        .hasValueSatisfying(why -> assertThat(why).contains("valid until " + end));
    assertThat(nodes.b().certificateProblem()).isEmpty();
  }

  /** As when it was copied by root, and given to the user of the node a moment later. */
  @Test
  void filesThatCanBeReadLaterAreUsed() throws Exception {
    TlsFiles files = Objects.requireNonNull(nodes.optionsB.tls());
    List<ClusterException> unusable = new ArrayList<>();
    TlsContext tls = new TlsContext(files, Instant::now, unusable::add);
    TlsContext.Loaded before = tls.current();
    Path hidden = directory.resolve("hidden");
    Files.move(files.key(), hidden);
    Files.createDirectory(files.key()); // cannot be read as a file
    FileTime changed = Files.getLastModifiedTime(files.key());

    assertThat(tls.current()).isSameAs(before);
    Files.delete(files.key());
    Files.move(hidden, files.key());
    Files.setLastModifiedTime(files.key(), changed);

    assertThat(tls.current()).isNotSameAs(before);
    assertThat(tls.problem()).isEmpty();
    assertThat(unusable).hasSize(1);
  }

  @Test
  void expiredCertificateOfTheOtherSideIsNamed() throws Exception {
    CertificateAuthority authority = TwoNodes.authority("shop");
    nodes.optionsA = options("shop", "a", certificate(authority, directory, "a"));
    Instant now = Instant.now();
    // By its own clock, node b believes that it is a day earlier.
    nodes.timeOfB = InstantSource.fixed(now.minus(Duration.ofDays(1)));
    nodes.optionsB =
        options(
            "shop",
            "b",
            certificate(
                authority,
                directory,
                "b",
                now.minus(Duration.ofDays(2)),
                now.minus(Duration.ofHours(1))));

    assertBothSides(
        Reason.CERTIFICATE_EXPIRED,
        "has expired, or is not valid yet. Replace it there, and check the clocks.",
        null);
  }

  private static void touch(Path file, int seconds) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(seconds)));
  }

  @Test
  void changedCertificatesAreUsedByNewConnections() throws Exception {
    TlsFiles ofA = Objects.requireNonNull(nodes.optionsA.tls());
    TlsFiles ofB = Objects.requireNonNull(nodes.optionsB.tls());
    nodes.open();
    assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value(1)));

    CertificateAuthority next = TwoNodes.authority("shop");
    replace(ofB, certificate(next, directory.resolve("new"), "b"));
    // The open connection goes on.
    assertThat(outcome(nodes.send(value(2)))).isEqualTo(new Replied(value(2)));
    nodes.proxy().cutNow();
    ClusterException refused = lostThenRefused();
    assertThat(refused.reason()).isEqualTo(Reason.CERTIFICATE_REFUSED);

    replace(ofA, certificate(next, directory.resolve("new"), "a"));
    CallOutcome outcome = outcome(nodes.send(value(3)));
    assertThat(outcome).isEqualTo(new Replied(value(3)));
  }

  /** The end of the cut connection may be noticed by the first call or before it. */
  private ClusterException lostThenRefused() throws Exception {
    while (true) {
      CallOutcome outcome = outcome(nodes.send(value("x")));
      if (outcome instanceof NotSent notSent && notSent.why().reason() != Reason.CONNECTION_LOST) {
        return notSent.why();
      }
      assertThat(outcome).isNotInstanceOf(Replied.class);
    }
  }

  private static void replace(TlsFiles present, TlsFiles by) throws IOException {
    Files.move(by.key(), present.key(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(by.authority(), present.authority(), StandardCopyOption.REPLACE_EXISTING);
    Files.move(by.certificate(), present.certificate(), StandardCopyOption.REPLACE_EXISTING);
    touch(present.certificate(), 2);
  }

  @Test
  void filesThatCannotBeUsedAreRefusedAtOnce() throws Exception {
    TlsFiles good = Objects.requireNonNull(nodes.optionsA.tls());
    TlsFiles other = certificate(TwoNodes.authority("shop"), directory.resolve("other"), "a");
    Path text = Files.writeString(directory.resolve("text"), "no certificate");
    Path encrypted =
        Files.writeString(
            directory.resolve("encrypted"),
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n");
    Instant now = Instant.now();
    TlsFiles expired =
        certificate(
            TwoNodes.authority("shop"),
            directory.resolve("expired"),
            "a",
            now.minusSeconds(60),
            now.minusSeconds(30));

    assertUnusable(
        TlsFiles.of(good.certificate(), other.key(), good.authority()),
        Reason.TLS_FILES,
        "does not fit the certificate");
    assertUnusable(
        TlsFiles.of(text, good.key(), good.authority()),
        Reason.TLS_FILES,
        "text has no certificate that can be read");
    assertUnusable(
        TlsFiles.of(good.certificate(), good.key(), directory.resolve("absent")),
        Reason.TLS_FILES,
        "absent cannot be read");
    assertUnusable(
        TlsFiles.of(good.certificate(), encrypted, good.authority()),
        Reason.TLS_FILES,
        "openssl pkcs8 -topk8 -nocrypt");
    assertUnusable(expired, Reason.CERTIFICATE_EXPIRED, "Replace the certificate and its key");
  }

  private void assertUnusable(TlsFiles files, Reason reason, String message) {
    assertThatThrownBy(() -> new TlsContext(files, Instant::now, unusable -> {}))
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
  }

  @Test
  void plaintextIsForThisMachineOnlyUnlessAnOptionAllowsIt() throws Exception {
    InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
    EndpointOptions open =
        new EndpointOptions("shop", A, 1, 1, 0, 1, everywhere, null, false, TwoNodes.LONG);
    assertThatThrownBy(
            () -> CallEndpoint.open(open, nodes.known(), nodes.time, call -> {}, CallEvents.NONE))
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PLAINTEXT))
        .hasMessageContaining("Give it certificates, or an address of the loopback interface.");

    nodes.optionsA = options("shop", "a", null);
    nodes.optionsB = options("shop", "b", null);
    nodes.open();
    assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value(1)));
    // An address for documentation, which no packet is sent to.
    nodes.members.put(new NodeId("c"), new InetSocketAddress("192.0.2.1", 9));
    CallOutcome far = outcome(nodes.a().send(new NodeId("c"), TwoNodes.call(), 0));
    assertThat(far)
        .isInstanceOfSatisfying(
            NotSent.class, e -> assertThat(e.why().reason()).isEqualTo(Reason.PLAINTEXT));
  }

  @Test
  void nodeWithoutCertificatesAndNodeWithThemSaySo() throws Exception {
    nodes.optionsA = options("shop", "a", null);
    nodes.open();
    ClusterException why = whyNotSent();
    assertThat(why.reason()).isIn(Reason.PROTOCOL, Reason.CONNECTION_LOST);
    assertThat(next(nodes.refused)).hasMessageContaining("Check that both nodes have certificates");
  }

  @Test
  void addressWithoutANodeIsUnreachable() throws Exception {
    nodes.open();
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nodes.members.put(B, (InetSocketAddress) free.getLocalSocketAddress());
    }

    ClusterException why = whyNotSent();
    assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(why).hasMessageContaining("Check that the node runs");
  }

  @Test
  void connectionThatEndsInTheHandshakeIsLostAndNotRefused() throws Exception {
    nodes.open();
    try (ServerSocket relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nodes.members.put(B, (InetSocketAddress) relay.getLocalSocketAddress());
      Thread closer =
          Thread.startVirtualThread(
              () -> {
                try (Socket accepted = relay.accept()) {
                  accepted.getInputStream().read(); // the greeting of TLS; then it is gone
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });

      ClusterException why = whyNotSent();
      closer.join();
      assertThat(why.reason()).isEqualTo(Reason.CONNECTION_LOST);
      assertThat(why).hasMessageContaining("Check that the node runs");
    }
  }

  @Test
  void addressThatIsTakenIsNamed() throws Exception {
    nodes.open();
    InetSocketAddress taken = nodes.b().address();
    EndpointOptions again =
        new EndpointOptions("shop", A, 1, 1, 0, 1, taken, null, false, TwoNodes.LONG);

    assertThatThrownBy(
            () -> CallEndpoint.open(again, nodes.known(), nodes.time, call -> {}, CallEvents.NONE))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("cannot listen at")
        .hasMessageContaining("a port that is free");
  }

  @Test
  void addressIsFreeOnceTheEndIsClosed() throws Exception {
    nodes.open();
    InetSocketAddress address = nodes.b().address();
    nodes.b().close();
    EndpointOptions again =
        new EndpointOptions("shop", B, 1, 1, 0, 1, address, null, false, TwoNodes.LONG);

    for (int each = 0; each < 300; each++) {
      CallEndpoint.open(again, nodes.known(), nodes.time, call -> {}, CallEvents.NONE).close();
    }
  }

  @Test
  void strangeBytesAndOtherVersionsEndOnlyTheirOwnConnection() throws Exception {
    nodes.optionsA = options("shop", "a", null);
    nodes.optionsB = options("shop", "b", null);
    nodes.open();
    sendRaw("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    assertThat(next(nodes.refused)).hasMessageContaining("is not the call protocol");
    sendRaw(
        FrameCodec.encode(
            new Hello(
                2, 3, "shop", A, 97, B, 0, 97, 1, "a,b", 0, new Frame.Entries(2, 2, 2), false)));
    ClusterException version = next(nodes.refused);
    assertThat(version.reason()).isEqualTo(Reason.VERSION);
    assertThat(version).hasMessageContaining("in versions 2 to 3, the other node in version 1.");

    assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value(1)));
  }

  /** As in a rolling upgrade: the newer node speaks the version of the older one, too. */
  @Test
  void newerNodeThatSpeaksThisVersionIsGreeted() throws Exception {
    nodes.optionsA = options("shop", "a", null);
    nodes.optionsB = options("shop", "b", null);
    nodes.open();
    try (Socket newer = new Socket()) {
      newer.connect(nodes.b().address());
      byte[] hello =
          FrameCodec.encode(
              new Hello(
                  1, 3, "shop", A, 97, B, 0, 97, 1, "a,b", 0, new Frame.Entries(2, 2, 2), false));
      byte[] longer = Arrays.copyOf(hello, hello.length + 3); // it says more of itself
      ByteBuffer.wrap(longer).putInt(0, ByteBuffer.wrap(hello).getInt(0) + 3);
      newer.getOutputStream().write(longer);
      byte[] answer = new FrameReader(newer.getInputStream()).next(Frame.HELLO_LENGTH_MAX);
      assertThat(FrameCodec.decode(answer))
          .isInstanceOfSatisfying(
              Hello.class,
              own -> {
                assertThat(own.versionMin()).isEqualTo(1);
                assertThat(own.versionMax()).isEqualTo(1);
              });
    }
  }

  private void sendRaw(byte[] bytes) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(nodes.b().address());
      socket.getOutputStream().write(bytes);
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes();
    }
  }
}
