package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectContext;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replies between objects carry what they depend on, instead of waiting for it. */
class CallsBetweenObjectsTest {

  private final Host host = Host.open(Durability.MANUAL);

  @AfterEach
  void close() {
    if (host.journal.failure() == null) {
      host.journal.makeAllDurable();
    }
    host.close();
  }

  private static Thing.Script<Object> put(String key) {
    return (_, context) -> {
      context.storage().put(key, 1L);
      return "written";
    };
  }

  @Test
  void callOfAnotherObjectDoesNotWaitForTheDisk() throws Exception {
    AtomicReference<Object> seen = new AtomicReference<>();
    RunningCall call =
        host.start(
            "a",
            (_, _) -> {
              seen.set(host.call("b", put("key")));
              return "reply";
            });
    host.journal.awaitWaiters(1);

    assertThat(seen.get()).isEqualTo("written");
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();
    assertThat(call.get()).isEqualTo("reply");
  }

  @Test
  void calledObjectRunsOnTheThreadOfItsCaller() throws Exception {
    assertThat(
            host.call(
                "a",
                (_, _) -> {
                  Thread mine = Thread.currentThread();
                  return host.call("b", (_, _) -> Thread.currentThread() == mine);
                }))
        .isEqualTo(true);
  }

  @Test
  void chainOfTenObjectsCostsOneSync() throws Exception {
    try (Host chain = Host.open(Durability.ON_WAIT)) {
      chain.call("0", link(chain, 0));

      assertThat(chain.journal.lastPosition()).isEqualTo(10);
      assertThat(chain.journal.syncCount()).isEqualTo(1);
    }
  }

  private static Thing.Script<Object> link(Host host, int number) {
    return (_, context) -> {
      context.storage().put("key", number);
      return number == 9 ? null : host.call(String.valueOf(number + 1), link(host, number + 1));
    };
  }

