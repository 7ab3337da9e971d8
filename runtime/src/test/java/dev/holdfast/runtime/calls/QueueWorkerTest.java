package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.schedules.DeterministicScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of a busy object that another thread runs while their callers sleep. */
final class QueueWorkerTest {

  private final AtomicBoolean noThreads = new AtomicBoolean();
  private final ThreadFactory virtual = Thread.ofVirtual().factory();
  private final Host host =
      Host.with()
          .threads(
              task -> {
                if (noThreads.get()) {
                  throw new OutOfMemoryError("unable to create a thread");
                }
                return virtual.newThread(task);
              })
          .open();
  private final List<Thread> ranOn = new ArrayList<>();
  private BusyObject busy;

  @BeforeEach
  void occupy() {
    busy = new BusyObject(host, "a");
  }

  @AfterEach
  void close() throws Exception {
    busy.close();
    host.close();
  }

  private RunningCall queue(Script<?> script) {
    return new RunningCall(
            virtual,
            () ->
                host.call(
                    "a",
                    (self, context) -> {
                      ranOn.add(Thread.currentThread());
                      return script.run(self, context);
                    }))
        .awaitParked();
  }

  @Test
  void sleepingCallersHaveTheirCallsRunByOneThreadInTheirOrder() throws Exception {
    List<RunningCall> callers = new ArrayList<>();
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int number = i;
      callers.add(queue((_, _) -> order.add(number) ? number : -1));
    }
    busy.free();

