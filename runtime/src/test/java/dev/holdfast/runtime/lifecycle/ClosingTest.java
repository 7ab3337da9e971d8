package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InstanceResetException;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The end of a runtime while its objects are busy. */
final class ClosingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 300;

  @Test
  void workOutsideOfTheTurnIsInterruptedByCloseToo() throws Exception {
    Host host =
        Host.with().options(RuntimeOptions.DEFAULT.withCloseTimeout(Duration.ofSeconds(30))).open();
    CompletableFuture<Object> interrupted = new CompletableFuture<>();
    RunningCall working =
        host.start(
            "a",
            (_, context) ->
                context.call(
                    () -> {
                      try {
                        return new CompletableFuture<>().get();
                      } catch (InterruptedException e) {
                        interrupted.complete("interrupted");
                        throw e;
                      }
                    }));
    working.awaitParked();
    RunningCall closing =
        host.start(
            () -> {
              host.close();
              return null;
            });
    closing.awaitParked();
    host.clock.advance(Duration.ofSeconds(30));

    assertThat(interrupted.get()).isEqualTo("interrupted");
    assertThat(working.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("closed");
    closing.get();
  }

  /**
   * As when a shard is moved: callers wait for the other runtime, and not for the files of this.
   */
  @Test
  void journalWithWhichAnotherRuntimeGoesOnIsClosedBeforeTheFiles() {
    assertThat(closedInOrder(/* isSaved= */ false)).startsWith("journal", "files");
    assertThat(closedInOrder(/* isSaved= */ true)).startsWith("files", "journal");
  }

  private static List<String> closedInOrder(boolean isSaved) {
    List<String> closed = new ArrayList<>();
    opened(closed, journal -> new NotedJournal(journal, isSaved, closed)).close();
    return closed;
  }

  /** Else the next runtime on the same files finds them open. */
  @Test
  void filesAreClosedAfterAnErrorInTheCloseOfTheJournal() {
    List<String> closed = new ArrayList<>();
    Host host =
        opened(
            closed,
            journal ->
                new NotedJournal(journal, /* isSaved= */ false, closed) {
                  @Override
                  public void close() {
                    super.close();
                    throw new AssertionError("injected");
                  }
                });

    Throwable thrown = catchThrowable(host::close);
    assertThat(closed).contains("files");
    assertThat(thrown).hasRootCauseMessage("injected");
  }

  private static Host opened(List<String> closed, UnaryOperator<Journal> seen) {
    return Host.with()
        .seen(
            seen,
            backend ->
                (StorageBackend)
                    Proxy.newProxyInstance(
                        StorageBackend.class.getClassLoader(),
                        new Class<?>[] {StorageBackend.class},
                        (_, called, arguments) -> {
                          if (called.getName().equals("close")) {
                            closed.add("files");
                          }
                          return called.invoke(backend, arguments);
                        }))
        .open();
  }

  private static class NotedJournal extends ForwardingJournal {

    private final boolean isSaved;
    private final List<String> closed;

    NotedJournal(Journal journal, boolean isSaved, List<String> closed) {
      super(journal);
      this.isSaved = isSaved;
      this.closed = closed;
    }

    @Override
    public boolean isSavedAtClose() {
      return isSaved;
    }

    @Override
    public void close() {
      closed.add("journal");
      super.close();
    }
  }

  @Test
  void closeMissesNoInstanceThatBecomesIdle() {
    DeterministicScheduler.exploreInterleavings(
        SCHEDULES, BecomingIdle.class, "dev.holdfast.runtime.");
  }

  /** The end of a call, of a kept stage and of the sweeper's visit coincide with the close. */
  static final class BecomingIdle implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = Host.with().scheduler(scheduler).open();
      CompletableFuture<Void> stage = new CompletableFuture<>();
      scheduler.run(
          () ->
              host.call(
                  "a",
                  (_, context) -> {
                    context.waitUntil(stage);
                    context.schedule(Duration.ofHours(1), () -> {});
                    return null;
                  }));
      scheduler.clock().advance(Duration.ofSeconds(9));
      scheduler.start("sweep", () -> scheduler.clock().advance(Duration.ofSeconds(4)));
      scheduler.run(
          () -> {
            try {
              host.call("a", (_, _) -> null);
            } catch (RuntimeClosedException e) {
              assertThat(e).hasMessageContaining("closed");
            }
          },
          () -> stage.complete(null),
          host::close);

      // No wait was necessary, so only the sweeper's time has passed.
      assertThat(scheduler.clock().monotonicNanos())
          .isLessThanOrEqualTo(Duration.ofSeconds(13).toNanos());
    }
  }

  @Test
  void closeWithAnEndlessTimeOutWaitsForRunningCalls() throws Exception {
    Host host =
        Host.with()
            .options(RuntimeOptions.DEFAULT.withCloseTimeout(Duration.ofSeconds(Long.MAX_VALUE)))
            .open();
    CompletableFuture<Object> waited = new CompletableFuture<>();
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.await(waited);
              context.storage().put("key", 1L);
              return "done";
            });
    call.awaitParked();
    RunningCall closing =
        host.start(
            () -> {
              host.close();
              return "closed";
            });
    closing.awaitParked();
    waited.complete("now");

    assertThat(call.get()).isEqualTo("done");
    assertThat(closing.get()).isEqualTo("closed");
  }
}