  @Test
  void batchOfTheCallerComesBeforeThatOfTheCallee() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1);
              return host.call("b", put("key"));
            });
    host.journal.awaitWaiters(1);

    assertThat(host.journal.records().stream().map(JournalRecord::key))
        .containsExactly(host.key("a"), host.key("b"));
    host.journal.makeAllDurable();
    call.get();
  }

  @Test
  void readOfAnotherObjectsUndurableStateHoldsTheReply() throws Exception {
    host.start("b", put("key"));
    host.journal.awaitWaiters(1);
    RunningCall call = host.start("a", (_, _) -> host.call("b", (_, _) -> "read"));
    host.journal.awaitWaiters(2);
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(call.get()).isEqualTo("read");
  }

  @Test
  void exceptionOfAnotherObjectHoldsTheReplyToo() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, _) -> {
              try {
                return host.call(
                    "b",
                    (_, context) -> {
                      context.storage().put("key", 1);
                      throw new IOException("after the write");
                    });
              } catch (IOException e) {
                return "caught";
              }
            });
    host.journal.awaitWaiters(1);
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(call.get()).isEqualTo("caught");
  }

  @Test
  void argumentOfACallHoldsTheRepliesOfItsReceiver() throws Exception {
    RunningCall teller =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1);
              return host.call("b", (self, _) -> self.count = 1);
            });
    host.journal.awaitWaiters(1);
    // b has written nothing; it has only in memory what a crash would undo.
    RunningCall reader = host.start("b", (self, _) -> self.count);
    host.journal.awaitWaiters(2);
    assertThat(reader.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(reader.get()).isEqualTo(1L);
    teller.get();
  }

  @Test
  void argumentOfAnAsynchronousCallHoldsTheRepliesOfItsReceiver() {
    DeterministicScheduler.explore(
        10,
        scheduler -> {
          InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
          Host scheduled = Host.with().scheduler(scheduler).journal(journal).open();
          scheduler.start("teller", () -> scheduled.call("a", (_, each) -> tell(scheduled, each)));
          scheduler.runUntilIdle();
          AtomicReference<Object> read = new AtomicReference<>();
          scheduler.start("reader", () -> read.set(scheduled.call("b", (self, _) -> self.count)));
          scheduler.runUntilIdle();
          assertThat(read).hasNullValue();
          journal.makeAllDurable();
          scheduler.runUntilIdle();

          assertThat(read).hasValue(1L);
          scheduler.run(scheduled::close);
        });
  }

  /** Writes, and calls b without waiting for it; b writes nothing. */
  private static Object tell(Host scheduled, ObjectContext context) {
    context.storage().put("key", 1);
    scheduled.async("b", (self, _) -> self.count = 1);
    return null;
  }

  @Test
  void callBackIntoTheCallingObjectIsLegal() throws Exception {
    Object result =
        host.call(
            "a",
            (self, _) -> {
              self.count = 1;
              host.call("b", (_, _) -> host.call("a", (again, _) -> again.count = 2));
              return self.count;
            });

    assertThat(result).isEqualTo(2L);
  }

  @Test
  void callOfItselfIsLegal() throws Exception {
    assertThat(host.call("a", (_, _) -> host.call("a", (_, _) -> "inner"))).isEqualTo("inner");
  }

  @Test
  void failedJournalFailsTheWholeChain() throws Exception {
    RunningCall call =
        host.start("a", (_, _) -> host.call("b", (_, _) -> host.call("c", put("key"))));
    host.journal.awaitWaiters(1);
    host.journal.fail(new IOException("the disk is gone"));

    assertThat(call.failure())
        .isInstanceOfSatisfying(
            InstanceResetException.class,
            reset -> {
              assertThat(reset.objectId()).isEqualTo(host.id("a").toString());
              assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN);
            });
  }

  @Test
  void resetOfTheCalleeIsAnOrdinaryFailureForTheCaller() throws Exception {
    Object result =
        host.call(
            "a",
            (self, context) -> {
              self.count = 7;
              assertThatThrownBy(() -> host.call("b", (_, inner) -> inner.abort("enough")))
                  .isInstanceOf(InstanceResetException.class)
                  .hasMessageContaining("enough");
              context.id();
              return self.count;
            });

    assertThat(result).isEqualTo(7L);
  }

  @Test
  void callerThatIsResetWhileItCallsUnwindsWhenTheCallIsOver() throws Exception {
    AtomicReference<Object> seen = new AtomicReference<>();
    RunningCall caller =
        host.start(
            "a",
            (_, _) -> {
              seen.set(host.call("b", (_, context) -> context.await(new CompletableFuture<>())));
              return "went on";
            });
    caller.awaitParked();
    assertThatThrownBy(() -> host.call("a", (_, context) -> context.abort("enough")));
    assertThat(caller.isDone()).as("b still runs on its thread").isFalse();
    assertThatThrownBy(() -> host.call("b", (_, context) -> context.abort("enough")));

    assertThat(caller.failure())
        .isInstanceOfSatisfying(
            InstanceResetException.class,
            reset -> assertThat(reset.objectId()).isEqualTo(host.id("a").toString()));
    assertThat(seen.get()).isNull();
  }

  @Test
  void callerThatIsResetWhileItsCallIsQueuedWithdrawsIt() throws Exception {
    List<String> ran = new ArrayList<>();
    CompletableFuture<Void> blocker = new CompletableFuture<>();
    RunningCall busy = host.start("b", (_, _) -> blocker.join()).awaitParked();
    RunningCall caller =
        host.start("a", (_, _) -> host.call("b", (_, _) -> ran.add("delivered"))).awaitParked();
    assertThatThrownBy(() -> host.call("a", (_, context) -> context.abort("enough")));

    assertThat(caller.failure()).isInstanceOf(InstanceResetException.class);
    blocker.complete(null);
    busy.get();
    host.call("b", (_, _) -> null);
    assertThat(ran).isEmpty();
  }

  @Test
  void asynchronousCallOfAnObjectLeavesWhenItsTurnIsSealed() throws Exception {
    AtomicReference<CompletableFuture<Object>> sent = new AtomicReference<>();
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              sent.set(host.async("b", put("key")));
              context.storage().put("key", 1);
              return null;
            });
    host.journal.awaitWaiters(2);

    assertThat(host.journal.records().stream().map(JournalRecord::key))
        .containsExactly(host.key("a"), host.key("b"));
    host.journal.makeAllDurable();
    call.get();
    assertThat(sent.get().get()).isEqualTo("written");
  }

  @Test
  void asynchronousCallOfATurnThatIsNotSealedIsNeverMade() throws Exception {
    AtomicReference<CompletableFuture<Object>> sent = new AtomicReference<>();
    assertThatThrownBy(
        () ->
            host.call(
                "a",
                (_, context) -> {
                  sent.set(host.async("b", put("key")));
                  throw context.abort("enough");
                }));

    assertThatThrownBy(() -> sent.get().join()).hasCauseInstanceOf(InstanceResetException.class);
    assertThat(host.journal.lastPosition()).isZero();
  }

  @Test
  void objectThatAwaitsAnAsynchronousCallGetsItsReply() throws Exception {
    try (Host immediate = Host.with().journal(new InMemoryJournal()).open()) {
      assertThat(
              immediate.call(
                  "a", (_, context) -> context.await(immediate.async("b", (_, _) -> "reply"))))
          .isEqualTo("reply");
    }
  }
}
