package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The numbers of a whole runtime on both storage engines. */
final class RuntimeStatisticsTest {

  @TempDir Path directory;

  private final VirtualClock clock = new VirtualClock();

  private ObjectRuntime open() {
    return Runtimes.open(
        directory,
        clock,
        objects ->
            objects
                .namespace("tables", Scripted.class, Scripted::of)
                .namespace(
                    "pairs",
                    Scripted.class,
                    Scripted::of,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private static void put(ObjectRuntime runtime, String namespace, String name, String value) {
    Scripted object = runtime.namespace(namespace, Scripted.class).getByName(name);
    Scripted.in(
        object,
        context -> {
          context.storage().put("key", value);
          return true;
        });
  }

  @Test
  void callsOfBothEnginesMoveTheNumbersOfTheJournalAndOfTheirOwn() {
    try (ObjectRuntime runtime = open()) {
      RuntimeStatistics opened = runtime.statistics();
      assertThat(opened.state()).isEqualTo(RuntimeState.OPEN);
      assertThat(opened.databases().openings()).isZero();

      put(runtime, "tables", "a", "value");
      RuntimeStatistics tables = runtime.statistics().minus(opened);
      assertThat(tables.journal().records()).isEqualTo(1);
      assertThat(tables.journal().groups()).isEqualTo(1);
      assertThat(tables.databases().openings()).isEqualTo(1);
      assertThat(tables.databases().open()).isEqualTo(1);
      assertThat(tables.databases().unsaved()).isEqualTo(1);
      assertThat(tables.databases().saves()).isZero();

      RuntimeStatistics before = runtime.statistics();
      put(runtime, "pairs", "a", "value");
      RuntimeStatistics pairs = runtime.statistics().minus(before);
      assertThat(pairs.journal().records()).isEqualTo(1);
      assertThat(pairs.databases().openings()).isZero();
      assertThat(pairs.rocksDb().pendingBatches()).isEqualTo(1);
      assertThat(pairs.rocksDb().pendingBytes()).isPositive();

      clock.advance(Duration.ofMinutes(3));
      assertThat(runtime.statistics().uptimeNanos()).isEqualTo(Duration.ofMinutes(3).toNanos());
    }
  }

  @Test
  void closedRuntimeHasItsLastNumbers() {
    ObjectRuntime runtime = open();
    put(runtime, "tables", "a", "value");
    put(runtime, "pairs", "a", "value");
    runtime.close();

    RuntimeStatistics closed = runtime.statistics();
    assertThat(closed.state()).isEqualTo(RuntimeState.CLOSED);
    assertThat(closed.journal().waiters()).isZero();
    assertThat(closed.journal().durablePosition()).isEqualTo(closed.journal().lastPosition());
    assertThat(closed.databases().open()).isZero();
    assertThat(closed.databases().closings()).isEqualTo(1);
    assertThat(closed.databases().saves()).isEqualTo(1);
    assertThat(closed.databases().unsaved()).isZero();
    assertThat(closed.rocksDb().pendingBatches()).isZero();
    assertThat(closed.rocksDb().tableBytes()).isPositive();
    clock.advance(Duration.ofMinutes(3));
    assertThat(runtime.statistics()).isEqualTo(closed);

    try (ObjectRuntime again = open()) {
      RuntimeStatistics opened = again.statistics();
      assertThat(opened.journal().lastPosition()).isEqualTo(closed.journal().lastPosition());
      assertThat(opened.journal().records()).isZero();
      assertThat(opened.recovery().records()).isEqualTo(closed.journal().lowWaterLag());
      assertThat(opened.databases().redoneBatches()).isZero();
      assertThat(opened.rocksDb().redoneBatches()).isZero();
    }
  }
}
