package dev.holdfast.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.backup.BackupTarget.Part;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every copy of a directory is made of: copied, checked, made durable, deleted. */
final class CopiedTreeTest {

  /** More than a chunk, and no multiple of one. */
  private static final int LONG_BYTES = (1 << 20) + 4711;

  private static final int IMAGES = 8;

  @TempDir private Path directory;
  private final Disk disk = new FileDisk();
  private Path from;

  @BeforeEach
  void writeFiles() throws IOException {
    from = directory.resolve("from");
    Files.createDirectories(from.resolve("a/b"));
    byte[] content = new byte[LONG_BYTES];
    Arrays.fill(content, (byte) 7);
    content[LONG_BYTES - 1] = 1;
    Files.write(from.resolve("a/b/long"), content);
    Files.writeString(from.resolve("a/short"), "short");
    Files.writeString(from.resolve("LOCK"), "of a process");
    Files.createFile(from.resolve("empty"));
  }

  @Test
  void copyHasAllFilesThatAreWanted() throws IOException {
    Path to = directory.resolve("to");
    Files.createSymbolicLink(from.resolve("link"), directory);

    FileTree.Copied copied = FileTree.copy(disk, from, to, file -> !file.equals(Path.of("LOCK")));

    assertThat(copied).isEqualTo(new FileTree.Copied(3, LONG_BYTES + 5));
    for (String name : List.of("a/b/long", "a/short", "empty")) {
      assertThat(to.resolve(name)).hasSameBinaryContentAs(from.resolve(name));
    }
    assertThat(to.resolve("LOCK")).doesNotExist();
    assertThat(to.resolve("link")).doesNotExist();
  }

  @Test
  void copyWithoutRoomIsRefused() {
    Disk full =
        new ForwardingDisk(disk) {
          @Override
          public long usableBytes(Path path) {
            return 256L << 20;
          }
        };

    assertThatThrownBy(() -> FileTree.copy(full, from, directory.resolve("to"), _ -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no room");
  }

  @Test
  void forcedDirectorySurvivesAPowerCut() throws IOException {
    Path root = Files.createDirectory(directory.resolve("root"));
    PowerLossDisk power = new PowerLossDisk(root);
    Path to = root.resolve("to");
    FileTree.copy(power, from, to, _ -> true);
    FileTree.force(power, to);
    power.forceDirectory(root);

    requireSurvives(power);
  }

  @Test
  void filesAndTheirNamesSurviveAPowerCut() throws IOException {
    Path root = Files.createDirectory(directory.resolve("root"));
    PowerLossDisk power = new PowerLossDisk(root);
    Path to = root.resolve("to");
    FileTree.copy(power, from, to, _ -> true);
    List<Path> files =
        List.of(
            to.resolve("a/b/long"), to.resolve("a/short"), to.resolve("LOCK"), to.resolve("empty"));
    FileTree.forceFiles(power, files);
    FileTree.forceNames(power, files, root);

    requireSurvives(power);
  }

  private void requireSurvives(PowerLossDisk power) throws IOException {
    for (int seed = 0; seed < IMAGES; seed++) {
      Path image = Files.createDirectory(directory.resolve("image-" + seed));
      power.writeCrashImage(image, seed);
      for (String name : List.of("a/b/long", "a/short", "LOCK", "empty")) {
        assertThat(image.resolve("to").resolve(name)).hasSameBinaryContentAs(from.resolve(name));
      }
    }
  }

  @Test
  void sumIsTheOneOfTheFileHoweverItIsMade() throws IOException {
    Path file = from.resolve("a/b/long");
    FileSum sum = FileSum.of(Files.readAllBytes(file));

    assertThat(FileSum.of(disk, file)).isEqualTo(sum);
    assertThat(FileTree.copyFile(disk, file, directory.resolve("copy"))).isEqualTo(sum);
    Files.write(file, new byte[] {1, 2, 3});
    assertThat(FileSum.of(disk, file)).isNotEqualTo(sum);
  }

  @Test
  void partIsFilledUpAndSummed() throws IOException {
    Path to = directory.resolve("part");
    Part part = new Part(LONG_BYTES - 100, LONG_BYTES + 50, /* isImmutable= */ false);
    Source source = new Source("part", from.resolve("a/b/long"), part, () -> null);
    FileSum sum;
    try (DiskFile copy = disk.open(to, Disk.Mode.CREATE)) {
      sum = source.copy(disk, copy);
    }

    byte[] expected = Files.readAllBytes(source.file());
    expected = Arrays.copyOf(Arrays.copyOf(expected, LONG_BYTES - 100), LONG_BYTES + 50);
    assertThat(Files.readAllBytes(to)).isEqualTo(expected);
    assertThat(sum).isEqualTo(FileSum.of(expected)).isEqualTo(FileSum.of(disk, to));
  }

  @Test
  void onlyWhatNeverChangesIsLinked() throws IOException {
    Path file = from.resolve("a/short");
    Path to = directory.resolve("linked");

    assertThat(Source.whole("short", file, () -> null).link(to)).isFalse();
    assertThat(to).doesNotExist();
    assertThat(new Source("short", file, Part.IMMUTABLE, () -> null).link(to)).isTrue();
    assertThat(Files.isSameFile(to, file)).isTrue();
  }

  @Test
  void deletionTakesLinksAndNotWhereTheyLead() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    Files.writeString(other.resolve("file"), "stays");
    Files.createSymbolicLink(from.resolve("a/link"), other);
    Files.createSymbolicLink(from.resolve("a/broken"), directory.resolve("missing"));

    FileTree.delete(disk, from);
    FileTree.delete(disk, directory.resolve("missing"));

    assertThat(from).doesNotExist();
    assertThat(other.resolve("file")).hasContent("stays");
  }
}
