package dev.holdfast.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.junit.Counter.CounterObject;
import dev.holdfast.simulation.HoldfastControl;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A runtime with real files, for each test. */
@HoldfastTest(HoldfastTest.Mode.FILES)
class FilesModeTest {

  @RegisterObjects
  static void objects(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, CounterObject::new);
  }

  @Test
  void crashKeepsWhatWasAnswered(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    counters.getByName("ann").add(3);
    holdfast.crash();
    assertThat(counters.getByName("ann").value()).isEqualTo(3);
    holdfast.restart();
    assertThat(counters.getByName("ann").add(1)).isEqualTo(4);
  }

  @Test
  void failedSyncFailsTheCallAndEndsTheJournal(
      ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    counters.getByName("ann").add(1);
    holdfast.disk().failNextSync();
    assertThatThrownBy(() -> counters.getByName("ann").add(1))
        .isInstanceOf(HoldfastException.class);
    holdfast.restart();
    assertThat(counters.getByName("ann").value()).isBetween(1L, 2L);
  }

  @Test
  void fullDiskRefusesWritesAndLosesNothing(
      ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    Counter ann = counters.getByName("ann");
    AtomicLong answered = new AtomicLong(ann.add(1));
    holdfast.disk().fill();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100_000; i++) {
                answered.set(ann.add(1));
              }
            })
        .isInstanceOf(HoldfastException.class);
    holdfast.disk().free();
    holdfast.restart();
    assertThat(counters.getByName("ann").value()).isEqualTo(answered.get());
  }
}