    for (int i = 0; i < 100; i++) {
      assertThat(callers.get(i).get()).isEqualTo(i);
    }
    assertThat(order).isSorted().hasSize(100);
    assertThat(ranOn).containsOnly(ranOn.getFirst());
    assertThat(callers).noneMatch(caller -> caller.thread().equals(ranOn.getFirst()));
  }

  @Test
  void loneSleepingCallerRunsItsOwnCall() throws Exception {
    RunningCall caller = queue((_, _) -> "mine");
    busy.free();

    assertThat(caller.get()).isEqualTo("mine");
    assertThat(ranOn).containsExactly(caller.thread());
  }

  @Test
  void callThatWaitsDelaysNoLaterCall() throws Exception {
    CompletableFuture<String> word = new CompletableFuture<>();
    RunningCall waits = queue((_, context) -> context.await(word));
    RunningCall speaks = queue((_, _) -> word.complete("said by the next"));
    RunningCall last = queue((_, _) -> "last");
    busy.free();

    assertThat(speaks.get()).isEqualTo(true);
    assertThat(last.get()).isEqualTo("last");
    assertThat(waits.get()).isEqualTo("said by the next");
    assertThat(ranOn.getFirst()).isNotEqualTo(ranOn.get(1)).isNotEqualTo(waits.thread());
  }

  @Test
  void callsOfAnObjectThatWaitsAreLeftToTheirCallers() throws Exception {
    RunningCall first = queue((_, context) -> context.await(CompletableFuture.completedFuture(1)));
    RunningCall second = queue((_, _) -> 2);
    RunningCall third = queue((_, _) -> 3);
    busy.free();

    assertThat(List.of(first.get(), second.get(), third.get())).isEqualTo(List.of(1, 2, 3));
    assertThat(ranOn.subList(1, 3)).containsExactly(second.thread(), third.thread());
  }

  @Test
  void callOfAnotherObjectWithinIsACallBetweenObjects() throws Exception {
    RunningCall caller =
        queue((_, context) -> host.call("b", (_, inner) -> context.id() + " calls " + inner.id()));
    queue((_, _) -> null);
    busy.free();

    assertThat(caller.get()).isEqualTo(host.id("a") + " calls " + host.id("b"));
  }

  @Test
  void failureOfACallReachesItsCallerOnly() throws Exception {
    RunningCall fails =
        queue(
            (_, _) -> {
              throw new IllegalArgumentException("mine");
            });
    RunningCall runs = queue((_, _) -> "well");
    busy.free();

    assertThat(fails.failure()).isInstanceOf(IllegalArgumentException.class).hasMessage("mine");
    assertThat(runs.get()).isEqualTo("well");
  }

  @Test
  void resetWithinReachesTheCallAndAllAfterIt() throws Exception {
    RunningCall aborts =
        queue(
            (_, context) -> {
              throw context.abort("planned");
            });
    RunningCall behind = queue((_, _) -> "never");
    busy.free();

    assertThat(aborts.failure()).isInstanceOf(InstanceResetException.class);
    assertThat(behind.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("planned");
    assertThat(host.call("a", (_, _) -> "fresh")).isEqualTo("fresh");
  }

  @Test
  void interruptOfACallerReachesItsCallAndNotTheNext() throws Exception {
    CompletableFuture<Void> began = new CompletableFuture<>();
    RunningCall interrupted =
        queue(
            (_, _) -> {
              began.complete(null);
              while (!Thread.currentThread().isInterrupted()) {
                LockSupport.park();
              }
              return "interrupted";
            });
    RunningCall next = queue((_, _) -> Thread.currentThread().isInterrupted());
    busy.free();
    began.join();
    interrupted.interrupt();

    assertThat(interrupted.get()).isEqualTo("interrupted");
    assertThat(next.get()).isEqualTo(false);
    assertThat(ranOn).hasSize(2).containsOnly(ranOn.getFirst());
  }

  @Test
  void interruptThatTheCallLeavesComesBackToItsCaller() throws Exception {
    RunningCall caller =
        new RunningCall(
                virtual,
                () -> {
                  host.call(
                      "a",
                      (_, _) -> {
                        Thread.currentThread().interrupt();
                        return 0;
                      });
                  return Thread.currentThread().isInterrupted();
                })
            .awaitParked();
    RunningCall next = queue((_, _) -> Thread.currentThread().isInterrupted());
    busy.free();

    assertThat(caller.get()).isEqualTo(true);
    assertThat(next.get()).isEqualTo(false);
  }

  @Test
  void callersRunTheirCallsIfNoThreadCanBeStarted() throws Exception {
    RunningCall first = queue((_, _) -> 1);
    RunningCall second = queue((_, _) -> 2);
    noThreads.set(true);
    busy.free();

    assertThat(List.of(first.get(), second.get())).isEqualTo(List.of(1, 2));
    assertThat(ranOn).containsExactly(first.thread(), second.thread());
  }

  @Test
  void callOfAThreadThatKeepsItsCallsStaysOnIt() throws Exception {
    RunningCall keeping =
        new RunningCall(
                virtual,
                () -> {
                  ExecutionStack.current().keepCalls();
                  return host.call("a", (_, _) -> ranOn.add(Thread.currentThread()));
                })
            .awaitParked();
    RunningCall behind = queue((_, _) -> null);
    busy.free();
    keeping.get();
    behind.get();

    assertThat(ranOn.getFirst()).isEqualTo(keeping.thread());
  }

  @Test
  void callWhoseFailureCannotBeReportedFailsAllTheSame() throws Exception {
    RunningCall rude =
        queue(
            (_, context) -> {
              try {
                throw context.abort("planned");
              } catch (Error reset) {
                throw new RudeException(reset);
              }
            });
    RunningCall behind = queue((_, _) -> "never");
    busy.free();

    assertThat(rude.failure()).isNotNull();
    assertThat(behind.failure()).isInstanceOf(InstanceResetException.class);
    assertThat(host.call("a", (_, _) -> "fresh")).isEqualTo("fresh");
  }

  /** An exception whose message cannot be read. */
  private static final class RudeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RudeException(Throwable cause) {
      super(cause);
    }

    @Override
    public String getMessage() {
      throw new UnsupportedOperationException("no comment");
    }
  }

  @Test
  void longTurnIsReportedWithTheStackOfTheThreadThatRunsIt() {
    DeterministicScheduler.explore(
        10,
        scheduler -> {
          Host watched =
              Host.with()
                  .scheduler(scheduler)
                  .options(RuntimeOptions.DEFAULT.withTurnWarning(Duration.ofSeconds(4)))
                  .open();
          CompletableFuture<Void> first = new CompletableFuture<>();
          CompletableFuture<Void> slow = new CompletableFuture<>();
          scheduler.start("first", () -> watched.call("a", (_, _) -> first.join()));
          scheduler.runUntilIdle();
          scheduler.start("slow", () -> watched.call("a", (_, _) -> waitSlowly(slow)));
          scheduler.runUntilIdle();
          scheduler.start("behind", () -> watched.call("a", (_, _) -> slow.join()));
          scheduler.runUntilIdle();
          first.complete(null);
          scheduler.advance(Duration.ofSeconds(30));
          slow.complete(null);
          scheduler.runUntilIdle();

          assertThat(watched.log.awaitOne()).contains("has run for more than PT4S", "waitSlowly");
        });
  }

  private static Object waitSlowly(CompletableFuture<Void> slow) {
    return slow.join();
  }
}
