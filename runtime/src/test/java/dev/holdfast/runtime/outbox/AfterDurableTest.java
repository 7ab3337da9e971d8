package dev.holdfast.runtime.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.event.Subscription;
import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Actions run outside of the turn, in the order of the turns, once the turn is durable. */
final class AfterDurableTest {

  private final BlockingQueue<String> ran = new LinkedBlockingQueue<>();
  private Host host = Host.open(Durability.MANUAL);

  @AfterEach
  void close() {
    host.close();
  }

  private void reopen(Durability durability) {
    host.close();
    host = Host.open(durability);
  }

  private RunningCall write(String object, String action) {
    return host.start(
        object,
        (_, context) -> {
          context.storage().put("key", action);
          context.afterDurable(() -> ran.add(action));
          return null;
        });
  }

  /** Those that wait are lost; without this, all later ones would wait for them. */
  @Test
  void actionsGoOnAfterTheThreadOfSomeRanOutOfMemory() throws Exception {
    AtomicBoolean fails = new AtomicBoolean(true);
    host.close();
    host =
        Host.with()
            .seen(
                journal ->
                    new ForwardingJournal(journal) {
                      @Override
                      public void awaitDurable(long position) {
                        if (ExecutionStack.current().isOfAction() && fails.getAndSet(false)) {
                          throw new OutOfMemoryError("planned");
                        }
                        super.awaitDurable(position);
                      }
                    },
                backend -> backend)
            .open();
    write("a", "lost").get();
    while (fails.get()) {
      Thread.onSpinWait();
    }
    String found = null;
    while (found == null) {
      write("a", "later").get(); // the first may still be added to those that are lost
      found = ran.poll(5, TimeUnit.SECONDS);
    }
    assertThat(found).isEqualTo("later");
  }

  @Test
  void actionRunsWhenTheTurnIsDurableAndNotBefore() throws Exception {
    RunningCall call = write("a", "first");
    host.journal.awaitWaiters(2); // the reply and the action
    assertThat(ran).isEmpty();
    host.journal.makeAllDurable();
    assertThat(ran.take()).isEqualTo("first");
    call.get();
  }

