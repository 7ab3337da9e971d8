package dev.holdfast.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.Verb;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code cluster certificates} writes, and what it refuses before it writes. */
final class CertificatesVerbTest {

  @TempDir private Path directory;

  private Path out() {
    return directory.resolve("certificates");
  }

  private int run(String option, String value) {
    return Verb.run(new ClusterCommand(), "certificates", "--out", out().toString(), option, value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,B", "a,ca", "a,b,a", "a,,b", "a,../b"})
  void namesThatCannotBeUsedAreRefusedBeforeAnythingIsWritten(String names) {
    assertThat(run("--nodes", names)).isEqualTo(2);
    assertThat(out()).doesNotExist();
    assertThat(run("--nodes", "a,b")).as("the corrected command").isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "36501", "2147483647"})
  void daysOutOfBoundsAreRefused(String days) {
    assertThat(run("--days", days)).isEqualTo(2);
    assertThat(out()).doesNotExist();
  }

  @Test
  void blanksBesideCommasAreNoPartOfAName() {
    assertThat(run("--nodes", "a, b ,c")).isZero();
    assertThat(List.of("ca.pem", "a.pem", "a.key", "b.pem", "b.key", "c.pem", "c.key"))
        .allSatisfy(file -> assertThat(out().resolve(file)).exists());
    assertThat(run("--nodes", "d")).as("there are certificates already").isEqualTo(2);
  }
}
