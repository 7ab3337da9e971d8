package dev.holdfast.runtime.observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.CallStatistics;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.ResetReason;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class NamespaceStatisticsTest {

  private static NamespaceStatistics of(Host host) {
    return host.runtime.statistics().namespaces().get(Host.THINGS);
  }

  private static BusyObject busy(Host host, String name, long value) {
    return new BusyObject(Host.THINGS, host.id(name).toString(), Optional.of(name), value);
  }

  @Test
  void callsAreCountedByTheirOutcome() throws Exception {
    try (Host host = Host.open()) {
      host.call("a", (_, _) -> 1);
      host.call("a", (_, _) -> 2);
      assertThatThrownBy(
              () ->
                  host.call(
                      "a",
                      (_, _) -> {
                        throw new IllegalStateException("planned");
                      }))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        throw context.abort("planned");
                      }))
          .isInstanceOf(InstanceResetException.class);

      NamespaceStatistics now = of(host);

      assertThat(now.calls()).isEqualTo(new CallStatistics(2, 1, 1, 0, 0));
      assertThat(now.turns()).isEqualTo(4);
      assertThat(now.activations()).isEqualTo(1);
      assertThat(now.resets()).isEqualTo(Map.of(ResetReason.ABORTED, 1L));
      assertThat(now.live()).isZero();
    }
  }

  @Test
  void aWaitBeginsAnotherTurn() throws Exception {
    try (Host host = Host.open()) {
      host.call("a", (_, context) -> context.await(CompletableFuture.completedFuture(1)));

      assertThat(of(host).turns()).isEqualTo(2);
      assertThat(of(host).calls().returned()).isEqualTo(1);
    }
  }

  @Test
  void batchesAreCountedWithTheirBytes() throws Exception {
    try (Host host = Host.open()) {
      host.call("a", (_, context) -> context.storage().get("key", Long.class).isEmpty());
      assertThat(of(host).batches()).isZero();
      host.call(
          "a",
          (_, context) -> {
            context.storage().put("key", new byte[1000]);
            return 0;
          });

      assertThat(of(host).batches()).isEqualTo(1);
      assertThat(of(host).batchBytes()).isBetween(1000L, 1200L);
      assertThat(host.runtime.busiest(1, BusyBy.BATCH))
          .containsExactly(busy(host, "a", of(host).batchBytes()));
    }
  }

  @Test
  void anEvictedInstanceKeepsItsCounts() throws Exception {
    try (Host host =
        Host.with()
            .namespace(NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ofSeconds(10)))
            .open()) {
      host.call("a", (_, _) -> 1);
      assertThat(of(host).live()).isEqualTo(1);
      NamespaceStatistics before = of(host);

      assertThat(host.runtime.admin().evict(Host.THINGS, host.id("a"))).isTrue();

      NamespaceStatistics since = of(host).minus(before);
      assertThat(since.live()).isZero();
      assertThat(since.evictions()).isEqualTo(1);
      assertThat(since.calls()).isEqualTo(new CallStatistics(0, 0, 0, 0, 0));
      assertThat(of(host).calls().returned()).isEqualTo(1);
    }
  }

  /** A turn of an administrator makes no object of the application. */
  @Test
  void onlyWhatWasActivatedIsEvicted() throws Exception {
    try (Host host = Host.open()) {
      host.call(
          "a",
          (_, context) -> {
            context.storage().put("key", 1L);
            return 0;
          });
      assertThat(host.runtime.admin().evict(Host.THINGS, host.id("a"))).isTrue();
      host.runtime.admin().keys(Host.THINGS, host.id("a"), ListOptions.ALL);
      assertThat(of(host).live()).isEqualTo(1);

      assertThat(host.runtime.admin().evict(Host.THINGS, host.id("a"))).isTrue();

      assertThat(of(host).live()).isZero();
      assertThat(of(host).activations()).isEqualTo(1);
      assertThat(of(host).evictions()).isEqualTo(1);
    }
  }

  @Test
  void queueAndRefusalsAreSeenWhileAnObjectIsBusy() throws Exception {
    try (Host host = Host.with().namespace(NamespaceOptions.DEFAULT.withQueueLengthMax(1)).open()) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      RunningCall busy =
          host.start(
              "a",
              (_, _) -> {
                inside.countDown();
                goOn.await();
                return 0;
              });
      inside.await();
      RunningCall second = host.start("a", (_, _) -> 0).awaitParked();
      assertThat(of(host).queued()).isEqualTo(1);
      assertThatThrownBy(() -> host.call("a", (_, _) -> 0))
          .isInstanceOf(ObjectOverloadedException.class);
      host.clock.advance(Duration.ofMillis(5));
      goOn.countDown();
      busy.get();
      second.get();

      NamespaceStatistics now = of(host);
      assertThat(now.queued()).isZero();
      assertThat(now.calls()).isEqualTo(new CallStatistics(2, 0, 0, 0, 1));
      assertThat(now.inputGateNanos().max()).isEqualTo(Duration.ofMillis(5).toNanos());
      assertThat(now.turnNanos().max()).isEqualTo(Duration.ofMillis(5).toNanos());
      assertThat(host.runtime.busiest(1, BusyBy.QUEUE)).containsExactly(busy(host, "a", 1));
    }
  }

  @Test
  void aCallWhoseCallerGaveUpCountsTwice() throws Exception {
    try (Host host = Host.open()) {
      CountDownLatch goOn = new CountDownLatch(1);
      RunningCall call =
          host.start(
              () ->
                  host.call(
                      host.stub("a").withTimeout(Duration.ofSeconds(1)),
                      (_, _) -> {
                        host.clock.advance(Duration.ofSeconds(1));
                        goOn.await();
                        return 0;
                      }));
      assertThatThrownBy(call::get).hasCauseInstanceOf(ObjectCallTimeoutException.class);
      assertThat(of(host).calls()).isEqualTo(new CallStatistics(0, 0, 0, 1, 0));
      goOn.countDown();
      host.call("a", (_, _) -> 0);

      assertThat(of(host).calls()).isEqualTo(new CallStatistics(2, 0, 0, 1, 0));
    }
  }

  @Test
  void theWaitForTheDiskIsTimed() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    try (Host host = Host.with().journal(journal).open()) {
      RunningCall call =
          host.start(
                  "a",
                  (_, context) -> {
                    context.storage().put("key", 1L);
                    return 0;
                  })
              .awaitParked();
      journal.makeDurable(journal.lastPosition());
      call.get();

      assertThat(of(host).outputGateNanos().count()).isEqualTo(1);
      journal.makeDurable(journal.lastPosition());
    }
  }

  @Test
  void answersAfterTheClose() throws Exception {
    Host host = Host.open();
    host.call("a", (_, _) -> 1);
    host.close();

    assertThat(of(host).calls().returned()).isEqualTo(1);
    assertThat(of(host).live()).isZero();
    assertThat(host.runtime.busiest(5, BusyBy.CALLS)).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void theHottestObjectHasAName() throws Exception {
    try (Host host = Host.open()) {
      int script = host.number((_, _) -> 0);
      for (int i = 0; i < 20_000; i++) {
        host.call(i % 2 == 0 ? "hot" : "cold-" + i % 1000, script);
      }

      BusyObject first = host.runtime.busiest(3, BusyBy.CALLS).getFirst();
      assertThat(first.id()).isEqualTo(host.id("hot").toString());
      assertThat(first.name()).contains("hot");
      assertThat(first.value()).isBetween(5_000L, 20_000L);

      host.clock.advance(Duration.ofMinutes(3));
      assertThat(host.runtime.busiest(3, BusyBy.CALLS)).isEmpty();
    }
  }

  /** Random calls and resets by eight threads; each thread counts beside. */
  @Test
  void countsAreExactAtRest() throws Exception {
    try (Host host = Host.open()) {
      int returning = host.number((_, _) -> 0);
      int writing =
          host.number(
              (_, context) -> {
                context.storage().put("key", 1L);
                return 0;
              });
      int throwing =
          host.number(
              (_, _) -> {
                throw new IllegalStateException("planned");
              });
      int aborting =
          host.number(
              (_, context) -> {
                throw context.abort("planned");
              });
      int[] scripts = {returning, returning, writing, throwing, aborting};
      LongAdder returned = new LongAdder();
      LongAdder threw = new LongAdder();
      LongAdder reset = new LongAdder();
      List<RunningCall> threads = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        SplittableRandom random = new SplittableRandom(thread);
        threads.add(
            host.start(
                () -> {
                  for (int i = 0; i < 1_250; i++) {
                    String name = "object-" + random.nextInt(5);
                    if (random.nextInt(20) == 0) {
                      host.runtime.admin().evict(Host.THINGS, host.id(name));
                    }
                    try {
                      host.call(name, scripts[random.nextInt(scripts.length)]);
                      returned.increment();
                    } catch (IllegalStateException e) {
                      threw.increment();
                    } catch (InstanceResetException e) {
                      reset.increment();
                    }
                  }
                  return 0;
                }));
      }
      for (RunningCall each : threads) {
        each.get();
      }

      NamespaceStatistics now = of(host);
      assertThat(now.calls())
          .isEqualTo(new CallStatistics(returned.sum(), threw.sum(), reset.sum(), 0, 0));
      assertThat(now.activations()).isEqualTo(host.created.get());
      assertThat(now.activations() - now.evictions() - now.resets().get(ResetReason.ABORTED))
          .isEqualTo(now.live());
      assertThat(now.queued()).isZero();
    }
  }

  /**
   * Calls whose time is over, by eight threads on two objects: each one that began runs to its end
   * and is counted there, too.
   */
  @Test
  void callsThatTimeOutAreExactAtRest() throws Exception {
    Duration timeout = Duration.ofSeconds(1);
    try (Host host = Host.open()) {
      LongAdder ran = new LongAdder();
      LongAdder timedOut = new LongAdder();
      int quick =
          host.number(
              (_, _) -> {
                ran.increment();
                return 0;
              });
      int late =
          host.number(
              (_, _) -> {
                host.clock.advance(timeout);
                ran.increment();
                return 0;
              });
      List<RunningCall> threads = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        SplittableRandom random = new SplittableRandom(thread);
        threads.add(
            host.start(
                () -> {
                  for (int i = 0; i < 250; i++) {
                    int script = random.nextInt(4) == 0 ? late : quick;
                    try {
                      host.stub("object-" + random.nextInt(2))
                          .withTimeout(timeout)
                          .blocking()
                          .run(script);
                    } catch (ObjectCallTimeoutException e) {
                      timedOut.increment();
                    }
                  }
                  return 0;
                }));
      }
      for (RunningCall each : threads) {
        each.get();
      }
      // Behind all calls that go on without their callers.
      host.call("object-0", quick);
      host.call("object-1", quick);

      assertThat(timedOut.sum()).isPositive();
      assertThat(of(host).calls())
          .isEqualTo(new CallStatistics(ran.sum(), 0, 0, timedOut.sum(), 0));
      assertThat(of(host).queued()).isZero();
    }
  }
}
