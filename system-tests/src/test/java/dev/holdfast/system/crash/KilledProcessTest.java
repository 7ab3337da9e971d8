package dev.holdfast.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.examples.crash.CrashTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The short version of {@code ./holdfast crash-test}; the long one with {@code -Pnightly}. */
final class KilledProcessTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  /** Also the seed of a failure to repeat: {@code -Dholdfast.test.args=-Dcrash.seed=...}. */
  private static final long SEED = Long.getLong("crash.seed", LONG ? nightlySeed() : 1);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  @Test
  void whatWasAnsweredSurvivesEveryKill() {
    CrashTest.Settings settings =
        LONG
            ? new CrashTest.Settings(directory, SEED, Duration.ofMinutes(10), Integer.MAX_VALUE)
            : new CrashTest.Settings(directory, SEED, Duration.ofSeconds(60), 4);

    CrashTest.Result result = new CrashTest(settings, System.out).run();

    assertThat(result.violations()).as("seed %d, data in %s", SEED, directory).isEmpty();
    assertThat(result.kills()).isGreaterThanOrEqualTo(LONG ? 20 : 1);
    assertThat(result.writes()).isGreaterThan(10);
    assertThat(result.checks()).isGreaterThan(30);
  }

  /** Another one each night; it is in the message of a failure. */
  private static long nightlySeed() {
    return new SplittableRandom().nextLong(1_000_000);
  }
}
