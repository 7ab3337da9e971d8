package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.testkit.InMemoryJournal;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LifecycleTest {

  private static final Duration IDLE = Duration.ofSeconds(10);

  /** Runs a test on a scheduler, where eviction has no thread to wait for. */
  private static void scheduled(DeterministicScheduler.Scenario scenario) {
    DeterministicScheduler.explore(30, scenario);
  }

  private static long count(Host host, DeterministicScheduler scheduler) {
    AtomicReference<Long> count = new AtomicReference<>();
    scheduler.run(() -> count.set((Long) host.call("a", (self, _) -> ++self.count)));
    return count.get();
  }

  @Test
  void case66IdleObjectIsEvictedAfterItsTime() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          assertThat(count(host, scheduler)).isEqualTo(1);
          scheduler.advance(IDLE.plusSeconds(3));

          assertThat(count(host, scheduler)).isEqualTo(1);
          assertThat(host.created).hasValue(2);
        });
  }

  @Test
  void case66ObjectIsNotEvictedBeforeItsTime() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          for (int i = 1; i <= 5; i++) {
            assertThat(count(host, scheduler)).isEqualTo(i);
            scheduler.advance(IDLE.minusMillis(1));
          }
          assertThat(host.created).hasValue(1);
        });
  }

  @Test
  void idleTimeBeginsWhenALongTurnEnds() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          CompletableFuture<Void> slow = new CompletableFuture<>();
          scheduler.start("slow", () -> host.call("a", (self, _) -> self.count = slowly(slow)));
          scheduler.advance(IDLE.multipliedBy(3));
          slow.complete(null);
          scheduler.advance(IDLE.minusSeconds(2));

          assertThat(count(host, scheduler)).isEqualTo(6);
        });
  }

  private static long slowly(CompletableFuture<Void> slow) {
    slow.join();
    return 5;
  }

  @Test
  void case66PendingTimerKeepsTheObject() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          scheduler.run(
              () ->
                  host.call(
                      "a",
                      (self, context) -> {
                        context.schedule(Duration.ofMinutes(1), () -> self.count += 10);
                        return null;
                      }));
          scheduler.advance(Duration.ofSeconds(65));

          assertThat(count(host, scheduler)).isEqualTo(11);
        });
  }

  @Test
  void objectIsEvictedAfterItsTimerHasRun() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          scheduler.run(
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        context.schedule(Duration.ofMinutes(1), () -> {});
                        return null;
                      }));
          scheduler.advance(Duration.ofSeconds(85));
          count(host, scheduler);

          assertThat(host.created).hasValue(2);
        });
  }

  @Test
  void runningTaskAndPendingStageKeepTheObject() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          CompletableFuture<Void> taskStage = new CompletableFuture<>();
          CompletableFuture<Void> waitedFor = new CompletableFuture<>();
          scheduler.run(
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        context.async(() -> context.await(taskStage));
                        context.waitUntil(waitedFor);
                        return null;
                      }));
          scheduler.advance(IDLE.multipliedBy(3));
          scheduler.run(() -> taskStage.complete(null));
          scheduler.advance(IDLE.multipliedBy(3));
          assertThat(count(host, scheduler)).isEqualTo(1);
          assertThat(host.created).hasValue(1);
          scheduler.run(() -> waitedFor.complete(null));
          scheduler.advance(IDLE.multipliedBy(2));
          count(host, scheduler);

          assertThat(host.created).hasValue(2);
        });
  }

  @Test
  void evictionLosesMemoryButNoData() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          scheduler.run(() -> host.call("a", (_, context) -> increment(context)));
          scheduler.advance(IDLE.multipliedBy(2));
          AtomicReference<Object> value = new AtomicReference<>();
          scheduler.run(() -> value.set(host.call("a", (_, context) -> increment(context))));

          assertThat(value.get()).isEqualTo(2L);
          assertThat(host.created).hasValue(2);
        });
  }

  private static Object increment(dev.holdfast.ObjectContext context) {
    long value = context.storage().get("key", Long.class).orElse(0L) + 1;
    context.storage().put("key", value);
    return value;
  }

  @Test
  void case67ConcurrentFirstCallsCreateOneInstance() {
    scheduled(
        scheduler -> {
          Host host = Host.with().scheduler(scheduler).open();
          host.atCreation(
              (_, context) -> {
                Thread.yield();
                return context.blockConcurrencyWhile(
                    () -> context.await(CompletableFuture.completedFuture(null)));
              });
          List<Object> counts = new ArrayList<>();
          DeterministicScheduler.Body first =
              () -> counts.add(host.call("a", (self, _) -> ++self.count));
          scheduler.run(first, first, first);

          assertThat(counts).containsExactlyInAnyOrder(1L, 2L, 3L);
          assertThat(host.created).hasValue(1);
        });
  }

  @Test
  void failedFactoryFailsAllWaitersAndTheNextCallTriesAgain() throws Exception {
    try (Host host = Host.open()) {
      CompletableFuture<Void> stage = new CompletableFuture<>();
      IOException failure = new IOException("in the factory");
      host.atCreation(
          (_, context) -> {
            context.await(stage);
            throw failure;
          });
      RunningCall first = host.start("a", (_, _) -> "never").awaitParked();
      RunningCall second = host.start("a", (_, _) -> "never").awaitParked();
      stage.complete(null);

      for (RunningCall each : List.of(first, second)) {
        assertThat(each.failure())
            .isInstanceOfSatisfying(
                InstanceResetException.class,
                reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.NOT_WRITTEN))
            .hasCause(failure);
      }
      host.atCreation(null);
      assertThat(host.call("a", (_, _) -> "fresh")).isEqualTo("fresh");
    }
  }

  @Test
  void writesOfAFailedFactoryAreDropped() throws Exception {
    try (Host host = Host.open()) {
      host.atCreation(
          (_, context) -> {
            context.storage().put("key", 1);
            throw new IOException("in the factory");
          });
      assertThatThrownBy(() -> host.call("a", (_, _) -> null));
      host.atCreation(null);

      assertThat(host.call("a", (_, context) -> context.storage().list(Object.class).size()))
          .isEqualTo(0);
    }
  }

  @Test
  void dataIsThereAfterTheRuntimeIsOpenedAgain() throws Exception {
    InMemoryJournal journal = new InMemoryJournal();
    try (Host host = Host.with().journal(journal).open()) {
      host.call("a", (_, context) -> increment(context));
    }
    try (Host again = Host.with().journal(journal.prefix(journal.durablePosition())).open()) {
      assertThat(again.call("a", (_, context) -> increment(context))).isEqualTo(2L);
    }
  }

  // ---- Closing ----------------------------------------------------------------------------

  @Test
  void closeWaitsForCallsThatRunAndWait() throws Exception {
    Host host = Host.open();
    CompletableFuture<Void> blocker = new CompletableFuture<>();
    RunningCall running = host.start("a", (_, _) -> slowly(blocker)).awaitParked();
    RunningCall queued = host.start("a", (_, _) -> "queued").awaitParked();
    RunningCall waiting =
        host.start("b", (_, context) -> context.await(blocker.thenApply(_ -> "waited")));
    waiting.awaitParked();
    RunningCall closing = host.start(() -> close(host)).awaitParked();

    assertThatThrownBy(() -> host.call("c", (_, _) -> null))
        .isInstanceOf(RuntimeClosedException.class);
    blocker.complete(null);
    assertThat(running.get()).isEqualTo(5L);
    assertThat(queued.get()).isEqualTo("queued");
    assertThat(waiting.get()).isEqualTo("waited");
    closing.get();
  }

  private static Object close(Host host) {
    host.close();
    return null;
  }

  @Test
  void runningCallsMayCallOthersWhileTheRuntimeCloses() throws Exception {
    Host host = Host.open();
    CompletableFuture<Void> blocker = new CompletableFuture<>();
    RunningCall running =
        host.start(
            "a",
            (_, _) -> {
              slowly(blocker);
              return host.call("new", (_, _) -> "reply");
            });
    running.awaitParked();
    RunningCall closing = host.start(() -> close(host)).awaitParked();
    blocker.complete(null);

    assertThat(running.get()).isEqualTo("reply");
    closing.get();
  }

  @Test
  void callsThatRunTooLongAreInterruptedByClose() throws Exception {
    Host host =
        Host.with().options(RuntimeOptions.DEFAULT.withCloseTimeout(Duration.ofSeconds(30))).open();
    RunningCall waiting =
        host.start("a", (_, context) -> context.await(new CompletableFuture<>())).awaitParked();
    RunningCall blocking = host.start("b", (_, _) -> new CompletableFuture<>().get()).awaitParked();
    RunningCall closing = host.start(() -> close(host)).awaitParked();
    host.clock.advance(Duration.ofSeconds(30));

    assertThat(waiting.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("closed");
    assertThat(blocking.failure()).isInstanceOf(InstanceResetException.class);
    closing.get();
  }

  @Test
  void closeDropsTimers() throws Exception {
    Host host = Host.open();
    List<String> ran = new ArrayList<>();
    host.call(
        "a",
        (_, context) -> {
          context.schedule(Duration.ofHours(1), () -> ran.add("timer"));
          return null;
        });
    host.close();
    host.clock.advance(Duration.ofHours(2));

    assertThat(ran).isEmpty();
    assertThat(host.clock.pendingTimers()).isZero();
  }

  @Test
  void closingTwiceDoesNothing() {
    Host host = Host.open();
    host.close();
    host.close();
  }

  @Test
  void objectCannotCloseItsOwnRuntime() throws Exception {
    try (Host host = Host.open()) {
      assertThatThrownBy(() -> host.call("a", (_, _) -> close(host)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("its own runtime");
    }
  }

  @Test
  void closeMakesTheLastWritesDurable() throws Exception {
    Host host = Host.with().journal(new InMemoryJournal(InMemoryJournal.Durability.MANUAL)).open();
    RunningCall call = host.start("a", (_, context) -> increment(context));
    host.journal.awaitWaiters(1);
    host.close();

    assertThat(call.get()).isEqualTo(1L);
    assertThat(host.journal.durablePosition()).isEqualTo(1);
  }

  // ---- Registration -----------------------------------------------------------------------

  @Test
  void malformedNamespacesAreRefused() {
    for (String name : List.of("", "-a", ".a", "a b", "ä", "a/b", "a.sqlite-b", "a".repeat(65))) {
      refuses(objects -> objects.namespace(name, Thing.class, _ -> null), "\"" + name + "\"");
    }
    new EngineBuilder(objects -> objects.namespace("a".repeat(64), Thing.class, _ -> null));
    new EngineBuilder(objects -> objects.namespace("0.a_B-c", Thing.class, _ -> null));
  }

  @Test
  void namespaceRegisteredTwiceIsRefused() {
    refuses(
        objects ->
            objects
                .namespace("twice", Thing.class, _ -> null)
                .namespace("twice", Thing.class, _ -> null),
        "\"twice\" is already registered");
  }

  @Test
  void classIsNoInterface() {
    assertThatThrownBy(
            () -> new EngineBuilder(objects -> objects.namespace("a", String.class, _ -> "")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String");
  }

  private static void refuses(Consumer<ObjectRegistrar> objects, String message) {
    assertThatThrownBy(() -> new EngineBuilder(objects))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining(message);
  }

  @Test
  void objectsMayBeKeptForEver() throws Exception {
    try (Host host =
        Host.with()
            .namespace(NamespaceOptions.DEFAULT.withIdleTimeout(ChronoUnit.FOREVER.getDuration()))
            .options(RuntimeOptions.DEFAULT.withTurnWarning(ChronoUnit.FOREVER.getDuration()))
            .open()) {
      assertThat(host.call("a", (_, _) -> "made")).isEqualTo("made");
    }
  }

  @Test
  void callMayBeGivenEndlessTime() throws Exception {
    try (Host host = Host.open()) {
      ObjectStub<Thing> patient = host.stub("a").withTimeout(ChronoUnit.FOREVER.getDuration());
      assertThat(host.call(patient, (_, _) -> "there")).isEqualTo("there");
    }
  }

  @Test
  void idleObjectsAreEvictedThoughAWalkCouldNotBeStarted() throws Exception {
    AtomicBoolean isExhausted = new AtomicBoolean();
    ThreadFactory threads =
        task -> {
          if (isExhausted.get()) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          return new Thread(task) {
            @Override
            public void start() {
              run(); // so that a sweep has ended when the clock has moved
            }
          };
        };
    try (Host host = Host.with().threads(threads).open()) {
      host.call("a", (_, _) -> null);
      isExhausted.set(true);
      assertThatThrownBy(() -> host.clock.advance(IDLE)).isInstanceOf(OutOfMemoryError.class);
      isExhausted.set(false);
      host.clock.advance(IDLE.multipliedBy(2));
      host.call("a", (_, _) -> null);

      assertThat(host.created).hasValue(2);
    }
  }
}
