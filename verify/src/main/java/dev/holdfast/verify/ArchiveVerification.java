package dev.holdfast.verify;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.spi.disk.ScratchDirectory;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Rebuilds what an archive leads to, and checks that: the newest base image and the later journal
 * are restored into a scratch directory, and the journal is replayed there and compared page by
 * page and key by key. Changes nothing in the archive; a runtime may archive meanwhile.
 */
public final class ArchiveVerification {

  /** In the place of findings, stands for the directory that is rebuilt and deleted. */
  private static final String REBUILT = "rebuilt";

  private ArchiveVerification() {}

  /**
   * Rebuilds the latest state and checks it. Blocks; not for virtual threads.
   *
   * @param archive the archive; not closed
   * @param place what findings name before {@code rebuilt/} and the name of a file
   * @param scratch an existing directory, below which the state is rebuilt and deleted: it needs
   *     room for the data directory, and as much again as the journal takes
   * @return what was found
   * @throws IOException if the scratch directory cannot be written
   */
  public static VerifyReport run(ArchiveStore archive, Path place, Path scratch)
      throws IOException {
    try (ScratchDirectory copies = ScratchDirectory.in(scratch, Verification.SCRATCH)) {
      Path rebuilt = copies.path().resolve(REBUILT);
      try {
        Holdfast.restore(archive, rebuilt, RestoreRequest.of(new RestoreTarget.Latest()));
      } catch (ArchiveException e) {
        return new VerifyReport(List.of(notRestored(place, e)), 0, 0, 0, 0, 0);
      }
      VerifyReport report = Verification.run(rebuilt, copies.path(), /* isDeep= */ true);
      return new VerifyReport(
          report.findings().stream()
              .map(each -> inPlace(each, rebuilt, place, report.lastPosition()))
              .toList(),
          report.firstPosition(),
          report.lastPosition(),
          report.sqliteObjects(),
          report.rocksDbObjects(),
          report.readBytes());
    }
  }

  private static Finding notRestored(Path place, ArchiveException e) {
    return new Finding(
        Severity.ERROR,
        FindingKind.ARCHIVE_ENTRY_LOST,
        place,
        0,
        null,
        "The latest state cannot be restored: " + e.getMessage() + ".",
        "The latest state.",
        "Make a backup of the data directory now. Earlier moments can be restored with --at.");
  }

  private static Finding inPlace(Finding found, Path rebuilt, Path place, long position) {
    return new Finding(
        found.severity(),
        found.kind(),
        place.resolve(REBUILT).resolve(rebuilt.relativize(found.file())),
        found.offset(),
        found.object(),
        "In what the archive leads to at position " + position + ": " + found.meaning(),
        found.lost(),
        "Verify the data directory with --deep. If it is sound, purge the archive, which then"
            + " begins with a new base image; else repair the directory first.");
  }
}
