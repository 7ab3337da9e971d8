package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectContext;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.testkit.InMemoryBackend.Operation;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResetTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  private Object stored() throws Exception {
    return host.call("a", (_, context) -> context.storage().get("key", Long.class).orElse(null));
  }

  private Object put(long value) throws Exception {
    return host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", value);
          return null;
        });
  }

  @Test
  void abortDropsTheWritesOfTheTurnAndReportsTheReason() throws Exception {
    put(1);
    InstanceResetException failure =
        catchThrowableOfType(
            InstanceResetException.class,
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 888L);
                      throw context.abort("enough");
                    }));

    assertThat(failure).hasMessageContaining("enough").hasMessageContaining("things/");
    assertThat(failure.writeOutcome()).isEqualTo(WriteOutcome.NOT_WRITTEN);
    assertThat(stored()).isEqualTo(1L);
  }

  @Test
  void abortMakesTheNextCallMeetAFreshInstance() throws Exception {
    host.call("a", (self, _) -> self.count = 5);
    assertThatThrownBy(() -> host.call("a", (_, context) -> context.abort(null)))
        .isInstanceOf(InstanceResetException.class);

    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(0L);
    assertThat(host.created).hasValue(2);
  }

  @Test
  void stubWorksAgainAfterAReset() throws Exception {
    var stub = host.stub("a");
    assertThatThrownBy(() -> host.call(stub, (_, context) -> context.abort(null)))
        .isInstanceOf(InstanceResetException.class);

    assertThat(host.call(stub, (_, _) -> "fresh")).isEqualTo("fresh");
  }

  @Test
  void codeThatSwallowsTheAbortIsNotHeard() {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      try {
                        context.abort("enough");
                      } catch (Throwable swallowed) {
                        // As careless code does.
                      }
                      return "survived";
                    }))
        .isInstanceOf(InstanceResetException.class);
  }

  @Test
  void swallowedAbortIsMetAgainAtTheNextUseOfTheContext() throws Exception {
    AtomicReference<Throwable> second = new AtomicReference<>();
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      try {
                        context.abort("enough");
                      } catch (Error swallowed) {
                        try {
                          context.storage().put("key", 1L);
                        } catch (Throwable met) {
                          second.set(met);
                        }
                      }
                      return null;
                    }))
        .isInstanceOf(InstanceResetException.class);

    assertThat(second.get()).isInstanceOf(Error.class).hasMessageContaining("was reset");
    assertThat(stored()).isNull();
  }

  @Test
  void ordinaryExceptionKeepsWhatTheTurnWrote() throws Exception {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 7L);
                      throw new IOException("after the write");
                    }))
        .isInstanceOf(IOException.class);

    assertThat(stored()).isEqualTo(7L);
    assertThat(host.created).hasValue(1);
  }

  @Test
  void failedCommitResetsTheObjectAndReportsThatNothingWasWritten() throws Exception {
    put(1);
    host.backend.failNext(Operation.SEAL, host.key("a"));
    InstanceResetException failure =
        catchThrowableOfType(InstanceResetException.class, () -> put(2));

    assertThat(failure.writeOutcome()).isEqualTo(WriteOutcome.NOT_WRITTEN);
    assertThat(failure).hasCauseInstanceOf(StorageFailedException.class);
    assertThat(stored()).isEqualTo(1L);
    assertThat(host.created).hasValue(2);
  }

  @Test
  void failedCommitAfterAnEarlierTurnReportsAnUnknownOutcome() throws Exception {
    InstanceResetException failure =
        catchThrowableOfType(
            InstanceResetException.class,
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 1L);
                      context.await(CompletableFuture.completedFuture(null));
                      context.storage().put("key", 2L);
                      host.backend.failNext(Operation.SEAL, host.key("a"));
                      return null;
                    }));

    assertThat(failure.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN);
    assertThat(stored()).isEqualTo(1L);
  }

  @Test
  void commitWithoutRoomOnTheDiskResetsOnlyThisObject() throws Exception {
    put(1);
    host.call("b", (self, _) -> self.count = 3);
    host.journal.refuseNextAppend(
        new DataDirectoryException(Path.of("data"), "There is no room.", null));

    assertThatThrownBy(() -> put(2))
        .isInstanceOf(InstanceResetException.class)
        .hasCauseInstanceOf(DataDirectoryException.class);
    assertThat(stored()).isEqualTo(1L);
    assertThat(host.call("b", (self, _) -> self.count)).isEqualTo(3L);
  }

  @Test
  void failedReadResetsTheObject() throws Exception {
    put(1);
    host.backend.failNext(Operation.GET, host.key("a"));

    assertThatThrownBy(this::stored)
        .isInstanceOf(InstanceResetException.class)
        .hasCauseInstanceOf(StorageFailedException.class);
    assertThat(stored()).isEqualTo(1L);
    assertThat(host.backend.openTurnCount()).isZero();
  }

  @Test
  void turnThatRunsWhileItsFilesFailHasNoReply() throws Exception {
    put(1);
    InstanceResetException failure =
        catchThrowableOfType(
            InstanceResetException.class,
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      host.backend.failInBackground(host.key("a"));
                      // In memory the object could continue, but what it has read may be wrong.
                      return "reply";
                    }));

    assertThat(failure).hasCauseInstanceOf(StorageFailedException.class);
    assertThat(failure.writeOutcome()).isEqualTo(WriteOutcome.NOT_WRITTEN);
    assertThatThrownBy(this::stored).hasCauseInstanceOf(StorageFailedException.class);
    host.backend.heal();
    assertThat(stored()).isEqualTo(1L);
  }

  @Test
  void executionThatWaitsWhileTheFilesFailUnwinds() throws Exception {
    RunningCall waiting =
        host.start("a", (_, context) -> context.await(new CompletableFuture<>())).awaitParked();
    host.backend.failInBackground(host.key("a"));

    assertThat(waiting.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasCauseInstanceOf(StorageFailedException.class);
  }

  @Test
  void failureInTheBackgroundOfAnObjectThatIsNotInMemoryHarmsNoCall() throws Exception {
    host.call("b", (self, _) -> self.count = 3);
    host.backend.failInBackground(host.key("a"));

    assertThat(host.call("b", (self, _) -> self.count)).isEqualTo(3L);
  }

  @Test
  void storeThatCannotBeOpenedResetsTheObject() throws Exception {
    host.backend.failNext(Operation.BEGIN_TURN, host.key("a"));

    assertThatThrownBy(this::stored).hasCauseInstanceOf(StorageFailedException.class);
    assertThat(stored()).isNull();
  }

  @Test
  void contextOfAResetInstanceIsRefusedToEveryThread() throws Exception {
    AtomicReference<ObjectContext> leak = new AtomicReference<>();
    assertThatThrownBy(
        () ->
            host.call(
                "a",
                (_, context) -> {
                  leak.set(context);
                  throw context.abort(null);
                }));

    assertThatThrownBy(() -> leak.get().storage().get("key", Object.class))
        .isInstanceOf(MisuseException.class)
        .hasMessageContaining("reset or evicted");
  }

  @Test
  void callsThatWaitForAnObjectFailWhenItIsReset() throws Exception {
    AtomicReference<RunningCall> queued = new AtomicReference<>();
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      queued.set(host.start("a", (_, _) -> "never").awaitParked());
                      throw context.abort("enough");
                    }))
        .isInstanceOf(InstanceResetException.class);

    assertThat(queued.get().failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("enough");
  }

  @Test
  void listenerOfADroppedMessageMayCallTheObject() throws Exception {
    AtomicReference<Object> reached = new AtomicReference<>();
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      host.async("b", (_, _) -> "never")
                          .whenComplete((_, _) -> reached.set(elsewhere("a")));
                      throw context.abort("enough");
                    }))
        .isInstanceOf(InstanceResetException.class);

    assertThat(reached.get()).isEqualTo("fresh");
  }

  @Test
  void listenerOfATaskThatNeverRanMayCallTheObject() throws Exception {
    CompletableFuture<Object> reached = new CompletableFuture<>();
    RunningCall section =
        host.start(
            "a",
            (_, context) -> {
              context.async(() -> "never").whenComplete((_, _) -> reached.complete(elsewhere("a")));
              return context.blockConcurrencyWhile(() -> context.await(new CompletableFuture<>()));
            });
    section.awaitParked();
    RunningCall failing =
        host.start(
            () -> {
              host.backend.failInBackground(host.key("a"));
              return null;
            });

    assertThat(reached.get()).isEqualTo("fresh");
    failing.get();
    section.failure();
  }

  /** Calls an object from a thread outside of all objects, and waits for it. */
  private Object elsewhere(String name) {
    RunningCall call = host.start(name, (_, _) -> "fresh");
    try {
      return call.get();
    } catch (Exception e) {
      return e;
    }
  }

  @Test
  void executionThatWaitsUnwindsWhenItsObjectIsReset() throws Exception {
    AtomicReference<Boolean> resumed = new AtomicReference<>(false);
    RunningCall first =
        host.start(
            "a",
            (_, context) -> {
              context.await(new CompletableFuture<>());
              resumed.set(true);
              return null;
            });
    first.awaitParked();
    assertThatThrownBy(() -> host.call("a", (_, context) -> context.abort("enough")));

    assertThat(first.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("enough");
    assertThat(resumed.get()).isFalse();
  }

  @Test
  void workOutsideOfAResetInstanceLeavesTheStoreTurnOfARunningTurnAlone() throws Exception {
    CountDownLatch works = new CountDownLatch(1);
    CountDownLatch isReset = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    RunningCall outside =
        host.start(
            "a",
            (_, context) ->
                context.call(
                    () -> {
                      works.countDown();
                      isReset.await();
                      return host.call("b", (_, _) -> null);
                    }));
    works.await();
    RunningCall inTurn =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1L);
              assertThatThrownBy(() -> context.abort("now"));
              // Continues in Java, like a thread that is in a storage operation at a reset.
              isReset.countDown();
              goOn.await();
              return null;
            });
    assertThat(outside.failure()).isInstanceOf(InstanceResetException.class);
    goOn.countDown();
    assertThat(inTurn.failure()).isInstanceOf(InstanceResetException.class);

    assertThat(host.call("a", (_, context) -> context.storage().get("key", Long.class).isPresent()))
        .as("what the reset has dropped is there")
        .isEqualTo(false);
  }

  @Test
  void callWhoseBatchMayBeInTheJournalGetsNoErrorThatNothingIsWritten() {
    host.journal.breakAfterNextAppend(new OutOfMemoryError("injected"));

    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 1L);
                      return null;
                    }))
        .isInstanceOfSatisfying(
            InstanceResetException.class,
            reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN));
    assertThat(host.journal.records()).hasSize(1);
  }

  @Test
  void resetIsHeldByABatchThatMayBeInTheJournal() throws Exception {
    try (Host manual = Host.open(Durability.MANUAL)) {
      manual.journal.breakAfterNextAppend(new OutOfMemoryError("injected"));
      RunningCall writing =
          manual.start(
              "a",
              (_, context) -> {
                context.storage().put("key", 1L);
                return null;
              });
      manual.journal.awaitWaiters(1);
      assertThat(writing.isDone()).isFalse();
      manual.journal.makeAllDurable();

      assertThat(writing.failure()).isInstanceOf(InstanceResetException.class);
    }
  }

  /** An exception of an application whose message cannot be made. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("planned");
    }
  }

  @Test
  void failureWhoseMessageFailsResetsItsObjectAndStopsNothing() throws Exception {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) ->
                        context.blockConcurrencyWhile(
                            () -> {
                              throw new Mute();
                            })))
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("critical section failed")
        .hasMessageContaining(Mute.class.getName());
    host.atCreation(
        (_, _) -> {
          throw new Mute();
        });
    assertThatThrownBy(() -> host.call("b", (_, _) -> "never"))
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("factory failed");
    host.atCreation(null);
    assertThat(host.call("a", (_, _) -> "there")).isEqualTo("there");
  }
}
