package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.MisuseException.Reason;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** With the rules of shards, one machine treats objects as a cluster would. */
class ShardRulesTest {

  private static Host open(Durability durability) {
    return Host.with()
        .journal(new InMemoryJournal(durability))
        .options(RuntimeOptions.DEFAULT.withShardRules(true))
        .open();
  }

  private static ObjectStub<Thing> near(Host host, String name) {
    return host.things().stub(name, host.id("a"));
  }

  private static Object put(Host host, ObjectStub<Thing> thing) throws Exception {
    return host.call(
        thing,
        (_, context) -> {
          context.storage().put("key", 1L);
          return "written";
        });
  }

  @Test
  void chainOfNearObjectsCostsOneSyncAndOneOfOthersASyncEach() throws Exception {
    try (Host host = open(Durability.ON_WAIT)) {
      host.call(near(host, "0"), link(host, 0, name -> near(host, name)));
      assertThat(host.journal.lastPosition()).isEqualTo(10);
      assertThat(host.journal.syncCount()).isEqualTo(1);

      host.call("0", link(host, 0, host::stub));
      assertThat(host.journal.lastPosition()).isEqualTo(20);
      assertThat(host.journal.syncCount()).isEqualTo(11);
    }
  }

  @Test
  void callWithATimeOutIsTreatedAlike() throws Exception {
    Duration limit = Duration.ofMinutes(5);
    try (Host host = open(Durability.ON_WAIT)) {
      host.call(near(host, "0"), link(host, 0, name -> near(host, name).withTimeout(limit)));
      assertThat(host.journal.syncCount()).isEqualTo(1);

      host.call("0", link(host, 0, name -> host.stub(name).withTimeout(limit)));
      assertThat(host.journal.syncCount()).isEqualTo(11);
    }
  }

  private static Thing.Script<Object> link(
      Host host, int number, Function<String, ObjectStub<Thing>> next) {
    return (_, context) -> {
      context.storage().put("key", number);
      return number == 9
          ? null
          : host.call(next.apply(String.valueOf(number + 1)), link(host, number + 1, next));
    };
  }

  @Test
  void writesAreDurableBeforeAnObjectOfAnotherSlotIsCalled() throws Exception {
    try (Host host = open(Durability.MANUAL)) {
      RunningCall call =
          host.start(
              "a",
              (_, context) -> {
                context.storage().put("key", 1L);
                return host.call("b", (_, _) -> host.journal.durablePosition());
              });
      host.journal.awaitWaiters(1);
      assertThat(host.created).hasValue(1);

      host.journal.makeAllDurable();
      assertThat(call.get()).isEqualTo(1L);
    }
  }

  @Test
  void replyOfAnotherSlotIsDurableBeforeItIsUsed() throws Exception {
    try (Host host = open(Durability.ON_WAIT)) {
      assertThat(
              host.call(
                  "a",
                  (_, _) -> {
                    put(host, host.stub("b"));
                    return host.journal.durablePosition();
                  }))
          .isEqualTo(1L);
    }
  }

