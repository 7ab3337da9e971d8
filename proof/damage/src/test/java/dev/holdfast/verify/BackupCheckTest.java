package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.spi.verify.FindingKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups are data directories, and each of their files is as the manifest says. */
final class BackupCheckTest {

  @TempDir private Path parent;

  @Test
  void eachFileOfABackupIsComparedWithItsManifest() throws IOException {
    Path data = parent.resolve("data");
    Path backup = parent.resolve("backup");
    SampleDirectory.writeClosed(data, true);
    try (ObjectRuntime runtime = SampleDirectory.open(data, true)) {
      runtime.backup(backup);
    }
    assertThat(Verification.run(backup, parent, true).findings()).isEmpty();
    for (Path file : files(backup)) {
      byte[] right = Files.readAllBytes(file);
      byte[] wrong = right.clone();
      wrong[right.length / 2] ^= 1;
      Files.write(file, wrong);
      assertThat(Verification.run(backup, parent, false).findings())
          .describedAs("%s", file)
          .anyMatch(each -> each.kind() == FindingKind.BACKUP_DAMAGED && each.file().equals(file));
      Files.write(file, right);
    }
    Files.delete(backup.resolve("journal.mark"));
    assertThat(Verification.run(backup, parent, false).findings())
        .anyMatch(each -> each.kind() == FindingKind.BACKUP_DAMAGED);
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      return found
          .filter(Files::isRegularFile)
          .filter(file -> file.toFile().length() > 0)
          .sorted()
          .toList();
    }
  }
}
