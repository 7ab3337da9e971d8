package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * No message leaves an object before its dependencies are durable. The test makes records durable.
 */
class OutputGateTest {

  private final Host host = Host.open(Durability.MANUAL);

  @AfterEach
  void close() {
    host.close();
  }

  private static Thing.Script<Object> put(String key, WriteOptions options) {
    return (_, context) -> {
      context.storage().put(key, 1L, options);
      return "written";
    };
  }

  private static Thing.Script<Object> put(String key) {
    return put(key, WriteOptions.DEFAULT);
  }

  @Test
  void replyWaitsUntilTheWriteIsDurable() throws Exception {
    RunningCall call = host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(call.get()).isEqualTo("written");
  }

  @Test
  void objectGoesOnWhileItsReplyWaits() throws Exception {
    RunningCall first = host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    RunningCall second = host.start("a", put("other"));
    host.journal.awaitAppended(2);

    assertThat(first.isDone()).isFalse();
    host.journal.makeDurable(1);
    first.get();
    assertThat(second.isDone()).isFalse();
    host.journal.makeAllDurable();
    second.get();
  }

  @Test
  void readOfWhatIsNotYetDurableIsHeldToo() throws Exception {
    host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    RunningCall read =
        host.start("a", (_, context) -> context.storage().get("key", Long.class).orElse(null));
    host.journal.awaitWaiters(2);
    assertThat(read.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(read.get()).isEqualTo(1L);
  }

  @Test
  void exceptionThatLeavesTheObjectIsHeldToo() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1L);
              throw new IOException("after the write");
            });
    host.journal.awaitWaiters(1);
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(call.failure()).isInstanceOf(IOException.class);
  }

  @Test
  void replyWithoutAnyWriteLeavesAtOnce() throws Exception {
    assertThat(host.call("a", (_, context) -> context.storage().get("key", Long.class).isPresent()))
        .isEqualTo(false);
  }

  @Test
  void oneTurnIsOneBatch() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("one", 1);
              context.storage().put("two", 2);
              context.storage().delete("three");
              return null;
            });
    host.journal.awaitWaiters(1);

    assertThat(host.journal.lastPosition()).isEqualTo(1);
    host.journal.makeAllDurable();
    call.get();
  }

  @Test
  void waitDividesWritesIntoTwoBatches() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("one", 1);
              context.await(CompletableFuture.completedFuture(null));
              context.storage().put("two", 2);
              return null;
            });
    host.journal.awaitWaiters(1);

    assertThat(host.journal.lastPosition()).isEqualTo(2);
    host.journal.makeAllDurable();
    call.get();
  }

  @Test
  void unconfirmedWriteLetsTheReplyLeave() throws Exception {
    WriteOptions unconfirmed = WriteOptions.DEFAULT.unconfirmed();

    assertThat(host.call("a", put("key", unconfirmed))).isEqualTo("written");
    assertThat(host.journal.durablePosition()).isZero();
    host.journal.makeAllDurable();
  }

  @Test
  void oneConfirmedWriteAmongUnconfirmedOnesHoldsTheReply() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("one", 1, WriteOptions.DEFAULT.unconfirmed());
              context.storage().put("two", 2);
              context.storage().put("three", 3, WriteOptions.DEFAULT.unconfirmed());
              return null;
            });
    host.journal.awaitWaiters(1);
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();
    call.get();
  }

  @Test
  void laterConfirmedWriteWaitsForTheUnconfirmedOneBeforeIt() throws Exception {
    host.call("a", put("one", WriteOptions.DEFAULT.unconfirmed()));
    RunningCall call = host.start("a", put("two"));
    host.journal.awaitWaiters(1);
    host.journal.makeDurable(1);
    assertThat(call.isDone()).isFalse();
    host.journal.makeDurable(2);
    call.get();
  }

  @Test
  void confirmedWriteOfWhatIsThereUnconfirmedWaitsForIt() throws Exception {
    host.call("a", put("one", WriteOptions.DEFAULT.unconfirmed()));
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              assertThat(context.storage().get("one", Long.class)).contains(1L);
              context.storage().put("one", 1L);
              return null;
            });
    host.journal.awaitWaiters(1);
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();
    call.get();
  }

  @Test
  void confirmedDeletionOfWhatIsGoneUnconfirmedWaitsForIt() throws Exception {
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().delete("one", WriteOptions.DEFAULT.unconfirmed());
              context.storage().put("two", 2, WriteOptions.DEFAULT.unconfirmed());
              return context.storage().delete("one");
            });
    host.journal.awaitWaiters(1);
    assertThat(call.isDone()).isFalse();
    host.journal.makeAllDurable();
    assertThat(call.get()).isEqualTo(false);
  }

  @Test
  void confirmationOfOneTurnDoesNotCarryOverToTheNext() throws Exception {
    RunningCall confirmed = host.start("a", put("one"));
    host.journal.awaitWaiters(1);
    host.journal.makeAllDurable();
    confirmed.get();

    host.call("a", put("two", WriteOptions.DEFAULT.unconfirmed()));
    assertThat(host.journal.durablePosition()).isEqualTo(1);
    host.journal.makeAllDurable();
  }

  @Test
  void syncWaitsForUnconfirmedWritesAndLetsOthersIn() throws Exception {
    RunningCall syncing =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1, WriteOptions.DEFAULT.unconfirmed());
              context.storage().sync();
              return "synced";
            });
    host.journal.awaitWaiters(1);
    assertThat(host.call("a", (_, _) -> "other")).isEqualTo("other");
    assertThat(syncing.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(syncing.get()).isEqualTo("synced");
  }

  @Test
  void syncWithoutPendingWritesReturnsAtOnce() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().sync();
          return null;
        });
  }

  @Test
  void workOutsideBeginsWhenEarlierWritesAreDurable() throws Exception {
    AtomicBoolean begun = new AtomicBoolean();
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1);
              return context.call(
                  () -> {
                    begun.set(true);
                    return host.journal.durablePosition();
                  });
            });
    host.journal.awaitWaiters(1);
    assertThat(begun).isFalse();
    host.journal.makeAllDurable();

    assertThat(call.get()).isEqualTo(1L);
  }

  @Test
  void workOutsideDoesNotWaitForUnconfirmedWrites() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1, WriteOptions.DEFAULT.unconfirmed());
          return context.call(() -> null);
        });
    host.journal.makeAllDurable();
  }

  @Test
  void failedJournalFailsEveryHeldReply() throws Exception {
    RunningCall writer = host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    RunningCall reader = host.start("a", (_, _) -> "read");
    host.journal.awaitWaiters(2);
    host.journal.fail(new IOException("the disk is gone"));

    assertThat(writer.failure())
        .isInstanceOfSatisfying(
            InstanceResetException.class,
            reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN))
        .hasCauseInstanceOf(JournalFailedException.class);
    assertThat(reader.failure())
        .isInstanceOfSatisfying(
            InstanceResetException.class,
            reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.NOT_WRITTEN));
  }

  @Test
  void failedJournalRefusesFurtherCallsAndTheRuntimeCanBeClosed() throws Exception {
    RunningCall writer = host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    host.journal.fail(new IOException("the disk is gone"));
    writer.failure();

    assertThatThrownBy(() -> host.call("b", (_, _) -> null))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("open it again");
    host.close();
  }

  @Test
  void failedJournalUnwindsExecutionsThatWait() throws Exception {
    RunningCall waiting =
        host.start("b", (_, context) -> context.await(new CompletableFuture<>())).awaitParked();
    RunningCall writer = host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    host.journal.fail(new IOException("the disk is gone"));
    writer.failure();

    assertThat(waiting.failure()).isInstanceOf(InstanceResetException.class);
  }

  @Test
  void replyFromBeforeTheLostWriteIsNotHarmed() throws Exception {
    RunningCall before = host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    RunningCall after = host.start("a", put("other"));
    host.journal.awaitWaiters(2);
    host.journal.makeDurable(1);
    host.journal.fail(new IOException("the disk is gone"));

    assertThat(before.get()).isEqualTo("written");
    assertThat(after.failure()).isInstanceOf(InstanceResetException.class);
  }

  @Test
  void reasonOfAnAbortIsHeldLikeAReply() throws Exception {
    host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    RunningCall aborting =
        host.start(
            "a",
            (_, context) -> {
              throw context.abort(
                  "the value is " + context.storage().get("key", Long.class).orElseThrow());
            });
    host.journal.awaitWaiters(2);
    assertThat(aborting.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(aborting.failure()).hasMessageContaining("the value is 1");
  }

  @Test
  void reasonOfAnAbortNeverLeavesOnceTheJournalHasFailed() throws Exception {
    RunningCall aborting =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1L);
              context.await(CompletableFuture.completedFuture(null));
              long sealed = context.storage().get("key", Long.class).orElseThrow();
              host.journal.fail(new IOException("the disk is gone"));
              throw context.abort("the value is " + sealed);
            });

    assertThat(aborting.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasCauseInstanceOf(JournalFailedException.class)
        .hasMessageNotContaining("the value is");
  }

  @Test
  void whatCodeThrowsAfterItsResetNeverLeaves() throws Exception {
    RunningCall reset =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1L);
              host.backend.failInBackground(host.key("a"));
              throw new IllegalStateException("the value is 1");
            });

    assertThat(reset.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasNoSuppressedExceptions()
        .hasMessageNotContaining("the value is");
  }

  @Test
  void freshInstanceHoldsWhatItReadsOfItsPredecessor() throws Exception {
    host.start("a", put("key"));
    host.journal.awaitWaiters(1);
    host.start("a", (_, context) -> context.abort(null));
    host.journal.awaitWaiters(2);
    RunningCall fresh =
        host.start("a", (_, context) -> context.storage().get("key", Long.class).orElse(null));
    host.journal.awaitWaiters(3);
    assertThat(host.created).hasValue(2);
    assertThat(fresh.isDone()).isFalse();
    host.journal.makeAllDurable();

    assertThat(fresh.get()).isEqualTo(1L);
  }

  @Test
  void asynchronousReplyIsHeldToo() throws Exception {
    CompletableFuture<Object> reply = host.async("a", put("key"));
    host.journal.awaitWaiters(1);
    assertThat(reply).isNotDone();
    host.journal.makeAllDurable();

    assertThat(reply.get()).isEqualTo("written");
  }
}
