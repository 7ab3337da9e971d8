package dev.holdfast.cluster.call;

import static dev.holdfast.cluster.call.TwoNodes.B;
import static dev.holdfast.cluster.call.TwoNodes.next;
import static dev.holdfast.cluster.call.TwoNodes.options;
import static dev.holdfast.cluster.call.TwoNodes.outcome;
import static dev.holdfast.cluster.call.TwoNodes.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.call.CallOutcome.NotSent;
import dev.holdfast.cluster.call.CallOutcome.Replied;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.cluster.frame.Frame.Refused;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameReader;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.member.LearntMembers;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client calls node b, without TLS. */
final class ClientConnectionsTest {

  private static final NodeId WEB = new NodeId("web");
  private static final NodeId GONE = new NodeId("gone");

  @TempDir private Path directory;
  private TwoNodes nodes;
  private LearntMembers known;
  private final List<CallEndpoint> clients = new ArrayList<>();
  private final BlockingQueue<IncomingCall> arrived = new LinkedBlockingQueue<>();
  private boolean isWaiting;

  @BeforeEach
  void prepare() throws IOException {
    nodes =
        new TwoNodes(directory) {
          @Override
          Members known() {
            return new Strict(super.known());
          }
        };
    nodes.optionsA = options("shop", "a", null);
    nodes.optionsB = options("shop", "b", null);
  }

  @AfterEach
  void close() throws IOException {
    clients.forEach(CallEndpoint::close);
    nodes.close();
  }

  /** The members as nodes know them. Nothing may be recorded of a client. */
  private final class Strict implements Members {

    private final Members members;

    private Strict(Members members) {
      this.members = members;
    }

    @Override
    public List<NodeId> nodes() {
      return members.nodes();
    }

    @Override
    public Optional<InetSocketAddress> addressOf(NodeId node) {
      return members.addressOf(node);
    }

    @Override
    public OptionalLong incarnationOf(NodeId node) {
      return members.incarnationOf(node);
    }

    @Override
    public boolean met(NodeId node, long incarnation, long opening) {
      assertThat(node).isNotEqualTo(WEB);
      return members.met(node, incarnation, opening);
    }

    @Override
    public void reads(NodeId node, int newest) {
      assertThat(node).isNotEqualTo(WEB);
    }

    @Override
    public boolean waits() {
      return isWaiting;
    }

    @Override
    public boolean wasRemoved(NodeId name) {
      return name.equals(GONE);
    }
  }

  private CallEndpoint client(NodeId name, long process) {
    CallEndpoint client =
        CallEndpoint.ofClient(
            EndpointOptions.ofClient("shop", name, process, null, false, Duration.ofSeconds(30)),
            known,
            nodes.time,
            CallEvents.NONE);
    clients.add(client);
    return client;
  }

  private void open() throws IOException {
    nodes.open();
    known = new LearntMembers(Map.of(B, nodes.b().address()));
  }

  private static PendingCall send(CallEndpoint client) {
    return client.send(B, TwoNodes.call(value(1)), 0);
  }

  private void assertRefused(NodeId name, Reason reason, String message) throws Exception {
    CallOutcome outcome = outcome(send(client(name, 7)));
    assertThat(outcome).isInstanceOf(NotSent.class);
    ClusterException why = ((NotSent) outcome).why();
    assertThat(why.reason()).isEqualTo(reason);
    assertThat(why).hasMessageContaining(message);
    assertThat(next(nodes.refused).reason()).isEqualTo(reason);
  }

  @Test
  void aClientLearnsTheClusterFromTheMemberThatItCalls() throws Exception {
    open();
    assertThat(outcome(send(client(WEB, 7)))).isEqualTo(new Replied(value(1)));
    assertThat(known.shards()).isEqualTo(1);
    assertThat(known.learntLineage()).hasValue(0);
  }

  @Test
  void aMemberWithAnotherNumberOfShardsOrLineageIsLeftAlone() throws Exception {
    open();
    known.learnShards(5);
    CallOutcome shards = outcome(send(client(WEB, 7)));
    assertThat(shards)
        .isInstanceOfSatisfying(
            NotSent.class,
            sent -> {
              assertThat(sent.why().reason()).isEqualTo(Reason.SHARDS);
              assertThat(sent.why()).hasMessageContaining("has 1 shards, node web has 5.");
            });
    known = new LearntMembers(Map.of(B, nodes.b().address()));
    known.learnLineage(1L << EndpointOptions.RANDOM_BITS);
    CallOutcome lineage = outcome(send(client(WEB, 7)));
    assertThat(lineage)
        .isInstanceOfSatisfying(
            NotSent.class, sent -> assertThat(sent.why().reason()).isEqualTo(Reason.CLUSTER_NAME));
  }

