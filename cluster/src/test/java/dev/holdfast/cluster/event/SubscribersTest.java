package dev.holdfast.cluster.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.event.Deliveries.Batch;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Events go to the nodes that listen, and wait for none of them. */
final class SubscribersTest {

  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  private final VirtualClock clock = new VirtualClock();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private final List<String> sent = new ArrayList<>();
  private final List<Long> numbers = new ArrayList<>();
  private final Set<NodeId> away = new HashSet<>();
  private final AtomicLong leftOut = new AtomicLong();
  private final Subscribers subscribers =
      new Subscribers(clock, later::add, this::send, leftOut::addAndGet, /* session= */ 5);

  private void send(NodeId node, Batch batch, List<PublishedEvent> events) {
    if (away.contains(node)) {
      throw new ClusterException(ClusterException.Reason.UNREACHABLE, "away", null);
    }
    assertThat(batch.session()).isEqualTo(5);
    numbers.add(batch.number());
    events.forEach(each -> sent.add(node + " " + each.topic() + each.epoch()));
  }

  private static PublishedEvent event(String topic, long number, int bytes) {
    ObjectKey key = new ObjectKey("things", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));
    return new PublishedEvent(0, number, key, topic, ByteBuffer.allocate(bytes));
  }

  private void runAll() {
    for (Runnable next = later.poll(); next != null; next = later.poll()) {
      next.run();
    }
  }

  @Test
  void eventGoesOnlyToNodesThatListenToItsTopic() {
    subscribers.listens(B, 1, 1, Set.of("x", "y"));
    subscribers.listens(C, 1, 1, Set.of("y"));
    subscribers.publish(event("x", 1, 1));
    subscribers.publish(event("y", 2, 1));
    subscribers.publish(event("z", 3, 1));
    runAll();
    assertThat(sent).containsExactly("b x1", "b y2", "c y2");
    assertThat(leftOut).hasValue(0);
  }

  @Test
  void messageThatComesLateDoesNotEndAListener() {
    subscribers.listens(B, 1, 2, Set.of("x"));
    subscribers.listens(B, 1, 1, Set.of());
    subscribers.publish(event("x", 1, 1));
    subscribers.listens(B, 7, 1, Set.of()); // its next process
    subscribers.publish(event("x", 2, 1));
    runAll();
    assertThat(sent).containsExactly("b x1");
  }

  @Test
  void nodeThatDoesNotSayAgainThatItListensIsForgotten() {
    subscribers.listens(B, 1, 1, Set.of("x"));
    clock.advance(Duration.ofNanos(Subscribers.LEASE_NANOS - 1));
    subscribers.publish(event("x", 1, 1));
    clock.advance(Duration.ofNanos(1));
    subscribers.publish(event("x", 2, 1));
    runAll();
    assertThat(sent).containsExactly("b x1");
  }

  @Test
  void nodeThatDoesNotAnswerIsForgottenUntilItListensAgain() {
    subscribers.listens(B, 1, 1, Set.of("x"));
    subscribers.listens(C, 1, 1, Set.of("x"));
    away.add(B);
    for (int i = 0; i < 3; i++) {
      subscribers.publish(event("x", i, 1));
    }
    runAll();
    assertThat(sent).containsExactly("c x0", "c x1", "c x2");
    assertThat(leftOut).hasValue(3);
    away.clear();
    subscribers.publish(event("x", 3, 1));
    subscribers.listens(B, 1, 2, Set.of("x"));
    subscribers.publish(event("x", 4, 1));
    runAll();
    assertThat(sent).contains("b x4").doesNotContain("b x3");
  }

  @Test
  void slowNodeHasABoundedQueueAndGetsWhatFitsInOrder() {
    subscribers.listens(B, 1, 1, Set.of("x"));
    int events = 40; // of 128 KiB: more than its queue
    for (int i = 0; i < events; i++) {
      subscribers.publish(event("x", i, 128 << 10));
    }
    assertThat(later).hasSize(1); // one message at a time
    runAll();
    assertThat(sent.size() + leftOut.get()).isEqualTo(events);
    assertThat(leftOut.get()).isBetween(1L, 20L);
    for (int i = 0; i < sent.size(); i++) {
      assertThat(sent.get(i)).isEqualTo("b x" + i);
    }
    assertThat(numbers).hasSizeGreaterThan(3).isSorted();
    subscribers.publish(event("x", 99, 1));
    runAll();
    assertThat(sent).last().isEqualTo("b x99");
  }
}
