package dev.holdfast.cluster.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The order of the asynchronous calls of a thread. */
final class RemoteCallOrderTest {

  private static final ObjectId ID = ObjectId.of(new byte[32], null);

  private final AtomicInteger threadCount = new AtomicInteger();
  private final List<String> made = Collections.synchronizedList(new ArrayList<>());

  private Thread counted(Runnable code) {
    threadCount.incrementAndGet();
    return Thread.ofVirtual().unstarted(code);
  }

  @Test
  void callWaitsUntilACancelledOneHasEnded() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> withdrawn = new CompletableFuture<>();
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(this::counted)) {
      RemoteCallOrder order = new RemoteCallOrder(threads);
      CompletableFuture<Boolean> first =
          order.after(
              ID,
              () -> {
                begun.countDown();
                withdrawn.join(); // as the owner, which may have begun it
                return made.add("first, interrupted: " + Thread.interrupted());
              });
      begun.await();
      first.cancel(true);
      CompletableFuture<Boolean> second = order.after(ID, () -> made.add("second"));
      CompletableFuture<Boolean> third = order.after(ID, () -> made.add("third"));
      CompletableFuture<Boolean> fourth = order.after(ID, () -> made.add("fourth"));
      third.cancel(true);

      int threadCountBefore = threadCount.get();
      withdrawn.complete(null);
      assertThat(threadCountBefore).isEqualTo(1);
      assertThat(second.join()).isTrue();
      assertThat(fourth.join()).isTrue();
    }
    assertThat(made).containsExactly("first, interrupted: true", "second", "fourth");
    assertThat(threadCount).hasValue(3);
  }

  @Test
  void callAfterManyCancelledOnesIsMade() throws Exception {
    CompletableFuture<Void> hold = new CompletableFuture<>();
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(this::counted)) {
      RemoteCallOrder order = new RemoteCallOrder(threads);
      CompletableFuture<Void> first = order.after(ID, hold::join);
      List<CompletableFuture<Boolean>> cancelled = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        cancelled.add(order.after(ID, () -> made.add("cancelled")));
      }
      CompletableFuture<Boolean> last = order.after(ID, () -> made.add("last"));
      cancelled.forEach(each -> each.cancel(true));

      hold.complete(null);
      first.join();
      assertThat(last.get(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(made).containsExactly("last");
  }

  @Test
  void callsThatWaitWhenTheNodeIsClosedFail() throws Exception {
    CompletableFuture<Void> hold = new CompletableFuture<>();
    ExecutorService threads = Executors.newThreadPerTaskExecutor(this::counted);
    RemoteCallOrder order = new RemoteCallOrder(threads);
    CompletableFuture<Void> first = order.after(ID, hold::join);
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      waiting.add(order.after(ID, () -> made.add("late")));
    }

    threads.shutdown();
    hold.complete(null);

    first.join();
    for (CompletableFuture<Boolean> each : waiting) {
      assertThatThrownBy(() -> each.get(1, TimeUnit.MINUTES))
          .hasCauseInstanceOf(RuntimeClosedException.class);
    }
    assertThat(made).isEmpty();
  }

  @Test
  void callThatIsCancelledBeforeItsThreadRunsIsNotMade() {
    List<Runnable> threads = new ArrayList<>();
    RemoteCallOrder order = new RemoteCallOrder(threads::add);
    CompletableFuture<Boolean> first = order.after(ID, () -> made.add("first"));
    CompletableFuture<Boolean> second = order.after(ID, () -> made.add("second"));

    first.cancel(true);
    threads.removeFirst().run();
    threads.removeFirst().run();

    assertThat(Thread.interrupted()).isFalse();
    assertThat(second.join()).isTrue();
    assertThat(made).containsExactly("second");
  }
}
