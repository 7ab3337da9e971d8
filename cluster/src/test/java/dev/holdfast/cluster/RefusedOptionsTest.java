package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.cluster.errors.ClusterException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options that would have no effect in a cluster are refused before anything is touched. */
final class RefusedOptionsTest {

  @TempDir private Path directory;

  @Test
  void archiveIsRefused() {
    ArchiveStore unused =
        (ArchiveStore)
            Proxy.newProxyInstance(
                ArchiveStore.class.getClassLoader(),
                new Class<?>[] {ArchiveStore.class},
                (_, method, _) -> {
                  throw new AssertionError(method);
                });
    assertRefused(RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(unused)), "withArchive");
  }

  @Test
  void operationIsRefused() {
    assertRefused(objects -> objects.operation("count", (_, _) -> Map.of()), "operation");
  }

  private void assertRefused(RuntimeOptions options, String name) {
    assertRefused(objects -> objects.options(options), name);
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
