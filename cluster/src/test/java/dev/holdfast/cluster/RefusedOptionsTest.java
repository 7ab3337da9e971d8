package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.cluster.errors.ClusterException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options that would have no effect in a cluster are refused before anything is touched. */
final class RefusedOptionsTest {

  @TempDir private Path directory;

  @Test
  void boundOfTheHistoryIsRefused() {
    assertRefused(RuntimeOptions.DEFAULT.withHistoryBytesMax(1 << 20), "withHistoryBytesMax");
  }

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

  private void assertRefused(RuntimeOptions options, String name) {
    Path data = directory.resolve("data");
    assertThatThrownBy(
            () ->
                ClusterHoldfast.open(
                    data,
                    ClusterOptions.of("shop").node("a").members("a=127.0.0.1:1"),
                    objects -> objects.options(options)))
        .isInstanceOfSatisfying(
            ClusterException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(ClusterException.Reason.UNSUPPORTED))
        .hasMessageContaining(name);
    assertThat(data).doesNotExist();
  }
}
