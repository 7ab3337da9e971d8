package dev.holdfast.runtime.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Races of turns, their actions and consumers, in schedules of the engine's own code. */
final class OutboxInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 100;

  private static void explore(Class<? extends Scenario> scenario) {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, scenario, "dev.holdfast.runtime.");
  }

  private static Host open(DeterministicScheduler scheduler) {
    return Host.with()
        .scheduler(scheduler)
        .journal(new InMemoryJournal(Durability.ON_WAIT, scheduler.clock()))
        .open();
  }

  @Test
  void actionsRunInTheOrderOfTurnsAcrossResets() {
    explore(Actions.class);
  }

  /** Callers of one object, which another one resets meanwhile. */
  static final class Actions implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = open(scheduler);
      List<Long> ran = Collections.synchronizedList(new ArrayList<>());
      Script<Object> count =
          (_, context) -> {
            long sum = context.storage().get("sum", Long.class).orElse(0L) + 1;
            context.storage().put("sum", sum);
            context.afterDurable(() -> ran.add(sum));
            return sum;
          };
      Script<Object> lost =
          (_, context) -> {
            context.storage().put("sum", 100L);
            context.afterDurable(() -> ran.add(100L));
            throw context.abort("stop");
          };
      scheduler.run(
          () -> survived(host, count),
          () -> survived(host, count),
          () -> survived(host, lost),
          () -> survived(host, count));
      scheduler.run(() -> host.call("a", count));
      scheduler.run(host::close);
      // All turns that were sealed, each once, in their order.
      for (int index = 0; index < ran.size(); index++) {
        assertThat(ran.get(index)).isEqualTo(index + 1);
      }
      assertThat(ran).hasSizeBetween(1, 4);
    }

    private static void survived(Host host, Script<?> script) throws Exception {
      try {
        host.call("a", script);
      } catch (InstanceResetException e) {
        assertThat(e).hasMessageContaining("stop");
      }
    }
  }

  @Test
  void consumerThatBeginsMissesNoEvent() {
    explore(Beginning.class);
  }

  /** Objects emit while a consumer begins. A wake-up that is lost would leave it waiting. */
  static final class Beginning implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = open(scheduler);
      List<String> seen = Collections.synchronizedList(new ArrayList<>());
      CompletableFuture<Void> all = new CompletableFuture<>();
      scheduler.run(
          () -> emit(host, "a", "1", "2"),
          () -> emit(host, "b", "3"),
          () ->
              host.runtime.consume(
                  "orders",
                  "index",
                  String.class,
                  events -> {
                    events.forEach(event -> seen.add(event.value()));
                    if (seen.size() == 3) {
                      all.complete(null);
                    }
                  }),
          all::join);
      assertThat(seen).containsExactlyInAnyOrder("1", "2", "3");
      assertThat(seen.indexOf("1")).isLessThan(seen.indexOf("2"));
      scheduler.run(host::close);
    }

    private static void emit(Host host, String object, String... events) throws Exception {
      for (String event : events) {
        host.call(
            object,
            (_, context) -> {
              context.storage().put("last", event);
              context.emit("orders", event);
              return null;
            });
      }
    }
  }
}
