package dev.holdfast.verify;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.verify.sqlite.SqliteRepair;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The states of a data directory that its archive leads to, restored into a scratch directory, one
 * after the other. All objects are restored: an object that is restored alone may have another
 * file. Confined to one thread.
 */
final class ArchivedPast implements SqliteRepair.Past {

  private final ArchiveStore archive;
  private final Path restored;

  /**
   * @param archive not closed
   * @param restored where the states are; missing, and deleted by its owner
   */
  ArchivedPast(ArchiveStore archive, Path restored) {
    this.archive = archive;
    this.restored = restored;
  }

  @Override
  public Path directoryAt(long position) throws IOException {
    FileTree.delete(new FileDisk(), restored); // a state may be as large as the data directory
    Holdfast.restore(archive, restored, RestoreRequest.of(new RestoreTarget.AtPosition(position)));
    try {
      open();
    } catch (HoldfastException e) {
      throw new ArchiveException(
          "What " + archive + " leads to does not open: " + e.getMessage(), e);
    }
    return restored.resolve(Verification.SQLITE);
  }

  /** Recovery, and the close, bring the files to the end of the journal. */
  private void open() {
    NamespaceOptions none = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO);
    Holdfast.open(
            restored,
            objects -> objects.namespace("holdfast-repair", Runnable.class, _ -> () -> {}, none))
        .close();
  }
}
