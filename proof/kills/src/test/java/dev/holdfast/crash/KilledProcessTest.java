package dev.holdfast.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The short version of {@code ./holdfast crash-test}; the long one with {@code -Pnightly}. */
final class KilledProcessTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  /** Also the seed of a failure to repeat: {@code -Dholdfast.test.args=-Dcrash.seed=...}. */
  private static final long SEED = Long.getLong("crash.seed", LONG ? nightlySeed() : 1);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  /** A short run has objects of both engines in one process; a long one has each alone, too. */
  private static List<CrashStorage> storages() {
    return LONG ? List.of(CrashStorage.values()) : List.of(CrashStorage.BOTH);
  }

  @ParameterizedTest
  @MethodSource("storages")
  void whatWasAnsweredSurvivesEveryKill(CrashStorage storage) {
    CrashTest.Settings settings =
        LONG
            ? new CrashTest.Settings(
                directory, SEED, Duration.ofMinutes(5), Integer.MAX_VALUE, storage)
            : new CrashTest.Settings(directory, SEED, Duration.ofMinutes(10), 1, storage);

    CrashTest.Result result = new CrashTest(settings, System.out).run();

    assertThat(result.violations())
        .as("%s, seed %d, data in %s", storage, SEED, directory)
        .isEmpty();
    assertThat(result.kills()).isGreaterThanOrEqualTo(LONG ? 20 : 1);
    assertThat(result.writes()).isPositive();
    assertThat(result.checks()).isGreaterThan(30);
  }

  /** A different one each night; the message of a failure has it. */
  private static long nightlySeed() {
    return new SplittableRandom().nextLong(1_000_000);
  }
}
