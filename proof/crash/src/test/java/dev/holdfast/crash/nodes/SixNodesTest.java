package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The short form of the test of more nodes than copies. */
final class SixNodesTest {

  @TempDir private Path directory;

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void promisesAreKept() throws Exception {
    NodesCrashTest.Settings settings =
        new NodesCrashTest.Settings(directory, 6, 1, Duration.ofSeconds(60), null);

    NodesCrashTest.Result result = new NodesCrashTest(settings, System.out).run();

    assertThat(result.isKept()).as("%s", result).isTrue();
  }
}
