package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What an idle object that is in memory costs. */
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
    assertThat(run("-Xmx2g", "1000000")).contains("1000000 live objects");
  }

  private static String run(String heap, String count) throws IOException, InterruptedException {
    Process process = ChildJvm.start(List.of(), List.of(heap), LiveObjects.class, count);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
