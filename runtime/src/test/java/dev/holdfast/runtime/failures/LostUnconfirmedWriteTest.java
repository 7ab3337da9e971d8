package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * The journal fails after the reply of an unconfirmed write has left, and no caller waits for it.
 */
class LostUnconfirmedWriteTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 500;

  private static final WriteOptions UNCONFIRMED = WriteOptions.DEFAULT.unconfirmed();

  private static void putUnconfirmed(Host host) throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1L, UNCONFIRMED);
          return null;
        });
  }

  private static Object get(Host host, String name) throws Exception {
    return host.call(name, (_, context) -> context.storage().get("key", Long.class));
  }

  private static void fail(Host host) {
    host.journal.fail(new IOException("the disk is gone"));
  }

  @Test
  void callsAreRefusedThoughNoCallHasMetTheFailure() throws Exception {
    Host host = Host.open(Durability.MANUAL);
    putUnconfirmed(host);

    fail(host);

    assertThatThrownBy(() -> get(host, "a")).isInstanceOf(JournalFailedException.class);
    assertThatThrownBy(() -> get(host, "never loaded"))
        .isInstanceOf(JournalFailedException.class)
        .rootCause()
        .hasMessage("the disk is gone");
    assertThatThrownBy(host::close).isInstanceOf(JournalFailedException.class);
  }

  @Test
  void instanceThatHoldsTheLostValueIsReset() throws Exception {
    Host host = Host.open(Durability.MANUAL);
    putUnconfirmed(host);
    CompletableFuture<Object> task = new CompletableFuture<>();
    host.call(
        "a",
        (_, context) -> {
          context
              .async(() -> context.await(new CompletableFuture<>()))
              .whenComplete(
                  (value, failure) -> {
                    if (failure == null) {
                      task.complete(value);
                    } else {
                      task.completeExceptionally(failure);
                    }
                  });
          return null;
        });

    fail(host);

    assertThatThrownBy(task::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(InstanceResetException.class);
    assertThatThrownBy(host::close).isInstanceOf(JournalFailedException.class);
  }

  @Test
  void closeSaysThatSomethingAnsweredWasLost() throws Exception {
    Host host = Host.open(Durability.MANUAL);
    putUnconfirmed(host);
    fail(host);

    assertThatThrownBy(host::close)
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("Unconfirmed writes were lost")
        .hasMessageContaining("durable up to position 0")
        .hasMessageContaining("had position 1");
  }

  @Test
  void secondCloseEndsThoughTheFirstOneFailed() throws Exception {
    Host host = Host.open(Durability.MANUAL);
    putUnconfirmed(host);
    fail(host);

    assertThatThrownBy(host::close).isInstanceOf(JournalFailedException.class);
    host.close();
  }

  @Test
  void closeIsSilentWhenTheUnconfirmedWriteWasDurableBefore() throws Exception {
    Host host = Host.open(Durability.MANUAL);
    putUnconfirmed(host);
    host.journal.makeAllDurable();
    fail(host);

    host.close();

    assertThat(host.log.awaitOne()).contains("The journal has failed"); // by another thread
  }

  /** A call after the failure is refused in every interleaving. */
  @Test
  void noCallReadsTheLostValueAfterTheFailure() {
    DeterministicScheduler.exploreInterleavings(
        SCHEDULES, ReadAfterFailure.class, "dev.holdfast.runtime.");
  }

  static final class ReadAfterFailure implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host =
          Host.with().scheduler(scheduler).journal(new InMemoryJournal(Durability.MANUAL)).open();
      AtomicBoolean failed = new AtomicBoolean();
      scheduler.run(() -> putUnconfirmed(host));
      DeterministicScheduler.Body reader =
          () -> {
            for (int i = 0; i < 3; i++) {
              boolean late = failed.get();
              try {
                get(host, "a");
                assertThat(late).as("read after the journal failed").isFalse();
              } catch (JournalFailedException | InstanceResetException e) {
                // it came too late, or was in flight
              }
            }
          };
      scheduler.run(
          reader,
          () -> {
            fail(host);
            failed.set(true);
          },
          reader);
      assertThatThrownBy(() -> get(host, "a")).isInstanceOf(JournalFailedException.class);
      scheduler.run(
          () ->
              assertThatThrownBy(host::close).hasMessageContaining("Unconfirmed writes were lost"));
    }
  }
}
