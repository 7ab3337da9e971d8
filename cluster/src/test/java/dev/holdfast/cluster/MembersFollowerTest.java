package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.call.CallEvents;
import dev.holdfast.cluster.call.EndpointOptions;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.LearntMembers;
import dev.holdfast.cluster.object.NodeService;
import dev.holdfast.cluster.object.ShardAnswers;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.log.NodeId;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a client asks which members there are, and what it takes of the answers. */
final class MembersFollowerTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  private final Time time = new Time();
  private final List<NodeId> asked = new ArrayList<>();
  private final Map<NodeId, byte[]> answers = new HashMap<>();
  private final Map<NodeId, Reason> failures = new HashMap<>();
  private final LearntMembers members =
      new LearntMembers(Map.of(A, new InetSocketAddress("127.0.0.1", 1)));

  /** A clock that the test moves. */
  private static final class Time implements TimeSource {

    private long nanos = 1_000_000_000_000L;
    private final Deque<Runnable> due = new ArrayDeque<>();
    private long lastDelay;

    @Override
    public long wallMillis() {
      return 0;
    }

    @Override
    public long monotonicNanos() {
      return nanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      lastDelay = delayNanos;
      if (delayNanos < 1_000_000_000L) { // a pause of a thread
        nanos += delayNanos;
        task.run();
      } else {
        due.add(task);
      }
      return () -> false;
    }

    void pass() {
      nanos += lastDelay;
      due.remove().run();
    }
  }

  private NodeService service(NodeId node) {
    return (NodeService)
        Proxy.newProxyInstance(
            NodeService.class.getClassLoader(),
            new Class<?>[] {NodeService.class},
            (_, method, _) -> {
              assertThat(method.getName()).isEqualTo("members");
              asked.add(node);
              byte[] answer = answers.get(node);
              if (answer == null) {
                throw new ClusterException(
                    failures.getOrDefault(node, Reason.UNREACHABLE), node + " is away.", null);
              }
              return answer;
            });
  }

  private MembersFollower follower() {
    CallEndpoint endpoint =
        CallEndpoint.ofClient(
            EndpointOptions.ofClient(
                "shop", new NodeId("web"), 1, null, false, Duration.ofSeconds(2)),
            members,
            time,
            CallEvents.NONE);
    return new MembersFollower("web", members, endpoint, this::service, time, Runnable::run, 0);
  }

  private static byte[] said(long index, long epoch, String owner, String... keepers) {
    List<Object> text = new ArrayList<>(List.of(index));
    text.addAll(List.of(keepers));
    return ShardAnswers.write(
        Map.of("members", Map.of(0L, text), "owners", Map.of(0L, List.of(owner, epoch))));
  }

  @Test
  void theMembersAreAskedEveryFiveSecondsAndWhenACallFindsNoOwner() {
    members.learnShards(1);
    answers.put(A, said(1, 1, "a", "a=127.0.0.1:2"));
    MembersFollower follower = follower();
    follower.connect(Duration.ofSeconds(1));
    RoutingTable table = new RoutingTable(new ShardMap(1));
    follower.teach(table);
    assertThat(table.ownerOf(0)).hasValue(new ShardOwnership(A, 1));

    follower.begin();
    assertThat(time.lastDelay).isEqualTo(5_000_000_000L);
    answers.put(A, said(2, 2, "b", "b=127.0.0.1:4"));
    time.pass();
    assertThat(members.nodes()).containsExactly(B);
    assertThat(table.ownerOf(0)).hasValue(new ShardOwnership(B, 2));
    assertThat(asked).hasSize(2);

    follower.missed();
    assertThat(asked).as("a moment ago").hasSize(2);
    time.nanos += 250_000_000;
    follower.missed();
    assertThat(asked).as("b is away, and a is asked at last").hasSizeGreaterThan(2);
    assertThat(follower.problem()).isEmpty();

    answers.clear();
    time.pass();
    assertThat(follower.problem()).hasValueSatisfying(why -> assertThat(why).contains("is away"));
    follower.close();
    int before = asked.size();
    time.pass();
    assertThat(asked).hasSize(before);
    assertThat(time.due).isEmpty();
  }

  @Test
  void aClientThatNoMemberAnswersFailsInTimeAndOneThatIsRefusedAtOnce() {
    long begun = time.nanos;
    assertThatThrownBy(() -> follower().connect(Duration.ofSeconds(3)))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("No member has answered client web within PT3S")
        .hasMessageContaining("a is away");
    assertThat(time.nanos - begun).isBetween(3_000_000_000L, 3_200_000_000L);

    failures.put(A, Reason.CERTIFICATE_NAME);
    asked.clear();
    assertThatThrownBy(() -> follower().connect(Duration.ofSeconds(3)))
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CERTIFICATE_NAME));
    assertThat(asked).hasSize(1);
  }
}