  @Test
  void actionWaitsForUnconfirmedWritesToo() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1L, WriteOptions.DEFAULT.unconfirmed());
          context.afterDurable(() -> ran.add("done"));
          return null;
        });
    host.journal.awaitWaiters(1);
    assertThat(ran).isEmpty();
    host.journal.makeAllDurable();
    assertThat(ran.take()).isEqualTo("done");
  }

  @Test
  void actionOfATurnThatDependsOnNothingRunsAtOnce() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.afterDurable(() -> ran.add("done"));
          return null;
        });
    assertThat(ran.take()).isEqualTo("done");
  }

  @Test
  void actionsRunInTheOrderOfTheTurnsOneAfterTheOther() throws Exception {
    reopen(Durability.ON_WAIT);
    List<String> expected = new ArrayList<>();
    for (int turn = 0; turn < 200; turn++) {
      String name = "turn " + turn;
      expected.add(name);
      write("a", name).get();
    }
    List<String> seen = new ArrayList<>();
    while (seen.size() < expected.size()) {
      seen.add(ran.take());
    }
    assertThat(seen).isEqualTo(expected);
  }

  @Test
  void slowActionHoldsUpLaterOnesOfItsObjectOnly() throws Exception {
    reopen(Durability.ON_WAIT);
    CountDownLatch release = new CountDownLatch(1);
    host.call(
        "slow",
        (_, context) -> {
          context.afterDurable(() -> awaitRelease(release));
          context.afterDurable(() -> ran.add("slow"));
          return null;
        });
    write("fast", "fast").get();
    assertThat(ran.take()).isEqualTo("fast");
    assertThat(ran).isEmpty();
    release.countDown();
    assertThat(ran.take()).isEqualTo("slow");
  }

  @Test
  void lostTurnRunsNoAction() throws Exception {
    reopen(Durability.ON_WAIT);
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.afterDurable(() -> ran.add("lost"));
                      throw context.abort("on purpose");
                    }))
        .isInstanceOf(InstanceResetException.class);
    write("a", "next").get();
    assertThat(ran.take()).isEqualTo("next");
  }

  @Test
  void failedJournalRunsNoAction() throws Exception {
    RunningCall call = write("a", "lost");
    host.journal.awaitWaiters(2);
    host.journal.fail(new IOException("on purpose"));
    assertThatThrownBy(call::get).hasCauseInstanceOf(InstanceResetException.class);
    host.close();
    assertThat(ran).isEmpty();
    host = Host.open();
  }

  @Test
  void actionOfATransactionWaitsForItsCommit() throws Exception {
    reopen(Durability.ON_WAIT);
    CompletableFuture<String> outside = new CompletableFuture<>();
    RunningCall call =
        host.start(
            "a",
            (_, context) ->
                context
                    .storage()
                    .transaction(
                        transaction -> {
                          transaction.put("key", 1L);
                          context.afterDurable(() -> ran.add("committed"));
                          return context.await(outside);
                        }));
    call.awaitParked();
    assertThat(ran).isEmpty();
    outside.complete("go on");
    call.get();
    assertThat(ran.take()).isEqualTo("committed");
  }

  @Test
  void actionThatFailsIsLoggedAndTheNextOneRuns() throws Exception {
    reopen(Durability.ON_WAIT);
    host.call(
        "a",
        (_, context) -> {
          context.afterDurable(
              () -> {
                throw new IllegalStateException("on purpose");
              });
          context.afterDurable(() -> ran.add("next"));
          return null;
        });
    assertThat(ran.take()).isEqualTo("next");
    assertThat(host.log.of(LogEvent.ACTION_FAILED)).hasSize(1);
  }

  @Test
  void actionCannotUseTheContext() throws Exception {
    reopen(Durability.ON_WAIT);
    BlockingQueue<Object> outcome = new LinkedBlockingQueue<>();
    host.call(
        "a",
        (_, context) -> {
          context.afterDurable(
              () -> {
                try {
                  context.afterDurable(() -> {});
                  outcome.add("accepted");
                } catch (MisuseException e) {
                  outcome.add(e.reason());
                }
              });
          return null;
        });
    assertThat(outcome.take()).isEqualTo(MisuseException.Reason.OUTSIDE_OF_TURN);
  }

  @Test
  void thousandActionsMayWaitThenTheTurnThatAddsOneWaitsAtItsEnd() throws Exception {
    reopen(Durability.ON_WAIT);
    CountDownLatch release = new CountDownLatch(1);
    host.call(
        "a",
        (_, context) -> {
          context.afterDurable(() -> awaitRelease(release));
          for (int count = 1; count < 1_000; count++) {
            context.afterDurable(() -> ran.add("one"));
          }
          return null;
        });
    RunningCall call = write("a", "late").awaitParked();
    assertThat(call.isDone()).isFalse();
    // The object goes on meanwhile, and a turn that adds nothing does not wait.
    assertThat(host.call("a", (_, context) -> context.storage().get("key", String.class).get()))
        .isEqualTo("late");
    release.countDown();
    call.get();
  }

  @Test
  void actionThatCallsItsOwnObjectWithAFullQueueEnds() throws Exception {
    reopen(Durability.ON_WAIT);
    CountDownLatch full = new CountDownLatch(1);
    host.call(
        "a",
        (_, context) -> {
          context.afterDurable(
              () -> {
                awaitRelease(full);
                try {
                  for (int call = 0; call < 3; call++) {
                    write("b", "of b");
                    host.call(
                        "a",
                        (_, own) -> {
                          own.afterDurable(() -> ran.add("added by the action"));
                          return own.await(own.async(() -> added(own)));
                        });
                    host.async("a", (_, own) -> added(own)).join();
                  }
                } catch (Exception e) {
                  ran.add(e.toString());
                }
                ran.add("end");
              });
          for (int count = 1; count < 1_000; count++) {
            context.afterDurable(() -> {});
          }
          return null;
        });
    full.countDown();
    assertThat(nextOfA()).isEqualTo("end");
    assertThat(nextOfA()).isEqualTo("added by the action");
  }

  /** The actions of two objects have no order: one of the other may run at any time. */
  private String nextOfA() throws InterruptedException {
    String next = ran.take();
    while (next.equals("of b")) {
      next = ran.take();
    }
    return next;
  }

  private String added(dev.holdfast.ObjectContext context) {
    context.afterDurable(() -> ran.add("added by the action"));
    return "added";
  }

  @Test
  void closeRunsTheActionsThatWait() throws Exception {
    reopen(Durability.ON_WAIT);
    for (int turn = 0; turn < 100; turn++) {
      write("a", "turn " + turn);
    }
    write("a", "last").get();
    host.close();
    assertThat(ran).hasSizeGreaterThanOrEqualTo(1).contains("last");
    host = Host.open();
  }

  @Test
  void actionAndHandlerMayCloseTheRuntime() throws Exception {
    reopen(Durability.ON_WAIT);
    host.call(
        "a",
        (_, context) -> {
          context.afterDurable(this::closeRuntime);
          return null;
        });
    assertThat(ran.take()).isEqualTo("closed");

    host = Host.open(Durability.ON_WAIT);
    host.runtime.consume("orders", "index", String.class, _ -> closeRuntime());
    host.call(
        "a",
        (_, context) -> {
          context.emit("orders", "last");
          return null;
        });
    assertThat(ran.take()).isEqualTo("closed");
  }

  private void closeRuntime() {
    host.runtime.close();
    ran.add("closed" + (Thread.currentThread().isInterrupted() ? ", and interrupted" : ""));
  }

  // ---- publish and subscribe ----------------------------------------------------------------

  private void publish(String topic, Object event) throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1L);
          context.publish(topic, event);
          return null;
        });
  }

  @Test
  void eventsArePublishedToTheListenersOfTheirTopic() throws Exception {
    reopen(Durability.ON_WAIT);
    Subscription first = host.runtime.subscribe("news", String.class, ran::add);
    Subscription second =
        host.runtime.subscribe("news", String.class, text -> ran.add("second " + text));
    publish("other", "unheard");
    publish("news", "hello");
    assertThat(List.of(ran.take(), ran.take())).containsExactly("hello", "second hello");
    first.close();
    first.close();
    publish("news", "again");
    assertThat(ran.take()).isEqualTo("second again");
    second.close();
    publish("news", "unheard");
    write("a", "end").get();
    assertThat(ran.take()).isEqualTo("end");
  }

  @Test
  void listenerThatFailsOrHasAnotherTypeDoesNotHoldUpOthers() throws Exception {
    reopen(Durability.ON_WAIT);
    host.runtime.subscribe("news", Long.class, number -> ran.add("number " + number));
    host.runtime.subscribe(
        "news",
        String.class,
        _ -> {
          throw new IllegalStateException("on purpose");
        });
    host.runtime.subscribe("news", String.class, ran::add);
    publish("news", "hello");
    assertThat(ran.take()).isEqualTo("hello");
    assertThat(host.log.of(LogEvent.ACTION_FAILED)).hasSize(2);
  }

  @Test
  void lostTurnPublishesNothing() throws Exception {
    reopen(Durability.ON_WAIT);
    host.runtime.subscribe("news", String.class, ran::add);
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.publish("news", "lost");
                      throw context.abort("on purpose");
                    }))
        .isInstanceOf(InstanceResetException.class);
    publish("news", "next");
    assertThat(ran.take()).isEqualTo("next");
  }

  private static void awaitRelease(CountDownLatch release) {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
