package dev.holdfast.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.junit.Counter.CounterObject;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.simulation.HoldfastControl;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests treat objects as a cluster would, unless they say otherwise. */
class ShardRulesModeTest {

  private static final int VALUE_BYTES = 100_000;

  /** Values that make more than 56 MiB. */
  private static final int MANY = 600;

  @RegisterObjects
  static void objects(ObjectRegistrar objects) {
    objects
        .namespace("counters", Counter.class, CounterObject::new)
        .options(RuntimeOptions.DEFAULT.withCloseTimeout(Duration.ofSeconds(20)));
  }

  private static ObjectRecovery recovery(
      ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    counters.getByName("ann").add(1);
    return holdfast.runtime().recovery(counters.name(), counters.idFromName("ann"));
  }

  private static int write(ObjectNamespace<Counter> counters, HoldfastControl holdfast, int count) {
    return holdfast.inObject(
        counters,
        counters.idFromName("bob"),
        (_, storage) -> {
          byte[] value = new byte[VALUE_BYTES];
          SplittableRandom random = new SplittableRandom(1);
          for (int each = 0; each < count; each++) {
            random.nextBytes(value); // zeros take no room in a batch
            storage.put("key" + each, value);
          }
          return count;
        });
  }

  private static void refuses(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
    ObjectRecovery ann = recovery(counters, holdfast);
    String bookmark = ann.history(1).entries().getFirst().bookmark();

    assertThatThrownBy(() -> ann.fork(bookmark, "copy")).isInstanceOf(MisuseException.class);
    ann.fork(bookmark, "copy", counters.idFromName("ann"));
    assertThat(counters.getByName("copy", counters.idFromName("ann")).value()).isOne();

    assertThatThrownBy(() -> write(counters, holdfast, MANY))
        .isInstanceOf(InstanceResetException.class)
        .hasCauseInstanceOf(CommitRefusedException.class)
        .hasStackTraceContaining("56 MiB");
    assertThat(write(counters, holdfast, MANY / 2)).isEqualTo(MANY / 2);
  }

  /** With the journal in memory. */
  @Nested
  @HoldfastTest
  class InMemory {

    @Test
    void ofAClusterApply(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
      refuses(counters, holdfast);
    }
  }

  /** With the journal in files. */
  @Nested
  @HoldfastTest(HoldfastTest.Mode.FILES)
  class InFiles {

    @Test
    void ofAClusterApply(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
      refuses(counters, holdfast);
    }
  }

  /** As on one machine. */
  @Nested
  @HoldfastTest(shardRules = false)
  class OfOneMachine {

    @Test
    void allowMore(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
      ObjectRecovery ann = recovery(counters, holdfast);
      ann.fork(ann.history(1).entries().getFirst().bookmark(), "copy");

      assertThat(counters.getByName("copy").value()).isOne();
      assertThat(write(counters, holdfast, MANY)).isEqualTo(MANY);
    }
  }
}
