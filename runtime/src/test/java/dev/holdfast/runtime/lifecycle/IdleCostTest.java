package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.TestProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The memory of an idle object. */
final class IdleCostTest {

  /** The goal; the object's own state is a few bytes of it. */
  private static final long BYTES_MAX = 1_024;

  @Test
  void idleLiveObjectTakesLessThanAKibibyte() {
    assertThat(LiveObjects.bytesEach(20_000)).isBetween(1L, BYTES_MAX);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void millionLiveObjectsFitInTwoGibibytes() throws Exception {
    assertThat(TestProcess.of(LiveObjects.class, "1000000").options("-Xmx2g").run())
        .anySatisfy(line -> assertThat(line).contains("1000000 live objects"));
  }
}
