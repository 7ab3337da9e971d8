package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.system.process.Mounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryErrorsTest {

  @TempDir private Path parent;

  @Test
  void directoryInUseByAnotherProcessIsRefusedUntilThatIsKilled() {
    Path directory = parent.resolve("data");
    try (ChildJvm other = StoreHost.start(List.of())) {
      StoreHost.ask(other, "open " + directory, "OPENED");

      assertThatThrownBy(() -> open(directory))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining(directory.toString());

      other.kill();
      assertThat(other.wasKilled()).isTrue();
      open(directory).close();
    }
  }

  @Test
  void directoryInUseByThisProcessIsRefused() {
    try (ObjectRuntime runtime = open(parent)) {
      assertThatThrownBy(() -> open(parent)).isInstanceOf(DirectoryInUseException.class);
      assertThat(Probe.in(runtime).run(null)).isNull();
    }
  }

  @Test
  void directoryInUseThroughASymbolicLinkIsRefused() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("data"));
    Path link = Files.createSymbolicLink(parent.resolve("link"), directory);
    try (ObjectRuntime runtime = open(directory)) {
      assertThatThrownBy(() -> open(link)).isInstanceOf(DirectoryInUseException.class);
      assertThat(Probe.in(runtime).run(null)).isNull();
    }
  }

  @Test
  void fileInPlaceOfTheDirectoryIsRefused() throws IOException {
    Path file = Files.writeString(parent.resolve("data"), "a file");

    assertThatThrownBy(() -> open(file))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(file.toString());
    assertThat(file).hasContent("a file");
  }

  @Test
  void directoryBelowAFileIsRefused() throws IOException {
    Path file = Files.writeString(parent.resolve("file"), "a file");

    assertThatThrownBy(() -> open(file.resolve("data")))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void readOnlyFileSystemIsRefused() {
    List<String> mount = Mounts.small("size=4m,ro", parent);
    Mounts.assumePossible(mount);
    try (ChildJvm child = StoreHost.start(mount)) {
      String answer = StoreHost.ask(child, "open " + parent.resolve("data"), "FAILED");

      assertThat(answer)
          .contains(DataDirectoryException.class.getName())
          .contains(parent.resolve("data").toString())
          .contains("ead-only");
    }
  }

  private static ObjectRuntime open(Path directory) {
    return Probe.open(directory, (context, argument) -> null);
  }
}
