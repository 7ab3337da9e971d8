package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectStub;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RemoteCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Calls of another process that are withdrawn at any moment, in schedules of the engine's code. */
final class RemoteCallInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 200;

  private static void explore(Class<? extends Scenario> scenario) {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, scenario, "dev.holdfast.runtime.");
  }

  @Test
  void callIsWithdrawnOrMadeAndNeverBoth() {
    explore(Withdrawn.class);
  }

  @Test
  void callWithATimeoutIsWithdrawnOrMadeAndNeverBoth() {
    explore(WithdrawnInTime.class);
  }

  static final class Withdrawn implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      withdraw(scheduler, UnaryOperator.identity());
    }
  }

  static final class WithdrawnInTime implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      withdraw(scheduler, stub -> stub.withTimeout(Duration.ofDays(1)));
    }
  }

  /** Another call may hold the object, or wait for it, or come first: the schedule decides. */
  private static void withdraw(
      DeterministicScheduler scheduler, UnaryOperator<ObjectStub<Thing>> changed) throws Exception {
    Host host =
        Host.with()
            .scheduler(scheduler)
            .journal(new InMemoryJournal(Durability.ON_WAIT, scheduler.clock()))
            .open();
    List<String> made = Collections.synchronizedList(new ArrayList<>());
    ObjectStub<Thing> stub = changed.apply(host.stub("a"));
    int number = host.number((_, _) -> made.add("remote"));
    RemoteCall remote = new RemoteCall();
    CompletableFuture<String> outcome = new CompletableFuture<>();
    boolean[] isWithdrawn = new boolean[1];
    scheduler.run(
        () ->
            stub.async(thing -> remote.make(() -> thing.run(number)))
                .whenComplete(
                    (_, failure) -> outcome.complete(failure == null ? "" : outcomeOf(failure))),
        () ->
            host.call(
                "a",
                (_, context) -> {
                  context.storage().put("key", 1L);
                  context.storage().sync();
                  return 0;
                }),
        () -> isWithdrawn[0] = remote.withdraw());
    scheduler.run(() -> host.call("a", (_, _) -> made.add("next")));

    assertThat(outcome).isCompletedWithValue(isWithdrawn[0] ? "withdrawn" : "");
    assertThat(made).isEqualTo(isWithdrawn[0] ? List.of("next") : List.of("remote", "next"));
    assertThat(remote.begin()).isNotEqualTo(isWithdrawn[0]);
    assertThat(remote.withdraw()).isFalse();
    scheduler.run(host::close);
  }

  private static String outcomeOf(Throwable failure) {
    Throwable thrown = failure.getCause() == null ? failure : failure.getCause();
    return thrown instanceof CallInterruptedException
            && thrown.getMessage().contains("withdrawn before it was delivered")
        ? "withdrawn"
        : failure.toString();
  }
}
