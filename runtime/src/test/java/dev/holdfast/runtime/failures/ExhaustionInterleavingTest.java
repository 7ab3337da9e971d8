package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.LoneTurn;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Races of an engine that has run out of memory with what goes on beside it. */
final class ExhaustionInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 150;

  @Test
  void callerThatCannotParkTakesBackACallWhoseWorkerHasNoThread() {
    DeterministicScheduler.exploreInterleavings(
        10 * SCHEDULES, LeavingCaller.class, "dev.holdfast.runtime.");
  }

  /** The caller finds no memory when it wakes, while the worker of its call finds no thread. */
  static final class LeavingCaller implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      LoneTurn lone = new LoneTurn();
      lone.threads =
          _ -> {
            throw new OutOfMemoryError("planned");
          };
      AtomicBoolean isHeld = new AtomicBoolean();
      Thread leaving =
          scheduler.start(
              "leaving",
              () -> {
                yieldUntil(isHeld::get);
                try {
                  LoneTurn.deliver(lone.newCall(), new LoneTurn.NoMemory(), _ -> "run");
                } catch (OutOfMemoryError | InstanceResetException e) {
                  // Which of them depends on how far the call has come.
                }
              });
      Thread behind =
          scheduler.start(
              "behind",
              () -> {
                yieldUntil(() -> isParked(leaving));
                deliverUnlessReset(lone, () -> {});
              });
      Runnable wakeOne =
          () -> {
            isHeld.set(true);
            yieldUntil(() -> isParked(leaving) && isParked(behind));
            LockSupport.unpark(leaving);
          };
      scheduler.run(() -> deliverUnlessReset(lone, wakeOne));
      scheduler.run(() -> LoneTurn.deliver(lone.newCall(), _ -> "the turn is free, or reset"));
    }
  }

  private static void yieldUntil(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.yield();
    }
  }

  private static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.WAITING;
  }

  private static void deliverUnlessReset(LoneTurn lone, Runnable code) {
    try {
      lone.deliver(
          _ -> {
            code.run();
            return "run";
          });
    } catch (InstanceResetException e) {
      // The turn of the call that has failed was reset.
    }
  }

  @Test
  void errorOfTheEngineIsReportedAlsoIfOthersMeetTheFailedRuntimeFirst() {
    DeterministicScheduler.exploreInterleavings(
        SCHEDULES, FailedEngine.class, "dev.holdfast.runtime.");
  }

  static final class FailedEngine implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      AtomicReference<Boolean> noMemory = new AtomicReference<>(false);
      Host host =
          Host.with()
              .scheduler(scheduler)
              .seen(real -> ExhaustionTest.failing(real, "durablePosition", noMemory), b -> b)
              .open();
      scheduler.run(
          () ->
              failing(
                  host,
                  (_, context) -> {
                    context.storage().put("key", 1L);
                    noMemory.set(true);
                    return context.call(() -> "called"); // finds no memory in its wait
                  }),
          () ->
              failing(
                  host,
                  (_, _) -> {
                    while (true) {
                      host.call("called", (_, _) -> "reached");
                    }
                  }));
      assertThat(host.log.toString())
          .contains("The runtime ran out of stack or memory")
          .doesNotContain("The journal has failed");
      scheduler.run(host::close);
    }

    private static void failing(Host host, Script<?> script) throws Exception {
      try {
        fail("called: " + host.call("calls" + host.number(script), script));
      } catch (InstanceResetException | JournalFailedException e) {
        // Which of them depends on how far the call has come.
      }
    }
  }
}
