package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.Host;
import dev.holdfast.schedules.DeterministicScheduler;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Objects are fair to each other: on one processor, whose threads run in the order in which they
 * became runnable. Virtual threads are not preempted, so the thread that empties the queue of a
 * busy object has to yield by itself.
 */
final class FairnessTest {

  /** The number of calls of a busy object before others get the processor. */
  private static final int CALLS_IN_ONE_PIECE = 64;

  private static final int CALLERS = 3 * CALLS_IN_ONE_PIECE;

  /** The limit of calls if the other object is never served: the test has to end. */
  private static final int CALLS_MAX = 20_000;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void streamOfCallersHoldsUpOtherObjectsForSixtyFourCallsOfEachBusyOne(int objects) {
    DeterministicScheduler scheduler = DeterministicScheduler.firstComeFirstServed();
    Host host = Host.with().scheduler(scheduler).open();
    Contest contest = new Contest(host);
    CompletableFuture<Void> start = new CompletableFuture<>();
    int hold = host.number((_, _) -> start.join());
    for (int i = 0; i < objects; i++) {
      String name = "busy " + i;
      scheduler.start("holder", () -> host.call(name, hold));
      scheduler.runUntilIdle();
      for (int caller = 0; caller < CALLERS; caller++) {
        scheduler.start("caller", () -> contest.callWithoutEnd(name));
      }
    }
    scheduler.start("other", contest::callAnother);
    scheduler.runUntilIdle();
    assertThat(contest.calls).as("calls while the objects are held").isZero();
    start.complete(null);
    scheduler.runUntilIdle();

    assertThat(contest.callsBeforeOther).isBetween(1, objects * CALLS_IN_ONE_PIECE);
    scheduler.run(host::close);
  }

  /** Callers of busy objects against one caller of another. */
  private static final class Contest {

    private final Host host;
    private final int call;
    private final CompletableFuture<Void> oneHasRun = new CompletableFuture<>();
    int calls;
    int callsBeforeOther = CALLS_MAX;

    Contest(Host host) {
      this.host = host;
      this.call = host.number((_, _) -> count());
    }

    private int count() {
      oneHasRun.complete(null);
      return ++calls;
    }

    void callWithoutEnd(String name) throws Exception {
      while (calls < CALLS_MAX && callsBeforeOther == CALLS_MAX) {
        host.call(name, call);
      }
    }

    /** Calls another object as soon as the first call has run. */
    void callAnother() throws Exception {
      oneHasRun.join();
      callsBeforeOther = (Integer) host.call("other", (_, _) -> calls);
    }
  }
}
