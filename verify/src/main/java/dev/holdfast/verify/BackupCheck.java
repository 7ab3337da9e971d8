package dev.holdfast.verify;

import dev.holdfast.backup.BackupManifest;
import dev.holdfast.errors.BackupException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.StoredName;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** Compares the files of a backup with its manifest. Does nothing in any other directory. */
final class BackupCheck {

  private static final int READ_BYTES = 1 << 20;
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
    try (DiskFile open = disk.open(file, Mode.READ)) {
      if (open.size() != expected.bytes()) {
        report(
            file,
            "The file has "
                + open.size()
                + " bytes; by the manifest it has "
                + expected.bytes()
                + ".",
            "See the other findings.");
      } else if (checksum(open) != expected.checksum()) {
        report(file, "The checksum is not the one in the manifest.", "See the other findings.");
      }
    }
  }

  private static int checksum(DiskFile open) throws IOException {
    CRC32C crc = new CRC32C();
    byte[] buffer = new byte[READ_BYTES];
    long offset = 0;
    int count = open.read(buffer, 0, READ_BYTES, offset);
    while (count > 0) {
      crc.update(buffer, 0, count);
      offset += count;
      count = open.read(buffer, 0, READ_BYTES, offset);
    }
    return (int) crc.getValue();
  }

  private void report(Path file, String meaning, String lost) {
    findings.accept(
        new Finding(
            Severity.ERROR, FindingKind.BACKUP_DAMAGED, file, 0, null, meaning, lost, AGAIN));
  }
}
