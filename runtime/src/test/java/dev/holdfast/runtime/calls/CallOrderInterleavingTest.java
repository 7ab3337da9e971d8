package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectStub;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Body;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Races of calls whose order of delivery is promised, in schedules of the engine's own code. */
final class CallOrderInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 100;

  private static void explore(Class<? extends Scenario> scenario) {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, scenario, "dev.holdfast.runtime.");
  }

  @Test
  void callsOfEachCallerAreDeliveredInOrder() {
    explore(Callers.class);
  }

  /** A thread, and an object with two executions at once, call one object that starts and waits. */
  static final class Callers implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Deliveries deliveries = new Deliveries(scheduler);
      Host host = deliveries.host;
      Script<Object> calls = (_, _) -> deliveries.calls(200, host.stub("a"), host.stub("a"));
      scheduler.run(
          () ->
              deliveries.calls(100, host.stub("a"), host.stub("a").withTimeout(Duration.ofDays(1))),
          () -> host.call("caller", calls),
          () -> host.call("a", Deliveries.WAITS));
      assertThat(deliveries.of(100)).containsExactly(100, 101, 102, 103);
      assertThat(deliveries.of(200)).containsExactly(200, 201, 202, 203);
      scheduler.run(host::close);
    }
  }

  @Test
  void callsThatSurviveResetsOfBothSidesKeepTheirOrder() {
    explore(Resets.class);
  }

  static final class Resets implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Deliveries deliveries = new Deliveries(scheduler);
      Host host = deliveries.host;
      Script<Object> calls = (_, _) -> deliveries.calls(200, host.stub("a"), host.stub("a"));
      Script<Object> abort =
          (_, context) -> {
            throw context.abort("stop");
          };
      scheduler.run(
          survived(() -> deliveries.calls(100, host.stub("a"), host.stub("a"))),
          survived(() -> host.call("caller", calls)),
          survived(() -> host.call("a", abort)),
          survived(() -> host.call("caller", abort)));
      assertThat(deliveries.of(100)).isSorted();
      assertThat(deliveries.of(200)).isSorted();
      // No earlier call is left that delays a later one.
      scheduler.run(() -> host.call("caller", calls));
      assertThat(deliveries.of(200)).endsWith(203);
      scheduler.run(host::close);
    }

    private static Body survived(Body body) {
      return () -> {
        try {
          body.run();
        } catch (InstanceResetException e) {
          assertThat(e).hasMessageContaining("stop");
        }
      };
    }
  }

  @Test
  void withdrawnCallsDelayNoOther() {
    explore(Withdrawals.class);
  }

  static final class Withdrawals implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Deliveries deliveries = new Deliveries(scheduler);
      Host host = deliveries.host;
      ObjectStub<Thing> stub = host.stub("a");
      List<CompletableFuture<?>> sent = Collections.synchronizedList(new ArrayList<>());
      scheduler.run(
          () -> {
            for (int number = 100; number < 104; number++) {
              int note = deliveries.note(number);
              sent.add(stub.async(thing -> thing.run(note)));
            }
            stub.blocking().run(deliveries.note(104));
          },
          () -> host.call("a", Deliveries.WAITS),
          () -> List.copyOf(sent).forEach(each -> each.cancel(true)));
      assertThat(deliveries.of(100)).isSorted().endsWith(104);
      scheduler.run(host::close);
    }
  }

  /** Three asynchronous calls and a direct one, and the calls that the object received. */
  private static final class Deliveries {

    static final Script<Object> WAITS =
        (_, context) -> {
          context.storage().put("key", 1L);
          context.storage().sync();
          return 0;
        };

    final Host host;
    private final List<Integer> got = Collections.synchronizedList(new ArrayList<>());

    Deliveries(DeterministicScheduler scheduler) {
      host =
          Host.with()
              .scheduler(scheduler)
              .journal(new InMemoryJournal(Durability.ON_WAIT, scheduler.clock()))
              .open();
    }

    int note(int number) {
      return host.number((_, _) -> got.add(number));
    }

    Object calls(int first, ObjectStub<Thing> asynchronous, ObjectStub<Thing> direct)
        throws Exception {
      for (int number = first; number < first + 3; number++) {
        int note = note(number);
        asynchronous.async(thing -> thing.run(note));
      }
      direct.blocking().run(note(first + 3));
      return 0;
    }

    List<Integer> of(int first) {
      return List.copyOf(got).stream().filter(each -> each / 100 == first / 100).toList();
    }
  }
}
