package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.FileDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a directory is not made. */
final class StagedDirectoryTest {

  @TempDir private Path directory;

  /** Also below directories that are missing, and behind a link. */
  @Test
  void placeInTheSourceIsRefusedAndNothingIsMadeThere() throws Exception {
    Path source = Files.createDirectory(directory.resolve("source"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), source);

    for (Path target : new Path[] {source.resolve("new/deeper/made"), link.resolve("new/made")}) {
      assertThatThrownBy(
              () ->
                  StagedDirectory.make(
                      target, ".making", new FileDisk(), source, (_, made) -> made))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("not apart");
    }

    assertThat(source).isEmptyDirectory();
  }
}
