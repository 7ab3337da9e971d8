package dev.holdfast.ledger.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoDirectoryTest {

  @TempDir private Path parent;

  @Test
  void missingDirectoryIsMade() {
    DemoDirectory directory = DemoDirectory.prepare(parent.resolve("a/b"));

    assertThat(directory.root()).isDirectory();
  }

  @Test
  void ledgerOfAnEarlierDemoIsDeletedAndNothingElse() throws IOException {
    DemoDirectory earlier = DemoDirectory.prepare(parent);
    Files.createDirectories(earlier.ledger().resolve("journal"));
    Files.writeString(earlier.ledger().resolve("journal/1.log"), "old");
    Files.writeString(parent.resolve("notes.txt"), "mine");

    DemoDirectory directory = DemoDirectory.prepare(parent);

    assertThat(directory.ledger()).doesNotExist();
    assertThat(parent.resolve("notes.txt")).exists();
  }

  @Test
  void directoryOfSomethingElseIsLeftAlone() throws IOException {
    Path file = Files.writeString(parent.resolve("notes.txt"), "mine");

    assertThatThrownBy(() -> DemoDirectory.prepare(parent))
        .isInstanceOf(WrongInputException.class)
        .hasMessageContaining("--data");
    assertThat(file).exists();
  }

  @Test
  void fileInPlaceOfTheDirectoryIsRefused() throws IOException {
    Path file = Files.writeString(parent.resolve("file"), "mine");

    assertThatThrownBy(() -> DemoDirectory.prepare(file))
        .isInstanceOf(WrongInputException.class)
        .hasMessageContaining("is not a directory");
  }
}
