package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ScheduledTask;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executions of one object interleave at waits, and only there. */
class InterleavingTest {

  private final Host host = Host.open();
  private final List<String> events = new ArrayList<>();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void awaitLetsOtherEventsRun() throws Exception {
    CompletableFuture<String> stage = new CompletableFuture<>();
    RunningCall first =
        host.start(
            "a",
            (_, context) -> {
              events.add("first begins");
              String value = context.await(stage);
              events.add("first ends");
              return value;
            });
    first.awaitParked();
    host.call("a", (_, _) -> events.add("second"));
    stage.complete("value");

    assertThat(first.get()).isEqualTo("value");
    assertThat(events).containsExactly("first begins", "second", "first ends");
  }

  @Test
  void otherBlockingKeepsTheTurn() throws Exception {
    CompletableFuture<Void> blocker = new CompletableFuture<>();
    RunningCall first =
        host.start(
            "a",
            (_, _) -> {
              events.add("first begins");
              blocker.join();
              events.add("first ends");
              return null;
            });
    first.awaitParked();
    RunningCall second = host.start("a", (_, _) -> events.add("second")).awaitParked();
    blocker.complete(null);
    second.get();

    assertThat(events).containsExactly("first begins", "first ends", "second");
  }

  @Test
  void awaitOfACompleteStageEndsTheTurnToo() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          RunningCall other = host.start("a", (_, _) -> events.add("other")).awaitParked();
          context.await(CompletableFuture.completedFuture(null));
          events.add("after the wait");
          other.get();
          return null;
        });

    assertThat(events).containsExactly("other", "after the wait");
  }

  @Test
  void awaitThrowsTheFailureOfTheStageItself() throws Exception {
    IllegalStateException unchecked = new IllegalStateException("unchecked");
    IOException checked = new IOException("checked");
    host.call(
        "a",
        (_, context) -> {
          assertThatThrownBy(() -> context.await(CompletableFuture.failedFuture(unchecked)))
              .isSameAs(unchecked);
          assertThatThrownBy(
                  () ->
                      context.await(
                          CompletableFuture.failedFuture(unchecked).thenApply(value -> value)))
              .isSameAs(unchecked);
          assertThatThrownBy(() -> context.await(CompletableFuture.failedFuture(checked)))
              .isInstanceOf(CompletionException.class)
              .hasCause(checked);
          context.storage().put("still", "in a turn");
          return null;
        });
  }

  @Test
  void interruptEndsAnAwaitInANewTurn() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              try {
                context.await(new CompletableFuture<>());
                return "not interrupted";
              } catch (CallInterruptedException e) {
                boolean flag = Thread.interrupted();
                context.storage().put("still", "in a turn");
                return "interrupted, flag " + flag;
              }
            });
    call.awaitParked().interrupt();

    assertThat(call.get()).isEqualTo("interrupted, flag true");
  }

  @Test
  void blockingWorkRunsOutsideOfTheTurn() throws Exception {
    Object result =
        host.call(
            "a",
            (_, context) -> {
              String fromWork =
                  context.call(
                      () -> {
                        host.call("a", (_, _) -> events.add("other"));
                        return "from the work";
                      });
              events.add("after the work");
              return fromWork;
            });

    assertThat(result).isEqualTo("from the work");
    assertThat(events).containsExactly("other", "after the work");
  }

  @Test
  void blockingWorkMustNotUseTheContext() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.call(
              () -> {
                assertThatThrownBy(() -> context.storage().put("key", 1))
                    .isInstanceOf(MisuseException.class)
                    .hasMessageContaining("turn has ended");
                return null;
              });
          return null;
        });
  }

  @Test
  void failureOfBlockingWorkIsThrownInTheNextTurn() throws Exception {
    IOException failure = new IOException("in the work");
    host.call(
        "a",
        (_, context) -> {
          assertThatThrownBy(
                  () ->
                      context.call(
                          () -> {
                            throw failure;
                          }))
              .isSameAs(failure);
          context.storage().put("still", "in a turn");
          return null;
        });
  }

  @Test
  void taskBeginsAfterTheCurrentTurn() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          CompletableFuture<String> task =
              context.async(
                  () -> {
                    events.add("task");
                    return "result";
                  });
          events.add("rest of the turn");
          assertThat(context.await(task)).isEqualTo("result");
          return null;
        });

    assertThat(events).containsExactly("rest of the turn", "task");
  }

  @Test
  void taskUsesTheContextAndContinuesAfterTheCall() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    AtomicReference<CompletableFuture<Void>> task = new AtomicReference<>();
    host.call(
        "a",
        (_, context) -> {
          task.set(
              context.async(
                  () -> {
                    context.await(stage);
                    context.storage().put("key", "from the task");
                    return null;
                  }));
          return null;
        });
    stage.complete(null);
    task.get().get();

    assertThat(
            host.call("a", (_, context) -> context.storage().get("key", String.class).orElse("")))
        .isEqualTo("from the task");
  }

  @Test
  void failureOfATaskIsInItsFutureAndLeavesTheObjectAlive() throws Exception {
    IOException failure = new IOException("in the task");
    host.call(
        "a",
        (_, context) -> {
          CompletableFuture<Void> task =
              context.async(
                  () -> {
                    throw failure;
                  });
          assertThatThrownBy(() -> context.await(task)).hasCause(failure);
          return null;
        });

    assertThat(host.created).hasValue(1);
  }

  @Test
  void taskThatNeverRanFailsWithTheReset() {
    AtomicReference<CompletableFuture<String>> task = new AtomicReference<>();
    assertThatThrownBy(
        () ->
            host.call(
                "a",
                (_, context) -> {
                  task.set(context.async(() -> "never"));
                  throw context.abort("enough");
                }));

    assertThatThrownBy(() -> task.get().join())
        .hasCauseInstanceOf(InstanceResetException.class)
        .hasMessageContaining("enough");
  }

  @Test
  void timerRunsAsAnEventWhenItsTimeHasCome() throws Exception {
    CompletableFuture<Object> ran = new CompletableFuture<>();
    host.call(
        "a",
        (_, context) -> {
          context.schedule(
              Duration.ofSeconds(5),
              () -> ran.complete(context.storage().get("key", String.class).isPresent()));
          return null;
        });
    host.clock.advance(Duration.ofSeconds(4));
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", "value");
          return null;
        });
    assertThat(ran).isNotDone();
    host.clock.advance(Duration.ofSeconds(1));

    assertThat(ran.get()).isEqualTo(true);
  }

  @Test
  void timerWaitsForTheTurnThatRuns() throws Exception {
    AtomicReference<CompletableFuture<Void>> ran = new AtomicReference<>(new CompletableFuture<>());
    host.call(
        "a",
        (_, context) -> {
          context.schedule(
              Duration.ZERO,
              () -> {
                events.add("timer");
                ran.get().complete(null);
              });
          host.clock.advance(Duration.ZERO);
          events.add("turn");
          return null;
        });
    ran.get().get();

    assertThat(events).containsExactly("turn", "timer");
  }

  @Test
  void cancelledTimerDoesNotRun() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          ScheduledTask before = context.schedule(Duration.ofSeconds(1), () -> events.add("1"));
          ScheduledTask queued = context.schedule(Duration.ZERO, () -> events.add("0"));
          host.clock.advance(Duration.ZERO);
          assertThat(before.cancel()).isTrue();
          assertThat(before.cancel()).isFalse();
          assertThat(queued.cancel()).isTrue();
          return null;
        });
    host.clock.advance(Duration.ofSeconds(2));
    host.call("a", (_, _) -> events.add("call"));

    assertThat(events).containsExactly("call");
  }

  @Test
  void timerThatRunsCannotBeCancelled() throws Exception {
    AtomicReference<ScheduledTask> timer = new AtomicReference<>();
    CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    host.call(
        "a",
        (_, context) -> {
          timer.set(
              context.schedule(Duration.ZERO, () -> cancelled.complete(timer.get().cancel())));
          return null;
        });
    host.clock.advance(Duration.ZERO);

    assertThat(cancelled.get()).isFalse();
    assertThat(timer.get().cancel()).isFalse();
  }

  @Test
  void failureOfATimerLeavesTheObjectAlive() throws Exception {
    CompletableFuture<Void> ran = new CompletableFuture<>();
    host.call(
        "a",
        (_, context) -> {
          context.schedule(
              Duration.ZERO,
              () -> {
                ran.complete(null);
                throw new IllegalStateException("in the timer");
              });
          return null;
        });
    host.clock.advance(Duration.ZERO);
    ran.get();
    host.call("a", (_, _) -> null);

    assertThat(host.log.awaitOne()).contains("A timer of things/").contains("in the timer");
    assertThat(host.created).hasValue(1);
  }

  @Test
  void timersOfAResetInstanceAreGone() throws Exception {
    assertThatThrownBy(
        () ->
            host.call(
                "a",
                (_, context) -> {
                  context.schedule(Duration.ofSeconds(1), () -> events.add("timer"));
                  throw context.abort(null);
                }));
    int pendingBefore = host.clock.pendingTimers();
    host.clock.advance(Duration.ofSeconds(2));
    host.call("a", (_, _) -> events.add("call"));

    assertThat(events).containsExactly("call");
    assertThat(pendingBefore).as("timers of the clock: only the sweeper's").isEqualTo(1);
  }

  @Test
  void negativeDelayIsRefused() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          assertThatThrownBy(() -> context.schedule(Duration.ofNanos(-1), () -> {}))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("PT-0.000000001S");
          return null;
        });
  }
}