  @Test
  void objectThatIsResetMayHaveHadWrittenInAnotherSlot() throws Exception {
    try (Host host = open(Durability.ON_WAIT)) {
      assertThatThrownBy(
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        host.call("b", (_, _) -> "only reads");
                        throw context.abort("reset");
                      }))
          .isInstanceOfSatisfying(
              InstanceResetException.class,
              reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN));
    }
  }

  @Test
  void asynchronousCallsAndListsEndTheTurn() throws Exception {
    try (Host host = open(Durability.ON_WAIT)) {
      host.call("b", (_, _) -> null);
      int free = host.number((_, _) -> "reply");
      assertThat(endsTurn(host, () -> host.stub("b").<Object>async(thing -> thing.run(free))))
          .isEqualTo(true);
      assertThat(endsTurn(host, () -> host.things().list(ObjectListOptions.ALL))).isEqualTo(true);
      assertThat(endsTurn(host, () -> near(host, "b").<Object>async(thing -> thing.run(free))))
          .isEqualTo(false);
    }
  }

  /** {@return whether another event of the object had a turn while its code did something} */
  private static Object endsTurn(Host host, Callable<?> code) throws Exception {
    return host.call(
        "a",
        (_, context) -> {
          AtomicBoolean hasRun = new AtomicBoolean();
          CompletableFuture<?> task =
              context.async(
                  () -> {
                    hasRun.set(true); // in its turn; its future is completed a little later
                    return null;
                  });
          code.call();
          boolean ranMeanwhile = hasRun.get();
          context.await(task);
          return ranMeanwhile;
        });
  }

  @Test
  void callBackOfAnObjectOfAnotherSlotIsServed() throws Exception {
    try (Host host = open(Durability.ON_WAIT)) {
      assertThat(host.call("a", (_, _) -> host.call("b", (_, _) -> put(host, host.stub("a")))))
          .isEqualTo("written");
    }
  }

  @Test
  void circleOfSectionsThroughAnotherSlotIsRefused() throws Exception {
    try (Host host = open(Durability.ON_WAIT)) {
      int back = host.number((_, _) -> "never");
      Object reason =
          host.call(
              "a",
              (_, context) ->
                  context.blockConcurrencyWhile(
                      () -> {
                        try {
                          return host.call("b", (_, _) -> host.call("a", back));
                        } catch (MisuseException e) {
                          return e.reason().name();
                        }
                      }));
      assertThat(reason).isEqualTo(Reason.DEADLOCK.name());
    }
  }

  @Test
  void waitIsRefusedInATransactionAsElsewhere() throws Exception {
    try (Host host = open(Durability.ON_WAIT)) {
      Object reason =
          host.call(
              "a",
              (_, context) ->
                  context
                      .storage()
                      .transactionSync(
                          () -> {
                            try {
                              return put(host, host.stub("b"));
                            } catch (MisuseException e) {
                              return e.reason().name();
                            }
                          }));
      assertThat(reason).isEqualTo(Reason.INSIDE_TRANSACTION.name());
    }
  }

  @Test
  void forkToAnotherSlotIsRefused() {
    try (Host host = open(Durability.ON_WAIT)) {
      ObjectId origin = host.id("a");

      assertThatThrownBy(() -> host.runtime.recovery(Host.THINGS, origin).fork("bookmark", "b"))
          .isInstanceOfSatisfying(
              MisuseException.class, e -> assertThat(e.reason()).isEqualTo(Reason.ANOTHER_SHARD))
          .hasMessageContaining("near its origin");
      assertThatThrownBy(
              () -> host.runtime.recovery(Host.THINGS, origin).fork("bookmark", "b", origin))
          .isNotInstanceOf(MisuseException.class);
    }
  }

  @Test
  void operationsOfOperatorsAreRefusedInAnObjectAndAllowedOutsideOfItsTurn() throws Exception {
    Consumer<ObjectNamespace<Thing>> pending =
        things -> things.alarms().pending(Optional.empty(), 10);
    try (Host host = open(Durability.ON_WAIT)) {
      Object reasons =
          host.call(
              "a",
              (_, context) -> {
                List<String> refused = new ArrayList<>();
                for (Runnable each :
                    List.<Runnable>of(
                        () -> pending.accept(host.things()),
                        () -> host.things().alarms().discard(host.id("b"), ""),
                        () -> host.runtime.recovery(Host.THINGS, host.id("b")).history(1),
                        () -> host.runtime.recovery(Host.THINGS, host.id("b")).diff("x", "y"))) {
                  try {
                    each.run();
                  } catch (MisuseException e) {
                    refused.add(e.reason().name());
                  }
                }
                context.call(
                    () -> {
                      pending.accept(host.things());
                      return null;
                    });
                return String.join(" ", refused);
              });

      assertThat(reasons).isEqualTo(("INSIDE_OBJECT ".repeat(4)).strip());
      pending.accept(host.things());
    }
  }
}
