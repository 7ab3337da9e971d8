package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that would have no effect in a cluster are refused before anything is touched. */
final class RefusedOptionsTest {

  @TempDir private Path directory;

  @Test
  void operationIsRefused() {
    assertRefused(objects -> objects.operation("count", (_, _) -> Map.of()), "operation");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "shop\n", " shop", "sh\u0000op"})
  void nameOfAClusterIsOneLineWithoutBlanksAroundIt(String name) {
    assertThatThrownBy(() -> ClusterOptions.of(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without blanks around them");
  }

  @Test
  void timesAreChecked() {
    ClusterOptions options = ClusterOptions.of("shop");
    for (Duration each : List.of(Duration.ofMillis(99), Duration.ofMinutes(6))) {
      assertThatThrownBy(() -> options.withFailover(each))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("from 100 ms to 5 min");
    }
    for (Duration each : List.of(Duration.ZERO, Duration.ofMillis(-1))) {
      assertThatThrownBy(() -> options.withRouteTimeout(each))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void membersHavePortsOfTheirOwn() {
    assertThatThrownBy(
            () ->
                ClusterOptions.of("shop")
                    .node("a")
                    .members("a=127.0.0.1:7400", "b=127.0.0.1:7401", "c=127.0.0.1:7410")
                    .self())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Members a and b have port 7401 of 127.0.0.1 in common");
  }

  @Test
  void membersOfAClientHaveAddressesOfTheirOwn() {
    ClusterOptions options = ClusterOptions.of("shop").client("web");
    assertThatThrownBy(() -> options.members("a=127.0.0.1:7400", "b=127.0.0.1:7400").clientName())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Members a and b have port 7400 of 127.0.0.1 in common");
    assertThat(options.members("a=127.0.0.1:7400", "b=127.0.0.1:7401").clientName().name())
        .as("the ports of logs are not used")
        .isEqualTo("web");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a=127.0.0.1:7400,b=127.0.0.1:7410",
        "a=http://machine:7400",
        "a=machine a:7400",
        "a=b=machine:7400"
      })
  void memberIsOneNameAndOneAddress(String member) {
    ClusterOptions options = ClusterOptions.of("shop");
    assertThatThrownBy(() -> options.members(member))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("each in a separate text, not \"" + member);
  }

  /** The logs would say it with the trace of an engine that ends the process. */
  @Test
  void portOfTheLogsThatIsTakenIsRefused() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String member = "a=127.0.0.1:" + (taken.getLocalPort() - 1);
      assertThatThrownBy(() -> open(ClusterOptions.of("shop").node("a").members(member)))
          .isInstanceOfSatisfying(
              ClusterException.class,
              thrown -> assertThat(thrown.reason()).isEqualTo(ClusterException.Reason.UNREACHABLE))
          .hasMessageContaining("cannot listen at /127.0.0.1:" + taken.getLocalPort())
          .hasMessageContaining("a port that is free");
    }
  }

  @Test
  void twoFirstMembersAreTooFew() {
    assertThatThrownBy(
            () ->
                open(ClusterOptions.of("shop").node("a").members("a=127.0.0.1:7", "b=127.0.0.1:9")))
        .isInstanceOfSatisfying(
            ClusterException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(ClusterException.Reason.MEMBER_COUNT));
  }

  @Test
  void plaintextBeyondThisMachineIsRefusedBeforeTheDirectoryIsMade() {
    assertThatThrownBy(
            () ->
                open(
                    ClusterOptions.of("shop")
                        .node("a")
                        .members("a=127.0.0.1:7400", "b=10.0.0.2:7400", "c=10.0.0.3:7400")))
        .isInstanceOfSatisfying(
            ClusterException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(ClusterException.Reason.PLAINTEXT));
    assertThat(directory.resolve("data")).doesNotExist();
  }

  private void open(ClusterOptions options) {
    ClusterHoldfast.open(directory.resolve("data"), options, _ -> {});
  }

  private void assertRefused(Consumer<ObjectRegistrar> objects, String name) {
    Path data = directory.resolve("data");
    assertThatThrownBy(
            () ->
                ClusterHoldfast.open(
                    data, ClusterOptions.of("shop").node("a").members("a=127.0.0.1:1"), objects))
        .isInstanceOfSatisfying(
            ClusterException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(ClusterException.Reason.UNSUPPORTED))
        .hasMessageContaining(name);
    assertThat(data).doesNotExist();
  }
}
