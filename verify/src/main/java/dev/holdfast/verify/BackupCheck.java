package dev.holdfast.verify;

import dev.holdfast.backup.BackupManifest;
import dev.holdfast.errors.BackupException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.StoredName;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/** Compares the files of a backup with its manifest. Does nothing in any other directory. */
final class BackupCheck {

  private static final String AGAIN =
      "Make a backup into another directory, and check the disk of this one.";

  private final Disk disk;
  private final Path directory;
  private final Consumer<Finding> findings;

  private BackupCheck(Disk disk, Path directory, Consumer<Finding> findings) {
    this.disk = disk;
    this.directory = directory;
    this.findings = findings;
  }

  static void run(Disk disk, Path directory, Consumer<Finding> findings) throws IOException {
    new BackupCheck(disk, directory, findings).run();
  }

  private void run() throws IOException {
    Path file = directory.resolve(BackupManifest.NAME);
    BackupManifest manifest;
    try {
      manifest = BackupManifest.read(disk, file);
    } catch (BackupException e) {
      report(file, e.getMessage() + ".", "The proof that the backup is whole.");
      return;
    }
    // A backup that was opened is a data directory of its own, and changes.
    if (manifest != null && !disk.exists(directory.resolve("LOCK"))) {
      for (Map.Entry<String, BackupManifest.Entry> each : manifest.files().entrySet()) {
        check(StoredName.resolve(directory, each.getKey()), each.getValue());
      }
    }
  }

  private void check(Path file, BackupManifest.Entry expected) throws IOException {
    if (!disk.exists(file)) {
      report(file, "The file is missing, and the manifest names it.", "The file.");
      return;
    }
    FileSum found = FileSum.of(disk, file);
    if (found.bytes() != expected.bytes()) {
      report(
          file,
          "The file has "
              + found.bytes()
              + " bytes; by the manifest it has "
              + expected.bytes()
              + ".",
          "See the other findings.");
    } else if (found.checksum() != expected.checksum()) {
      report(file, "The checksum is not the one in the manifest.", "See the other findings.");
    }
  }

  private void report(Path file, String meaning, String lost) {
    findings.accept(
        new Finding(
            Severity.ERROR, FindingKind.BACKUP_DAMAGED, file, 0, null, meaning, lost, AGAIN));
  }
}
