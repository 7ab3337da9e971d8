package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.InstanceResetException;
import dev.holdfast.testkit.DeterministicScheduler;
import dev.holdfast.testkit.DeterministicScheduler.Scenario;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Races of a reset with those who are in the object, queue for it, or come to it next; see {@link
 * EngineInterleavingTest}.
 */
final class ResetInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 1_000;

  private static void explore(Class<? extends Scenario> scenario) {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, scenario, "dev.holdfast.runtime.");
  }

  @Test
  void whoWasToldOfAResetFromOutsideReachesAFreshInstance() {
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
}