  @Test
  void processesOfOneNameAreCalledApart() throws Exception {
    nodes.handler = arrived::add;
    open();
    PendingCall one = send(client(WEB, 7));
    IncomingCall first = next(arrived);
    PendingCall other = send(client(WEB, 8));
    IncomingCall second = next(arrived);
    assertThat(first.isOfClient()).isTrue();
    assertThat(first.caller()).isEqualTo(WEB);
    nodes.b().drop(WEB); // of the members, there is none of this name
    first.reply(value(2));
    second.reply(value(3));
    assertThat(outcome(one)).isEqualTo(new Replied(value(2)));
    assertThat(outcome(other)).isEqualTo(new Replied(value(3)));
  }

  @Test
  void namesOfMembersAndOfRemovedNodesAreRefused() throws Exception {
    open();
    assertRefused(TwoNodes.A, Reason.INCARNATION, "is a client with the name of a member");
    assertRefused(GONE, Reason.REMOVED, "has the name of a node that was removed");
  }

  @Test
  void aNodeThatWaitsToBeAddedTakesNoClients() throws Exception {
    isWaiting = true;
    open();
    assertRefused(WEB, Reason.NOT_A_MEMBER, "takes no clients before");
  }

  @Test
  void theClockOfAClientDoesNotMatter() throws Exception {
    nodes.timeOfB = InstantSource.offset(InstantSource.system(), Duration.ofHours(-9));
    open();
    CallEndpoint client = client(WEB, 7);
    assertThat(client.meet(B)).isTrue();
    assertThat(outcome(send(client))).isEqualTo(new Replied(value(1)));
    assertThat(client.clocksAheadMillis().get(B)).isLessThan(-8 * 3_600_000L);
  }

  @Test
  void versionsOfTheProtocolMeetAndThoseOfEntriesDoNotMatter() throws Exception {
    open();
    assertThat(answer(hello(1, 1))).isInstanceOf(Hello.class);
    assertThat(answer(hello(1, 3))).isInstanceOf(Hello.class);
    assertThat(answer(hello(2, 3)))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(RefusalReason.VERSION));
  }

  private static Hello hello(int versionMin, int versionMax) {
    Frame.Entries unknown = new Frame.Entries(99, 99, 99);
    return new Hello(versionMin, versionMax, "shop", WEB, 7, B, 0, 0, 0, "", -1, unknown, false);
  }

  private Frame answer(Hello hello) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(nodes.b().address());
      socket.getOutputStream().write(FrameCodec.encode(hello));
      return FrameCodec.decode(
          new FrameReader(socket.getInputStream()).next(Frame.HELLO_LENGTH_MAX));
    }
  }

  @Test
  void aConnectionToANodeThatIsGoneEndsWhenNoCallIsUnderWay() throws Exception {
    nodes.handler = arrived::add;
    open();
    CallEndpoint client = client(WEB, 7);
    PendingCall call = send(client);
    IncomingCall taken = next(arrived);
    client.keepOnly(List.of(TwoNodes.A));
    assertThat(client.isConnectedTo(B)).as("a call is under way").isTrue();
    taken.reply(value(1));
    assertThat(outcome(call)).isEqualTo(new Replied(value(1)));
    client.keepOnly(List.of(B));
    assertThat(client.isConnectedTo(B)).isTrue();
    client.keepOnly(List.of(TwoNodes.A));
    assertThat(client.isConnectedTo(B)).isFalse();
  }

  @Test
  void theMembersAreThoseThatKeepShards() {
    NodeId c = new NodeId("c");
    NodeId d = new NodeId("d");
    InetSocketAddress own = new InetSocketAddress("127.0.0.1", 5);
    LearntMembers members = new LearntMembers(Map.of(TwoNodes.A, own));
    members.learnShards(2);
    members.learn(
        Map.of(0, Configuration.of(3, Map.of(TwoNodes.A, "127.0.0.9:9", c, "127.0.0.1:8"))));
    assertThat(members.nodes()).containsExactly(TwoNodes.A, c);
    assertThat(members.addressOf(TwoNodes.A)).hasValue(own);
    assertThat(members.addressOf(c)).hasValue(new InetSocketAddress("127.0.0.1", 7));
    assertThat(members.copiesOf(1)).as("nothing was heard").containsExactly(TwoNodes.A, c);

    members.learn(
        Map.of(
            0, Configuration.of(5, Map.of(d, "127.0.0.1:6")),
            1, Configuration.of(1, Map.of(c, "127.0.0.1:8"))));
    members.learn(Map.of(0, Configuration.of(4, Map.of(B, "127.0.0.1:4"))));
    assertThat(members.nodes()).containsExactly(c, d);
    assertThat(members.copiesOf(0)).containsExactly(d);
    assertThat(members.asked())
        .as("at last those of the options")
        .containsExactly(c, d, TwoNodes.A);
    assertThat(members.addressOf(TwoNodes.A)).hasValue(own);
  }
}
