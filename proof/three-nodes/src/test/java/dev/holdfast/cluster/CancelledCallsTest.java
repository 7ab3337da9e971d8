package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectStub;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.ClusterNamespace;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.faults.Polling;
import dev.holdfast.filter.Headers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of another node that their caller gives up: node a calls, node b has the objects. */
@Timeout(120)
class CancelledCallsTest {

  private static final Duration LONG = Duration.ofHours(1);

  /** Something that lets one call at a time pass. */
  public interface Door {

    /** Does not return before the test says so. */
    void hold() throws InterruptedException;

    /** Records that the call was made. */
    void pass(String call);
  }

  private static final class DoorObject implements Door {

    @Override
    public void hold() throws InterruptedException {
      held.countDown();
      free.await();
      made.add("hold");
    }

    @Override
    public void pass(String call) {
      made.add(call);
    }
  }

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  private static volatile Queue<String> made = new ConcurrentLinkedQueue<>();
  private static volatile CountDownLatch held = new CountDownLatch(1);
  private static volatile CountDownLatch free = new CountDownLatch(1);

  /** Until when a node that takes the shard waits before it opens the objects. */
  private static volatile CountDownLatch opening = new CountDownLatch(0);

  private static void register(ObjectRegistrar objects) {
    try {
      opening.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    objects.namespace("doors", Door.class, _ -> new DoorObject());
  }

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, 1, CancelledCallsTest::register);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  @BeforeEach
  void moveToB() {
    nodes.move(0, "b");
    made = new ConcurrentLinkedQueue<>();
    held = new CountDownLatch(1);
    free = new CountDownLatch(1);
  }

  private static ObjectStub<Door> door() {
    return nodes.get("a").namespace("doors", Door.class).stub("front");
  }

  /** A call on a thread of its own, which is interrupted. */
  private static final class Impatient {

    private final CompletableFuture<String> outcome = new CompletableFuture<>();
    private final Thread thread;

