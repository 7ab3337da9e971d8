package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.Host;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Races of a reset with executions in the object, in its queue, or that arrive next; see {@code
 * EngineInterleavingTest}.
 */
final class ResetInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 300;

  private static void explore(Class<? extends Scenario> scenario) {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, scenario, "dev.holdfast.runtime.");
  }

  @Test
  void waitThatBeginsDuringAResetIsNotForgotten() {
    explore(WaitAndReset.class);
  }

  static final class WaitAndReset implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = Host.with().scheduler(scheduler).open();
      AtomicBoolean inside = new AtomicBoolean();
      scheduler.run(
          () -> {
            try {
              host.call(
                  "a",
                  (_, context) -> {
                    inside.set(true);
                    return context.await(new CompletableFuture<>());
                  });
              fail("the wait ended");
            } catch (InstanceResetException e) {
              assertThat(e).hasMessageContaining("storage failed");
            }
          },
          () -> {
            while (!inside.get()) {
              Thread.yield();
            }
            host.backend.failInBackground(host.key("a"));
          });
      scheduler.run(host::close);
    }
  }

  @Test
  void turnAndItsSuccessorsNeverOverlap() {
    explore(Successors.class);
  }

  /** Turns that write, resets from outside, and callers that retry at once. */
  static final class Successors implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = Host.with().scheduler(scheduler).open();
      AtomicInteger running = new AtomicInteger();
      DeterministicScheduler.Body caller =
          () -> {
            for (int i = 0; i < 2; i++) {
              try {
                host.call(
                    "a",
                    (_, context) -> {
                      assertThat(running.incrementAndGet()).as("turns at once").isEqualTo(1);
                      try {
                        context.storage().put("key", 1L);
                        Thread.yield();
                        return null;
                      } finally {
                        running.decrementAndGet();
                      }
                    });
              } catch (InstanceResetException e) {
                assertThat(e).hasMessageContaining("storage failed");
              }
            }
          };
      DeterministicScheduler.Body resetter =
          () -> {
            for (int i = 0; i < 3; i++) {
              host.backend.failInBackground(host.key("a"));
              host.backend.heal();
              Thread.yield();
            }
          };
      scheduler.run(caller, resetter, caller, caller);
      assertThat(host.backend.openTurnCount()).as("open turns; %s", host.log).isZero();
      scheduler.run(host::close);
    }
  }

  @Test
  void callerThatGotAResetFromOutsideReachesAFreshInstance() {
    explore(TimeOutOfASection.class);
  }

  static final class TimeOutOfASection implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = Host.with().scheduler(scheduler).open();
      // The clock moves when nothing else can: the section's time is over, on another thread.
      scheduler.run(
          () -> {
            try {
              host.call(
                  "a",
                  (_, context) ->
                      context.blockConcurrencyWhile(
                          () -> context.await(new CompletableFuture<>())));
              fail("the section ended");
            } catch (InstanceResetException e) {
              assertThat(e).hasMessageContaining("longer than");
            }
            assertThat(host.call("a", (_, _) -> "fresh")).isEqualTo("fresh");
          });
      scheduler.run(host::close);
    }
  }

  @Test
  void callerThatGotAResetDoesNotGetItAgain() {
    explore(ToldOnce.class);
  }

  /** One reset from outside, recorded some time before the gate is shut. */
  static final class ToldOnce implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = Host.with().scheduler(scheduler).open();
      AtomicBoolean inside = new AtomicBoolean();
      scheduler.run(
          () -> {
            boolean told = false;
            for (int call = 0; call < 4; call++) {
              try {
                host.call(
                    "a",
                    (_, _) -> {
                      inside.set(true);
                      Thread.yield();
                      return null;
                    });
              } catch (InstanceResetException e) {
                assertThat(told).as("told before").isFalse();
                told = true;
              }
            }
          },
          () -> {
            while (!inside.get()) {
              Thread.yield();
            }
            host.backend.failInBackground(host.key("a"));
          });
      scheduler.run(host::close);
    }
  }
}
