package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.OutsideCalls;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Two runtimes of one process: their journal positions are unrelated. */
final class TwoRuntimesTest {

  @Test
  void messageThatTravelsOnToAnotherRuntimeIsHeldByItsOwn() throws Exception {
    try (Host first = Host.open(Durability.MANUAL);
        Host second = Host.open()) {
      // An object of the first sends a message, and its thread then calls the second runtime.
      CompletableFuture<Object> reply = new CompletableFuture<>();
      int foreign = second.number((_, _) -> "reply of the second");
      first.start(
          "a",
          (_, context) -> {
            context.storage().put("key", 1L);
            first
                .stub("b")
                .<Object>async(_ -> second.stub("c").blocking().run(foreign))
                .whenComplete((value, _) -> reply.complete(value));
            return null;
          });
      first.journal.awaitWaiters(2);
      assertThat(second.created).hasValue(0);
      first.journal.makeAllDurable();

      assertThat(reply.get()).isEqualTo("reply of the second");
      assertThat(second.journal.lastPosition()).isZero();
    }
  }

  @Test
  void workOutsideThatTravelsWithAMessageIsHeldByItsRuntime() throws Exception {
    try (Host first = Host.open(Durability.MANUAL)) {
      CompletableFuture<Object> done = new CompletableFuture<>();
      first.start(
          "a",
          (_, context) -> {
            context.storage().put("key", 1L);
            first
                .stub("b")
                .<Object>async(_ -> OutsideCalls.call(() -> first.journal.durablePosition()))
                .whenComplete((value, _) -> done.complete(value));
            return null;
          });
      first.journal.awaitWaiters(2);
      assertThat(done).isNotDone();
      first.journal.makeAllDurable();

      assertThat(done.get()).isEqualTo(first.journal.lastPosition());
    }
  }

  @Test
  void objectThatIsCalledWithATimeOutCallsTheOther() throws Exception {
    try (Host first = Host.open();
        Host second = Host.open()) {
      int foreign = second.number((_, _) -> "reply of the second");
      int own = first.number((_, _) -> second.stub("c").blocking().run(foreign));

      assertThat(first.stub("a").withTimeout(Duration.ofMinutes(5)).blocking().run(own))
          .isEqualTo("reply of the second");
    }
  }

  @Test
  void circleOfSectionsThroughBothIsRefused() throws Exception {
    try (Host first = Host.open();
        Host second = Host.open()) {
      int back = first.number((_, _) -> "never");
      int foreign = second.number((_, _) -> first.stub("a").blocking().run(back));
      int own =
          first.number(
              (_, context) ->
                  context.blockConcurrencyWhile(
                      () -> {
                        try {
                          return second.stub("c").blocking().run(foreign);
                        } catch (MisuseException e) {
                          return e.getMessage();
                        }
                      }));

      assertThat(first.stub("a").blocking().run(own))
          .asString()
          .contains(first.key("a") + " -> " + second.key("c") + " -> " + first.key("a"));
    }
  }
}
