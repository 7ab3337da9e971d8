package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The engine takes the recorded way through random programs, step by step. A change that is meant
 * to keep the behaviour keeps these hashes; one that is not records them again, with {@link
 * TraceRecorder}.
 */
final class TraceReplayTest {

  @Test
  void everyRecordedInterleavingIsTheSame() throws Exception {
    // On one processor the engine does not spin before it queues, which is another way.
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
    try (BufferedReader recorded =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(TraceReplayTest.class.getResourceAsStream("traces.txt")),
                StandardCharsets.US_ASCII))) {
      List<String> hashes = recorded.lines().toList();

      assertThat(hashes).hasSizeGreaterThan(100);
      assertThat(TraceRecorder.differing(hashes)).as("seeds whose traces differ").isEmpty();
    }
  }
}
