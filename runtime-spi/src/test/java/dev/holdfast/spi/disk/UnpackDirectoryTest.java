package dev.holdfast.spi.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where native libraries are unpacked. */
final class UnpackDirectoryTest {

  private static final String PREFIX = "library-";

  @TempDir private Path parent;

  @Test
  void closedDirectoryIsGoneWithItsFiles() throws IOException {
    try (UnpackDirectory directory = UnpackDirectory.create(parent, PREFIX)) {
      Files.writeString(directory.path().resolve("library.so"), "code");
    }

    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void directoryOfAProcessThatWasKilledIsDeleted() throws IOException {
    Path left = left("library-1", 2);

    UnpackDirectory.create(parent, PREFIX).close();

    assertThat(left).doesNotExist();
  }

  @Test
  void directoryThatAnotherProcessMayStillUseStays() throws IOException {
    Path used = left("library-2", 0);

    UnpackDirectory.create(parent, PREFIX).close();

    assertThat(used).isDirectory();
  }

  @Test
  void whatIsNotALeftDirectoryStays() throws IOException {
    Path other = left("letters-1", 2);
    Path target = left("letters-2", 2);
    Path link = Files.createSymbolicLink(parent.resolve("library-3"), target);
    Path file = Files.writeString(parent.resolve("library-4"), "a file");
    Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    Path filled = left("library-5", 2);
    Files.createDirectory(filled.resolve("directory"));
    Files.writeString(filled.resolve("directory").resolve("letter.txt"), "kept");
    Files.setLastModifiedTime(filled, FileTime.fromMillis(0));

    UnpackDirectory.create(parent, PREFIX).close();

    try (Stream<Path> all = Files.list(parent)) {
      assertThat(all)
          .containsExactlyInAnyOrderElementsOf(List.of(other, target, link, file, filled));
    }
    assertThat(target.resolve("library.so")).exists();
    assertThat(filled.resolve("directory").resolve("letter.txt")).exists();
  }

  private Path left(String name, int hours) throws IOException {
    Path left = Files.createDirectory(parent.resolve(name));
    Files.writeString(left.resolve("library.so"), "code");
    FileTime now = Files.getLastModifiedTime(left);
    Files.setLastModifiedTime(left, FileTime.fromMillis(now.toMillis() - hours * 3_600_000L));
    return left;
  }
}
