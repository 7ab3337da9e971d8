package dev.holdfast.verify;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.backend.sqlite.SqliteRepair;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ArchiveException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The states of a data directory that its archive leads to, restored into a scratch directory. All
 * objects are restored: an object that is restored alone may have another file. Confined to one
 * thread.
 */
final class ArchivedPast implements SqliteRepair.Past {

  private final ArchiveStore archive;
  private final Path scratch;
  private final Map<Long, Path> restored = new HashMap<>();
  private @Nullable String why;

  /**
   * @param archive not closed
   * @param scratch an existing directory, deleted by its owner
   */
  ArchivedPast(ArchiveStore archive, Path scratch) {
    this.archive = archive;
    this.scratch = scratch;
  }

  @Override
  public @Nullable Path directoryAt(long position) {
    Path directory = restored.get(position);
    if (directory == null) {
      directory = scratch.resolve("past-" + position);
      try {
        Holdfast.restore(
            archive, directory, RestoreRequest.of(new RestoreTarget.AtPosition(position)));
      } catch (ArchiveException e) {
        why = e.getMessage();
        return null;
      }
      open(directory);
      restored.put(position, directory);
    }
    return directory.resolve(Verification.SQLITE);
  }

  /** {@return why the last state could not be restored; null if it could} */
  @Nullable String why() {
    return why;
  }

  /** Recovery, and the close, bring the files to the end of the journal. */
  private static void open(Path directory) {
    NamespaceOptions none = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO);
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            objects -> objects.namespace("holdfast-repair", Runnable.class, _ -> () -> {}, none))) {
      assert runtime.statistics() != null;
    }
  }
}
