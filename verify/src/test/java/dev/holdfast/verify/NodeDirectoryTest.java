package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.errors.DataDirectoryException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What reads a data directory does not take that of a node for one without objects. */
final class NodeDirectoryTest {

  @TempDir private Path parent;
  private Path data;

  @BeforeEach
  void node() throws Exception {
    data = parent.resolve("a");
    Files.createDirectories(data.resolve("shards/0000/journal"));
    Files.writeString(data.resolve("node"), "cluster=shop\nnode=a\nshards=1\n");
    Files.writeString(data.resolve("LOCK"), "");
  }

  private List<Path> files() throws Exception {
    try (Stream<Path> all = Files.walk(data)) {
      return all.sorted().toList();
    }
  }

  private void assertRefused(ThrowingCallable use, String remedy) throws Exception {
    List<Path> before = files();
    assertThatThrownBy(use)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("is that of a node of a cluster")
        .hasMessageContaining(remedy);
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void directoryOfANodeIsNotSound() throws Exception {
    assertRefused(() -> Verification.run(data, parent, true), "./holdfast cluster status");
  }

  @Test
  void directoryOfANodeIsNotReadAsOneWithoutObjects() throws Exception {
    assertRefused(() -> StoppedDirectory.read(data), "./holdfast cluster recover");
    assertRefused(() -> StoppedDirectory.change(data), "ClusterHoldfast.open");
  }

  @Test
  void directoryOfANodeIsNotBackedUpAsOneWithoutObjects() throws Exception {
    Path target = parent.resolve("backup");
    assertRefused(() -> Holdfast.backup(data, target), "A copy of the whole directory");
    assertThat(target).doesNotExist();
    assertRefused(
        () -> Holdfast.restore(data, target, RestoreRequest.of(new RestoreTarget.Latest())),
        "A copy of the whole directory");
  }
}
