package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A write or sync after an unconfirmed write depends on it, even if there is nothing left to write.
 * The test makes batches durable.
 */
class UnconfirmedWriteTest {

  private static final WriteOptions UNCONFIRMED = WriteOptions.DEFAULT.unconfirmed();

  private final Host host = Host.open(Durability.MANUAL);

  @AfterEach
  void close() {
    host.close();
  }

  private void putUnconfirmed() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1L, UNCONFIRMED);
          return null;
        });
  }

  private void abort() {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      throw context.abort("again");
                    }))
        .isInstanceOf(InstanceResetException.class);
  }

  /** Starts a call, and waits until it waits for the journal, which must hold its reply. */
  private RunningCall startHeld(Thing.Script<?> script) throws Exception {
    RunningCall call = host.start("a", script).awaitParked();
    host.journal.awaitWaiters(1);
    assertThat(call.isDone()).as("the reply has left").isFalse();
    return call;
  }

  private void assertHeld(Thing.Script<?> script) throws Exception {
    RunningCall call = startHeld(script);
    host.journal.makeAllDurable();
    call.get();
  }

  private void assertNotHeld(Thing.Script<?> script) throws Exception {
    host.call("a", script); // would never end
    assertThat(host.journal.durablePosition()).isZero();
    host.journal.makeAllDurable();
  }

  @Test
  void confirmedWriteOfAnUnconfirmedValueIsHeldThoughNotRead() throws Exception {
    putUnconfirmed();
    assertHeld(
        (_, context) -> {
          context.storage().put("key", 1L);
          return null;
        });
  }

  @Test
  void confirmedDeletionAfterAnUnconfirmedOneIsHeldThoughNotRead() throws Exception {
    putUnconfirmed();
    host.journal.makeAllDurable();
    host.call("a", (_, context) -> context.storage().delete("key", UNCONFIRMED));
    assertHeld((_, context) -> context.storage().delete("key"));
  }

  @Test
  void confirmedDeleteAllIsHeldWhenAllIsGoneUnconfirmed() throws Exception {
    putUnconfirmed();
    host.journal.makeAllDurable();
    host.call(
        "a",
        (_, context) -> {
          context.storage().deleteAll(UNCONFIRMED);
          return null;
        });
    assertHeld(
        (_, context) -> {
          context.storage().deleteAll();
          return null;
        });
  }

  @Test
  void confirmedDeletionOfAnAlarmIsHeldByWhatWasWrittenUnconfirmed() throws Exception {
    putUnconfirmed();
    assertHeld(
        (_, context) -> {
          context.storage().deleteAlarm();
          return null;
        });
  }

  @Test
  void readOfWhatIsThereUnconfirmedIsNotHeld() throws Exception {
    putUnconfirmed();
    assertNotHeld((_, context) -> context.storage().get("key", Long.class));
  }

  @Test
  void unconfirmedWriteOfWhatIsThereUnconfirmedIsNotHeld() throws Exception {
    putUnconfirmed();
    assertNotHeld(
        (_, context) -> {
          context.storage().put("key", 1L, UNCONFIRMED);
          return null;
        });
  }

  @Test
  void freshInstanceHoldsAConfirmedWriteOfWhatItsPredecessorHasWrittenUnconfirmed()
      throws Exception {
    putUnconfirmed();
    abort();
    assertHeld(
        (_, context) -> {
          Optional<Long> present = context.storage().get("key", Long.class);
          context.storage().put("key", present.orElseThrow());
          return null;
        });
  }

  @Test
  void syncOfAFreshInstanceWaitsForUnconfirmedWritesOfItsPredecessor() throws Exception {
    putUnconfirmed();
    abort();
    assertHeld(
        (_, context) -> {
          context.storage().sync();
          return null;
        });
  }

  @Test
  void syncOfAFreshInstanceFailsWithTheJournalThatHasLostUnconfirmedWrites() throws Exception {
    putUnconfirmed();
    abort();
    RunningCall syncing =
        startHeld(
            (_, context) -> {
              context.storage().sync();
              return "synced";
            });
    host.journal.fail(new IOException("the disk is gone"));

    assertThat(syncing.failure()).isInstanceOf(InstanceResetException.class);
    assertThatThrownBy(host::close).hasMessageContaining("Unconfirmed writes were lost");
  }
}