    private Impatient(ObjectStub.Call<Door, ?> call, ObjectStub<Door> door) {
      this.thread =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      call.apply(door.blocking());
                      outcome.complete("made");
                    } catch (CallInterruptedException e) {
                      outcome.complete(e.getMessage());
                    } catch (Exception | Error e) {
                      outcome.completeExceptionally(e);
                    }
                  });
    }

    /** {@return whether it was withdrawn; false if it goes on, or no answer came in time} */
    boolean isWithdrawn() {
      String message = outcome.join();
      boolean isWithdrawn = message.contains("withdrawn before it was delivered");
      assertThat(isWithdrawn || message.contains("the call goes on")).as(message).isTrue();
      return isWithdrawn;
    }
  }

  private static Impatient pass(ObjectStub<Door> door, String call) {
    return new Impatient(
        called -> {
          called.pass(call);
          return null;
        },
        door);
  }

  private static CompletableFuture<Void> hold() throws InterruptedException {
    CompletableFuture<Void> holder =
        door()
            .async(
                called -> {
                  called.hold();
                  return null;
                });
    held.await();
    return holder;
  }

  private static void awaitWaiting(long count) {
    while (nodes.get("b").statistics().namespaces().get("doors").queued() != count) {
      Polling.pause();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void interruptedCallThatWaitsBehindAnotherOneIsWithdrawn(boolean isTimed) throws Exception {
    ObjectStub<Door> door = isTimed ? door().withTimeout(LONG) : door();
    CompletableFuture<Void> holder = hold();
    boolean isWithdrawn = false;
    while (!isWithdrawn) { // on a busy machine the answer may come too late for its caller
      Impatient impatient = pass(door, "interrupted");
      awaitWaiting(1);
      impatient.thread.interrupt();
      awaitWaiting(0);
      isWithdrawn = impatient.isWithdrawn();
    }
    free.countDown();
    holder.join();
    door().blocking().pass("next");

    assertThat(made).containsExactly("hold", "next");
  }

  @Test
  void callOfACancelledFutureIsWithdrawn() throws Exception {
    CompletableFuture<Void> holder = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                holder.complete(hold().join()); // a caller of its own: it would be waited for
              } catch (Exception | Error e) {
                holder.completeExceptionally(e);
              }
            });
    held.await();
    CompletableFuture<Void> call =
        door()
            .async(
                called -> {
                  called.pass("cancelled");
                  return null;
                });
    awaitWaiting(1);
    call.cancel(true);
    awaitWaiting(0);
    free.countDown();
    holder.join();
    door().blocking().pass("next");

    assertThatThrownBy(call::join).isInstanceOf(CancellationException.class);
    assertThat(made).containsExactly("hold", "next");
  }

  @Test
  void callWhoseTimeIsOverWhileItWaitsIsWithdrawn() throws Exception {
    CompletableFuture<Void> holder = hold();
    boolean isDelivered = true;
    while (isDelivered) { // on a busy machine the answer may come too late for its caller
      try {
        door().withTimeout(Duration.ofMillis(100)).blocking().pass("late");
        throw new AssertionError("it was made");
      } catch (ObjectCallTimeoutException e) {
        assertThat(e.timeout()).isEqualTo(Duration.ofMillis(100)); // also if the owner was first
        isDelivered = e.delivered();
      }
      awaitWaiting(0);
    }
    free.countDown();
    holder.join();
    door().blocking().pass("next");

    assertThat(made).containsExactly("hold", "next");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void interruptedCallThatHasBegunGoesOn(boolean isTimed) throws Exception {
    Impatient impatient =
        new Impatient(
            called -> {
              called.hold();
              return null;
            },
            isTimed ? door().withTimeout(LONG) : door());
    held.await();
    impatient.thread.interrupt();

    assertThat(impatient.isWithdrawn()).isFalse();
    // Sent later over the same connection: the cancellation has arrived.
    nodes.get("a").namespace("doors", Door.class).getByName("back").pass("other");
    free.countDown();
    door().blocking().pass("next");
    assertThat(made).containsExactly("other", "hold", "next");
  }

  @Test
  void interruptedCallThatWaitsForTheObjectsToOpenIsWithdrawn() throws Exception {
    door().blocking().pass("first");
    nodes.move(0, "c");
    opening = new CountDownLatch(1);
    CompletableFuture<Void> move = CompletableFuture.runAsync(() -> nodes.move(0, "b"));
    NodeShard shard = ((ClusterNode) nodes.get("b")).shard(0);
    while (shard.objects() == null || !"b".equals(nodes.get("a").shards().getFirst().owner())) {
      Polling.pause();
    }
    try {
      boolean isWithdrawn = false;
      while (!isWithdrawn) { // on a busy machine the answer may come too late for its caller
        Impatient impatient = pass(door(), "interrupted");
        while (impatient.thread.getState() != Thread.State.WAITING) {
          Polling.pause();
        }
        impatient.thread.interrupt();
        isWithdrawn = impatient.isWithdrawn();
      }
    } finally {
      opening.countDown();
    }
    move.join();
    door().blocking().pass("next");

    assertThat(made).containsExactly("first", "next");
  }

  @Test
  void callThatWaitsForItsOwnNodeToOpenTheObjectsIsWithdrawn() throws Exception {
    nodes.move(0, "c");
    opening = new CountDownLatch(1);
    CompletableFuture<Void> move = CompletableFuture.runAsync(() -> nodes.move(0, "b"));
    while (((ClusterNode) nodes.get("b")).shard(0).objects() == null) {
      Polling.pause();
    }
    ObjectStub<Door> door = nodes.get("b").namespace("doors", Door.class).stub("front");
    try {
      Impatient impatient = pass(door, "interrupted");
      impatient.thread.interrupt();
      assertThat(impatient.isWithdrawn()).isTrue();
      assertThatThrownBy(() -> door.withTimeout(Duration.ofMillis(1)).blocking().pass("late"))
          .isInstanceOfSatisfying(
              ObjectCallTimeoutException.class,
              e -> assertThat(e.delivered()).as("delivered").isFalse());
    } finally {
      opening.countDown();
    }
    move.join();
    door.blocking().pass("next");

    assertThat(made).containsExactly("next");
  }

  @Test
  void callThatHasWaitedForItsOwnNodeGetsWhatIsLeftOfItsTime() throws Exception {
    nodes.move(0, "c");
    opening = new CountDownLatch(1);
    CompletableFuture<Void> move = CompletableFuture.runAsync(() -> nodes.move(0, "b"));
    while (((ClusterNode) nodes.get("b")).shard(0).objects() == null) {
      Polling.pause();
    }
    ClusterNamespace<Door> doors =
        (ClusterNamespace<Door>) nodes.get("b").namespace("doors", Door.class);
    ClusterCalls.Call call =
        new ClusterCalls.Call(
            "doors",
            "doors",
            doors.idFromName("front"),
            doors.methods().method(Door.class.getMethod("hold")),
            LONG,
            Headers.NONE);
    CompletableFuture<Duration> left = new CompletableFuture<>();
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    ClusterCalls.Local late =
        (_, rest) -> {
          left.complete(rest);
          throw new ObjectCallTimeoutException("doors", call.id(), rest, /* delivered= */ true);
        };
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    doors.calls().make(call, new Object[0], late, null);
                  } catch (Throwable e) {
                    thrown.complete(e);
                  }
                });
    while (caller.getState() != Thread.State.TIMED_WAITING) {
      Polling.pause();
    }
    opening.countDown();
    move.join();

    assertThat(left.join()).isLessThan(LONG);
    assertThat(thrown.join())
        .isInstanceOfSatisfying(
            ObjectCallTimeoutException.class,
            e -> {
              assertThat(e.timeout()).isEqualTo(LONG);
              assertThat(e.delivered()).as("delivered").isTrue();
            });
  }

  /** An asynchronous call of this thread whose code waits before it calls the object. */
  private static CompletableFuture<Void> late(ObjectStub<Door> door, CountDownLatch go) {
    return door.async(
        called -> {
          go.await();
          called.pass("late");
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void directCallComesAfterAnEarlierAsynchronousOne(boolean isTimed) {
    ObjectStub<Door> door = isTimed ? door().withTimeout(LONG) : door();
    CountDownLatch go = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    Thread.ofPlatform()
        .start(
            () -> {
              while (caller.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
              }
              go.countDown();
            });
    CompletableFuture<Void> late = late(door, go);
    door.blocking().pass("direct");
    late.join();

    assertThat(made).containsExactly("late", "direct");
  }

  @Test
  void directCallThatWaitsForAnEarlierOneIsWithdrawn() {
    CountDownLatch go = new CountDownLatch(1);
    CompletableFuture<Void> late = late(door(), go);
    assertThatThrownBy(() -> door().withTimeout(Duration.ofMillis(1)).blocking().pass("direct"))
        .isInstanceOfSatisfying(
            ObjectCallTimeoutException.class,
            e -> assertThat(e.delivered()).as("delivered").isFalse());
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> door().blocking().pass("direct"))
        .isInstanceOf(CallInterruptedException.class)
        .hasMessageContaining("withdrawn before it was delivered");
    assertThat(Thread.interrupted()).isTrue();
    go.countDown();
    late.join();

    assertThat(made).containsExactly("late");
  }

  @Test
  void callThatIsInterruptedAtAnyMomentIsWithdrawnOrMadeAndNeverBoth() throws Exception {
    int callers = 4;
    int each = 100;
    Queue<String> withdrawn = new ConcurrentLinkedQueue<>();
    Queue<String> answered = new ConcurrentLinkedQueue<>();
    Queue<String> unknown = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    CompletableFuture<Void> failed = new CompletableFuture<>();
    for (int i = 0; i < callers; i++) {
      String caller = "caller " + i + " call ";
      ObjectStub<Door> door = i % 2 == 0 ? door() : door().withTimeout(LONG);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int j = 0; j < each; j++) {
                      String call = caller + j;
                      try {
                        door.blocking().pass(call);
                        answered.add(call);
                      } catch (CallInterruptedException e) {
                        boolean goesOn = e.getMessage().contains("the call goes on");
                        (goesOn ? unknown : withdrawn).add(call);
                      } catch (InstanceResetException | ObjectUnavailableException e) {
                        unknown.add(call); // a busy machine has cost the shard its owner
                      } catch (RuntimeException | Error e) {
                        failed.completeExceptionally(e);
                        return;
                      }
                      boolean _ = Thread.interrupted();
                    }
                  }));
    }
    Random random = new Random(1);
    while (threads.stream().anyMatch(Thread::isAlive)) {
      for (int spin = random.nextInt(100_000); spin > 0; spin--) {
        Thread.onSpinWait();
      }
      threads.get(random.nextInt(callers)).interrupt();
    }
    door().blocking().pass("next");

    assertThat(failed).isNotCompletedExceptionally();
    List<String> all = List.copyOf(made);
    assertThat(all)
        .doesNotHaveDuplicates()
        .containsAll(answered)
        .doesNotContainAnyElementsOf(withdrawn);
    assertThat(withdrawn.size() + answered.size() + unknown.size()).isEqualTo(callers * each);
    assertThat(Stream.of(withdrawn, answered, unknown).flatMap(Queue::stream))
        .containsAll(all.subList(0, all.size() - 1));
  }
}
