package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options that would have no effect in a cluster are refused before anything is touched. */
final class RefusedOptionsTest {

  @TempDir private Path directory;

  @Test
  void operationIsRefused() {
    assertRefused(objects -> objects.operation("count", (_, _) -> Map.of()), "operation");
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
