package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.ScheduledTask;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Too many callers, impatient callers, slow objects. */
class LoadTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final Host host =
      Host.with()
          .namespace(NamespaceOptions.DEFAULT.withQueueLengthMax(2))
          .options(RuntimeOptions.DEFAULT.withTurnWarning(Duration.ofSeconds(4)))
          .open();
  private final List<String> ran = new ArrayList<>();
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

  private RunningCall queue(String text) {
    return host.start("a", (_, _) -> ran.add(text)).awaitParked();
  }

  @Test
  void callOverTheBoundIsRefusedWithTheCount() throws Exception {
    RunningCall first = queue("first");
    RunningCall second = queue("second");

    assertThatThrownBy(() -> host.call("a", (_, _) -> null))
        .isInstanceOfSatisfying(
            ObjectOverloadedException.class,
            refusal -> assertThat(refusal.waitingCount()).isEqualTo(2));
    busy.free();
    first.get();
    second.get();
    assertThat(ran).containsExactly("first", "second");
  }

  @Test
  void boundIsPerObject() throws Exception {
    queue("first");
    queue("second");

    assertThat(host.call("b", (_, _) -> "other object")).isEqualTo("other object");
  }

  @Test
  void eventsOfTheObjectItselfAreNotRefused() throws Exception {
    Object result =
        host.call(
            "b",
            (_, context) -> {
              List<CompletableFuture<Integer>> tasks = new ArrayList<>();
              for (int i = 0; i < 10; i++) {
                tasks.add(context.async(() -> 1));
              }
              int sum = 0;
              for (CompletableFuture<Integer> task : tasks) {
                sum += context.await(task);
              }
              return sum;
            });

    assertThat(result).isEqualTo(10);
  }

  @Test
  void interruptWithdrawsACallThatWaits() throws Exception {
    RunningCall impatient = queue("impatient");
    RunningCall patient = queue("patient");
    impatient.interrupt();

    assertThat(impatient.failure())
        .isInstanceOf(CallInterruptedException.class)
        .hasMessageContaining("withdrawn");
    busy.free();
    patient.get();
    assertThat(ran).containsExactly("patient");
  }

  @Test
  void interruptedCallerKeepsItsFlag() throws Exception {
    RunningCall impatient =
        host.start(
            () -> {
              assertThatThrownBy(() -> host.call("a", (_, _) -> ran.add("delivered")))
                  .isInstanceOf(CallInterruptedException.class);
              return Thread.interrupted();
            });
    impatient.awaitParked().interrupt();

    assertThat(impatient.get()).isEqualTo(true);
  }

  @Test
  void interruptedCallOfAnIdleObjectRuns() throws Exception {
    Thread.currentThread().interrupt();

    assertThat(host.call("b", (_, _) -> "ran")).isEqualTo("ran");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void cancelledFutureWithdrawsItsCall() throws Exception {
    CompletableFuture<Object> call = host.async("a", (_, _) -> ran.add("cancelled"));
    call.cancel(true);
    busy.close();
    host.call("a", (_, _) -> null);

    assertThatThrownBy(call::get).isInstanceOf(CancellationException.class);
    assertThat(ran).isEmpty();
  }

  @Test
  void callOfACancelledFutureIsNotDeliveredToAnIdleObjectEither() throws Exception {
    int number = host.number((_, _) -> ran.add("cancelled"));
    CompletableFuture<Void> started = new CompletableFuture<>();
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    CompletableFuture<Object> outcome = new CompletableFuture<>();
    CompletableFuture<Object> call =
        host.stub("b")
            .async(
                thing -> {
                  started.complete(null);
                  cancelled.join();
                  try {
                    return outcome.complete(thing.run(number));
                  } catch (CallInterruptedException e) {
                    return outcome.complete(e.getMessage());
                  }
                });
    started.get();
    call.cancel(true);
    cancelled.complete(null);

    assertThat(outcome.get()).asString().contains("withdrawn before it was delivered");
    assertThat(ran).isEmpty();
  }

  @Test
  void timedCallOfACancelledFutureIsNotDeliveredToAnIdleObjectEither() throws Exception {
    int number = host.number((_, _) -> ran.add("cancelled"));
    CompletableFuture<Void> started = new CompletableFuture<>();
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    CompletableFuture<Object> outcome = new CompletableFuture<>();
    CompletableFuture<Object> call =
        host.stub("b")
            .withTimeout(TIMEOUT)
            .async(
                thing -> {
                  started.complete(null);
                  cancelled.join();
                  // The flag alone would end the wait; the call itself must not be delivered.
                  boolean interrupted = Thread.interrupted();
                  try {
                    return outcome.complete(thing.run(number));
                  } catch (CallInterruptedException e) {
                    return outcome.complete(interrupted + " " + e.getMessage());
                  }
                });
    started.get();
    call.cancel(true);
    cancelled.complete(null);

    assertThat(outcome.get()).asString().contains("true", "withdrawn before it was delivered");
    assertThat(ran).isEmpty();
  }

  @Test
  void cancelledFutureInterruptsACallThatWaitsInside() throws Exception {
    CompletableFuture<Object> interrupted = new CompletableFuture<>();
    CompletableFuture<Object> inside = new CompletableFuture<>();
    CompletableFuture<Object> call =
        host.async(
            "b",
            (_, context) -> {
              inside.complete(null);
              try {
                return context.await(new CompletableFuture<>());
              } catch (CallInterruptedException e) {
                interrupted.complete("interrupted");
                throw e;
              }
            });
    inside.get();
    call.cancel(true);

    assertThat(interrupted.get()).isEqualTo("interrupted");
  }

  @Test
  void callThatIsNotDeliveredInTimeIsWithdrawn() throws Exception {
    ObjectStub<Thing> hurried = host.stub("a").withTimeout(TIMEOUT);
    RunningCall call = host.start(() -> host.call(hurried, (_, _) -> ran.add("late")));
    host.clock.awaitPendingTimers(2);
    host.clock.advance(TIMEOUT);

    assertThat(call.failure())
        .isInstanceOfSatisfying(
            ObjectCallTimeoutException.class, late -> assertThat(late.delivered()).isFalse())
        .hasMessageContaining("PT3S");
    busy.close();
    host.call("a", (_, _) -> null);
    assertThat(ran).isEmpty();
  }

  @Test
  void callThatIsNotAnsweredInTimeIsLeftRunning() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    CompletableFuture<Void> inside = new CompletableFuture<>();
    ObjectStub<Thing> hurried = host.stub("b").withTimeout(TIMEOUT);
    RunningCall call =
        host.start(
            () ->
                host.call(
                    hurried,
                    (self, context) -> {
                      inside.complete(null);
                      context.await(stage);
                      return self.count = 1;
                    }));
    inside.get();
    host.clock.advance(TIMEOUT);

    assertThat(call.failure())
        .isInstanceOfSatisfying(
            ObjectCallTimeoutException.class, late -> assertThat(late.delivered()).isTrue());
    stage.complete(null);
    host.call("b", (_, context) -> context.await(CompletableFuture.completedFuture(null)));
  }

  @Test
  void callThatIsAnsweredInTimeLeavesNoTimer() throws Exception {
    ObjectStub<Thing> hurried = host.stub("b").withTimeout(TIMEOUT);

    assertThat(host.call(hurried, (_, _) -> "reply")).isEqualTo("reply");
    assertThat(host.clock.pendingTimers()).as("only the sweeper's").isEqualTo(1);
  }

  @Test
  void timedCallPassesExceptionsOn() {
    ObjectStub<Thing> hurried = host.stub("b").withTimeout(TIMEOUT);

    assertThatThrownBy(() -> host.call(hurried, (_, context) -> context.abort("enough")))
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("enough");
  }

  @Test
  void objectThatMakesATimedCallGoesOnWhenTheTimeIsOver() throws Exception {
    // The object is active before; otherwise the time limit of its creation would be taken for the
    // timer of the call.
    host.call("b", (_, _) -> null);
    ObjectStub<Thing> hurried = host.stub("a").withTimeout(TIMEOUT);
    RunningCall call =
        host.start(
            "b",
            (_, context) -> {
              try {
                return host.call(hurried, (_, _) -> ran.add("late"));
              } catch (ObjectCallTimeoutException e) {
                context.storage().put("still", "in a turn");
                return "timed out";
              }
            });
    host.clock.awaitPendingTimers(2);
    host.clock.advance(TIMEOUT);

    assertThat(call.get()).isEqualTo("timed out");
  }

  @Test
  void objectThatMakesATimedCallGetsItsReply() throws Exception {
    ObjectStub<Thing> hurried = host.stub("c").withTimeout(TIMEOUT);

    assertThat(host.call("b", (_, _) -> host.call(hurried, (_, _) -> "reply"))).isEqualTo("reply");
  }

  @Test
  void interruptedTimedCallIsWithdrawn() throws Exception {
    ObjectStub<Thing> hurried = host.stub("a").withTimeout(TIMEOUT);
    RunningCall call = host.start(() -> host.call(hurried, (_, _) -> ran.add("late")));
    host.clock.awaitPendingTimers(2);
    call.awaitParked().interrupt();

    assertThat(call.failure()).isInstanceOf(CallInterruptedException.class);
    busy.close();
    host.call("a", (_, _) -> null);
    assertThat(ran).isEmpty();
  }

  @Test
  void timeOutOfZeroIsRefused() {
    assertThatThrownBy(() -> host.stub("a").withTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT0S");
  }

  @Test
  void turnThatRunsTooLongIsReportedOnceWithItsStack() {
    DeterministicScheduler.explore(
        20,
        scheduler -> {
          Host watched =
              Host.with()
                  .scheduler(scheduler)
                  .options(RuntimeOptions.DEFAULT.withTurnWarning(Duration.ofSeconds(4)))
                  .open();
          CompletableFuture<Void> slow = new CompletableFuture<>();
          scheduler.start("slow", () -> watched.call("a", (_, _) -> waitSlowly(slow)));
          scheduler.advance(Duration.ofSeconds(3));
          assertThat(watched.log.isEmpty()).isTrue();
          scheduler.advance(Duration.ofSeconds(30));
          slow.complete(null);
          scheduler.runUntilIdle();

          assertThat(watched.log.awaitOne())
              .startsWith("WARNING: turn-slow: ")
              .contains("A turn of things/" + watched.id("a") + " \"a\" has run for more than PT4S")
              .contains("waitSlowly");
          assertThat(watched.log.isEmpty()).isTrue();
        });
  }

  private static Object waitSlowly(CompletableFuture<Void> slow) {
    return slow.join();
  }

  @Test
  void hundredThousandQueuedEventsAreDismissedWithoutADeepStack() {
    List<CompletableFuture<Void>> tasks = new ArrayList<>();
    assertThatThrownBy(
        () ->
            host.call(
                "b",
                (_, context) -> {
                  for (int i = 0; i < 100_000; i++) {
                    tasks.add(context.async(() -> null));
                  }
                  throw context.abort("enough");
                }));

    assertThat(tasks).hasSize(100_000).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThatThrownBy(() -> tasks.getLast().join())
        .hasCauseInstanceOf(InstanceResetException.class);
  }

  @Test
  void fiftyThousandEventsThatOutliveTheirSectionCanStillBeCancelled() throws Exception {
    List<ScheduledTask> timers = new ArrayList<>();
    host.call(
        "b",
        (_, context) -> {
          context.blockConcurrencyWhile(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  timers.add(context.schedule(Duration.ZERO, () -> ran.add("timer")));
                }
                host.clock.advance(Duration.ZERO);
                return null;
              });
          assertThat(timers).allMatch(ScheduledTask::cancel);
          return null;
        });
    host.call("b", (_, _) -> null);

    assertThat(ran).isEmpty();
  }
}
