package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.event.Subscription;
import dev.holdfast.faults.Polling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What objects publish reaches the listeners on every node, in the order of each object. */
final class PublishedEventsTest {

  private static final List<String> ALL = List.of("a", "b", "c");
  private static final int OBJECTS = 6;

  /** In each of which every shard moves. */
  private static final int ROUNDS = "long".equals(System.getProperty("holdfast.tests")) ? 4 : 2;

  /** What a step publishes. */
  record Step(String object, int number) {}

  interface Counter {
    int step(String name);
  }

  record CounterObject(ObjectContext context) implements Counter {
    @Override
    public int step(String name) {
      int next = context.storage().get("count", Integer.class).orElse(0) + 1;
      context.storage().put("count", next);
      context.publish("steps", new Step(name, next));
      context.publish("unheard", new Step(name, next));
      return next;
    }
  }

  @TempDir private static Path directory;

  private static ThreeNodes nodes;

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, PublishedEventsTest::register);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, CounterObject::new);
  }

  private static int step(String node, String name) {
    return nodes.get(node).namespace("counters", Counter.class).getByName(name).step(name);
  }

  @Test
  void eventReachesTheListenersOfEachNodeAndNoOther() throws Exception {
    Map<String, BlockingQueue<Step>> heard = new HashMap<>();
    List<Subscription> subscriptions = new ArrayList<>();
    for (String node : List.of("b", "c")) {
      BlockingQueue<Step> queue = new LinkedBlockingQueue<>();
      heard.put(node, queue);
      subscriptions.add(nodes.get(node).subscribe("steps", Step.class, queue::add));
    }
    assertThatThrownBy(() -> nodes.get("a").subscribe("", Step.class, _ -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    for (int i = 0; i < OBJECTS; i++) {
      for (int number = 1; number <= 5; number++) {
        assertThat(step("a", "o" + i)).isEqualTo(number);
      }
    }
    for (BlockingQueue<Step> queue : heard.values()) {
      Map<String, Integer> last = new HashMap<>();
      for (int i = 0; i < OBJECTS * 5; i++) {
        Step next = queue.take();
        assertThat(next.number()).isEqualTo(last.getOrDefault(next.object(), 0) + 1);
        last.put(next.object(), next.number());
      }
    }
    subscriptions.removeFirst().close(); // of b, which nobody hears but the others
    step("a", "o0");
    assertThat(heard.get("c").take()).isEqualTo(new Step("o0", 6));
    assertThat(heard.get("b")).isEmpty();

    // A node that comes back hears again, and what it listens to is known to the others.
    subscriptions.removeFirst().close();
    nodes.closeNode("c");
    nodes.openNode("c");
    nodes.awaitReady();
    BlockingQueue<Step> again = new LinkedBlockingQueue<>();
    nodes.get("c").subscribe("steps", Step.class, again::add);
    CompletableFuture<Step> first = CompletableFuture.supplyAsync(() -> taken(again));
    while (!first.isDone()) { // the others may not be connected just when it subscribes
      ThreeNodes.known(() -> step("a", "o1"));
      Polling.pause();
    }
    assertThat(first.join().object()).isEqualTo("o1");
  }

  private static Step taken(BlockingQueue<Step> queue) {
    try {
      return queue.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void orderOfAnObjectIsKeptWhileItsShardMoves() throws Exception {
    Map<String, ConcurrentLinkedQueue<Step>> heard = new HashMap<>();
    List<Subscription> subscriptions = new ArrayList<>();
    for (String node : ALL) {
      ConcurrentLinkedQueue<Step> queue = new ConcurrentLinkedQueue<>();
      heard.put(node, queue);
      subscriptions.add(nodes.get(node).subscribe("steps", Step.class, queue::add));
    }
    CompletableFuture<Void> moves =
        CompletableFuture.runAsync(
            () -> {
              for (int round = 0; round < ROUNDS; round++) {
                for (int shard = 0; shard < 3; shard++) {
                  nodes.move(shard, ALL.get((round + shard) % 3));
                }
              }
            });
    while (!moves.isDone()) {
      for (int i = 0; i < OBJECTS; i++) {
        try {
          step(ALL.get(i % 3), "moved" + i);
        } catch (InstanceResetException | ObjectUnavailableException e) {
          Polling.pause(); // between two owners
        }
      }
    }
    moves.join();
    // The last events of each object reach all.
    nodes.awaitReady();
    Map<String, Integer> last = new HashMap<>();
    for (int i = 0; i < OBJECTS; i++) {
      last.put("moved" + i, step("a", "moved" + i));
    }
    for (ConcurrentLinkedQueue<Step> queue : heard.values()) {
      last.forEach(
          (object, number) -> {
            while (!queue.contains(new Step(object, number))) {
              Polling.pause();
            }
          });
      Map<String, Integer> before = new HashMap<>();
      for (Step each : queue) {
        Integer earlier = before.put(each.object(), each.number());
        assertThat(each.number()).isGreaterThan(earlier == null ? 0 : earlier);
      }
      assertThat(queue).hasSizeGreaterThan(last.values().stream().mapToInt(n -> n).sum() / 2);
    }
    subscriptions.forEach(Subscription::close);
  }
}
