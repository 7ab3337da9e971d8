package dev.holdfast.runtime.observed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Recorded;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.runtime.internal.instance.Lifecycle;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.statistics.RecoveryStatistics;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;

/** The numbers of a runtime as a whole, in each part of its life. */
final class RuntimeStateTest {

  private static RuntimeState state(Host host) {
    return host.runtime.statistics().state();
  }

  @Test
  void closedRuntimeAnswersAndItsUptimeStands() {
    Host host = Host.open();
    assertThat(state(host)).isEqualTo(RuntimeState.OPEN);
    assertThat(host.runtime.statistics().uptimeNanos()).isZero();
    host.clock.advance(Duration.ofSeconds(7));
    RuntimeStatistics open = host.runtime.statistics();
    assertThat(open.uptimeNanos()).isEqualTo(7_000_000_000L);
    host.clock.advance(Duration.ofSeconds(2));
    assertThat(host.runtime.statistics().minus(open).uptimeNanos()).isEqualTo(2_000_000_000L);

    host.close();
    RuntimeStatistics closed = host.runtime.statistics();
    assertThat(closed.state()).isEqualTo(RuntimeState.CLOSED);
    assertThat(closed.uptimeNanos()).isEqualTo(9_000_000_000L);
    host.clock.advance(Duration.ofSeconds(1));
    assertThat(host.runtime.statistics()).isEqualTo(closed);
  }

  /** No caller has the runtime while it is opened, so its life is asked. */
  @Test
  void runtimeIsOpeningUntilItTakesCallsAndNeverOpensAfterAFailure() {
    Lifecycle opened = new Lifecycle();
    assertThat(opened.state()).isEqualTo(RuntimeState.OPENING);
    opened.open();
    assertThat(opened.state()).isEqualTo(RuntimeState.OPEN);

    Lifecycle failed = new Lifecycle();
    failed.fail(
        new Lifecycle.Failure(
            LogEvent.JOURNAL_FAILED, "what", "report", "reset", new IllegalStateException()));
    failed.open();
    assertThat(failed.state()).isEqualTo(RuntimeState.FAILED);
  }

  @Test
  void runtimeThatWaitsForACallIsClosing() throws Exception {
    Host host = Host.open();
    CompletableFuture<Void> blocker = new CompletableFuture<>();
    RunningCall running =
        host.start("a", (_, context) -> context.await(blocker.thenApply(_ -> "done")));
    running.awaitParked();
    RunningCall closing =
        host.start(
            () -> {
              host.close();
              return null;
            });
    closing.awaitParked();

    assertThat(state(host)).isEqualTo(RuntimeState.CLOSING);
    blocker.complete(null);
    assertThat(running.get()).isEqualTo("done");
    closing.get();
    assertThat(state(host)).isEqualTo(RuntimeState.CLOSED);
  }

  @Test
  void failedRuntimeAnswersUntilItIsClosed() {
    Host host = Host.open();
    host.journal.fail(new IllegalStateException("planned"));

    RuntimeStatistics failed = host.runtime.statistics();
    assertThat(failed.state()).isEqualTo(RuntimeState.FAILED);
    host.close();
    assertThat(state(host)).isEqualTo(RuntimeState.CLOSED);
  }

  @Test
  void recoveryIsMeasuredUpToItsEnd() {
    VirtualClock clock = new VirtualClock();
    InMemoryJournal journal = new InMemoryJournal();
    InMemoryBackend backend = new InMemoryBackend(journal);
    EngineBuilder builder =
        new EngineBuilder(objects -> objects.namespace("things", Thing.class, _ -> _ -> null));
    try (Recorded recorded = Recorded.events("Recovery")) {
      builder.beginRecovery(clock);
      clock.advance(Duration.ofSeconds(3));
      backend.recover(journal);
      builder.endRecovery(clock, Path.of("data"), 7);
      clock.advance(Duration.ofSeconds(5));
      try (ObjectRuntime runtime =
          builder
              .backend(StorageKind.SQLITE, backend)
              .open(journal, clock, new SplittableRandom(1))) {
        RuntimeStatistics statistics = runtime.statistics();
        assertThat(statistics.recovery()).isEqualTo(new RecoveryStatistics(3_000_000_000L, 7));
        assertThat(statistics.uptimeNanos()).as("begins later").isZero();
        assertThat(statistics.minus(statistics).recovery()).isEqualTo(statistics.recovery());
      }
      RecordedEvent event = recorded.all().getFirst();
      assertThat(event.getString("directory")).isEqualTo("data");
      assertThat(event.getLong("records")).isEqualTo(7);
    }
  }

  @Test
  void runtimeWithoutRecoveryHasRecoveredNothing() {
    try (Host host = Host.open()) {
      assertThat(host.runtime.statistics().recovery()).isEqualTo(RecoveryStatistics.NONE);
    }
  }
}
