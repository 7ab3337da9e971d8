package dev.holdfast.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.junit.Counter.CounterObject;
import dev.holdfast.simulation.HoldfastControl;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A runtime in memory, for each test. */
@HoldfastTest
class MemoryModeTest {

  private Counter ann;

  @RegisterObjects
  static void objects(ObjectRegistrar objects) {
    objects
        .namespace("counters", Counter.class, CounterObject::new)
        .namespace("others", Counter.class, CounterObject::new);
  }

  @BeforeEach
  void given(ObjectNamespace<Counter> counters) {
    ann = counters.getByName("ann");
  }

  @Test
  void eachTestBeginsEmpty() {
    assertThat(ann.add(1)).isEqualTo(1);
  }

  @Test
  void eachTestBeginsEmptyAgain() {
    assertThat(ann.add(1)).isEqualTo(1);
  }

  @Test
  void parametersAreThoseOfTheRuntime(
      ObjectNamespace<Counter> counters,
      ObjectNamespace<Counter> others,
      ObjectRuntime runtime,
      VirtualClock clock,
      HoldfastControl holdfast) {
    assertThat(counters.name()).isEqualTo("counters");
    assertThat(others.name()).isEqualTo("others");
    assertThat(holdfast.runtime()).isSameAs(runtime);
    assertThat(holdfast.clock()).isSameAs(clock);
  }

  @Test
  void crashKeepsWhatWasAnswered(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    ann.add(3);
    ann.addUnconfirmed(4);
    holdfast.crash();
    assertThat(counters.getByName("ann").value()).isEqualTo(3);
  }

  @Test
  void restartKeepsEverything(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    ann.add(3);
    ann.addUnconfirmed(4);
    holdfast.restart();
    assertThat(counters.getByName("ann").value()).isEqualTo(7);
    assertThatThrownBy(() -> ann.value()).isInstanceOf(HoldfastException.class);
  }

  @Test
  void crashAtAStepLosesTheCallOfThatStep(
      ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    holdfast.crashAt(3);
    counters.getByName("ann").add(1);
    assertThat(holdfast.steps()).hasSize(2);
    assertThatThrownBy(() -> counters.getByName("ann").add(1))
        .isInstanceOf(HoldfastException.class);
    holdfast.crash();
    assertThat(counters.getByName("ann").value()).isEqualTo(1);
  }

  @Test
  void evictedAndResetObjectsBeginAgain(
      ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    ann.add(1);
    assertThat(calls(counters, holdfast)).isEqualTo(1);
    assertThat(holdfast.evict(counters, counters.idFromName("ann"))).isTrue();
    assertThat(calls(counters, holdfast)).isZero();
    ann.add(1);
    assertThat(holdfast.reset(counters, counters.idFromName("ann"))).isTrue();
    assertThat(calls(counters, holdfast)).isZero();
    assertThat(ann.value()).isEqualTo(2);
  }

  private static int calls(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    return holdfast.inObject(
        counters, counters.idFromName("ann"), (object, _) -> ((CounterObject) object).calls);
  }

  @Test
  void codeInAnObjectWritesAndFails(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    holdfast.inObject(
        counters,
        counters.idFromName("ann"),
        (_, storage) -> {
          storage.put("value", 12L);
          return null;
        });
    assertThat(ann.value()).isEqualTo(12);
    assertThatThrownBy(
            () ->
                holdfast.inObject(
                    counters,
                    counters.idFromName("ann"),
                    (_, _) -> {
                      throw new IllegalStateException("planned");
                    }))
        .hasMessage("planned");
  }

  @Test
  void alarmsFireWhenTheTestSaysSo(
      ObjectNamespace<Counter> counters, VirtualClock clock, HoldfastControl holdfast) {
    ann.remindIn(Duration.ofDays(30));
    assertThat(holdfast.pendingAlarms(counters)).hasSize(1);
    assertThat(holdfast.runAlarm(counters, counters.idFromName("ann"))).isTrue();
    assertThat(ann.reminders()).isEqualTo(1);
    assertThat(holdfast.runAlarm(counters, counters.idFromName("ann"))).isFalse();
    ann.remindIn(Duration.ofDays(30));
    clock.advance(Duration.ofDays(31));
    assertThat(ann.reminders()).isEqualTo(2);
    assertThat(holdfast.pendingAlarms(counters)).isEmpty();
  }

  @Test
  void diskIsForRealFiles(HoldfastControl holdfast) {
    assertThatThrownBy(holdfast::disk)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("real files");
  }
}
