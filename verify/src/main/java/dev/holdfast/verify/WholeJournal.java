package dev.holdfast.verify;

import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbCheck;
import dev.holdfast.backend.rocksdb.RocksDbHistory;
import dev.holdfast.backend.rocksdb.RocksDbLibrary;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.pitr.PurgedObjects;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.ScratchDirectory;
import dev.holdfast.spi.storage.StorageProviders;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.Severity;
import dev.holdfast.verify.sqlite.SqliteCheck;
import dev.holdfast.verify.sqlite.SqliteHistory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Whether other nodes can get all objects of a data directory: from its journal alone, or, if that
 * has dropped its beginning, from the files with what the journal has after they were saved.
 */
public final class WholeJournal {

  /** What to do about a purge in the directory of a single machine. */
  static final String OPEN_ONCE = "Open the directory once with Holdfast.open until that is done";

  private static final int NAMED_MAX = 5;

  private WholeJournal() {}

  /**
   * Checks that other nodes can get all objects of a directory. A node that is added makes them
   * from the journal alone if that has its first record, and takes copies of the files otherwise:
   * then each file must be what it was saved as, or become that with the records since.
   *
   * @param disk where the directory is
   * @param data the data directory, which no runtime has open
   * @param records all that its journal has
   * @param lastPosition the position of the last of them
   * @throws DataDirectoryException if an object has more than the journal says, a file is damaged
   *     or missing, or the directory cannot be read
   */
  public static void requireAllObjects(
      Disk disk, Path data, RecoveryLog records, long lastPosition) {
    try {
      PurgedObjects purged = PurgedObjects.in(records);
      requirePurgesDone(data, purged, OPEN_ONCE);
      if (records.oldestPosition() > 1) {
        requireFiles(disk, data, records, lastPosition);
        return;
      }
      List<ObjectKey> lacking = lacking(disk, data, records, purged);
      if (!lacking.isEmpty()) {
        throw new DataDirectoryException(
            data,
            "The journal does not have all that was written to "
                + named(lacking)
                + ": their history was purged, or the directory was repaired without it. Other"
                + " nodes make their files from the journal, so they could not get these objects."
                + " Restore the namespaces into a new directory (./holdfast restore --from "
                + data
                + " --to NEW --namespace NAME), which writes them through a new journal, without"
                + " the history, and adopt that one; nothing was changed",
            null);
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new DataDirectoryException(
          data, "The objects cannot be compared with the journal; nothing was changed", e);
    }
  }

  /** {@return the objects that the journal, which has its first record, does not make whole} */
  static List<ObjectKey> lacking(Disk disk, Path data, RecoveryLog records, PurgedObjects purged)
      throws IOException {
    List<ObjectKey> lacking =
        new ArrayList<>(SqliteHistory.lacking(disk, data.resolve("sqlite"), records));
    Path rocksDb = data.resolve("rocksdb");
    if (!purged.all().isEmpty() && disk.exists(rocksDb.resolve("CURRENT"))) {
      lacking.addAll(lackingPairs(rocksDb, records, purged));
    }
    return lacking;
  }

  /** Requires that the files are what they were saved as, or become that with the records since. */
  static void requireFiles(Disk disk, Path data, RecoveryLog records, long lastPosition)
      throws IOException {
    List<Finding> findings = new ArrayList<>();
    inScratch(
        scratch -> {
          SqliteCheck.run(
              new SqliteCheck.Source(disk, data.resolve("sqlite"), records, /* isWhole= */ true),
              scratch.resolve("sqlite"),
              /* isDeep= */ false,
              findings::add);
          if (usesRocksDb(data, records)) {
            RocksDbLibrary.require(data.resolve("rocksdb"));
            RocksDbCheck.run(
                new RocksDbCheck.Source(
                    data.resolve("rocksdb"),
                    data.resolve("rocksdb.flushed"),
                    records,
                    lastPosition,
                    /* isWhole= */ true),
                scratch.resolve("rocksdb"),
                /* isDeep= */ false,
                findings::add);
          }
        });
    findings.removeIf(found -> found.severity() != Severity.ERROR);
    if (!findings.isEmpty()) {
      Finding first = findings.getFirst();
      throw new DataDirectoryException(
          first.file(),
          "The files of the objects are damaged: "
              + first.meaning()
              + " Other nodes would get that. See ./holdfast verify --data "
              + data
              + ", repair the directory, and repeat this; nothing was changed",
          null);
    }
  }

  /** Without it, RocksDB's library need not be there. */
  static boolean usesRocksDb(Path data, RecoveryLog records) {
    boolean[] found = {StorageProviders.hasRocksDb(data)};
    if (!found[0]) {
      records.forEachFrom(0, (view, _) -> view == RocksDbBackend.VIEW_ID, _ -> found[0] = true);
    }
    return found[0];
  }

  /**
   * Completes a backup in the directory that was interrupted while its files were moved.
   *
   * @param disk where the directory is
   * @param data the directory
   * @throws DataDirectoryException if the backup is incomplete
   */
  public static void completeBackup(Disk disk, Path data) {
    new BackupDirectory(disk, data).completeOrRefuse();
  }

  /** What is left of one has no place in what is made. */
  static void requirePurgesDone(Path data, PurgedObjects purged, String remedy) {
    if (!purged.unfinished().isEmpty()) {
      throw new DataDirectoryException(
          data,
          "The history of "
              + named(purged.unfinished())
              + " is being purged. "
              + remedy
              + "; nothing was changed",
          null);
    }
  }

  private static List<ObjectKey> lackingPairs(
      Path rocksDb, RecoveryLog records, PurgedObjects purged) throws IOException {
    List<ObjectKey> lacking = new ArrayList<>();
    inScratch(
        scratch -> lacking.addAll(RocksDbHistory.lacking(rocksDb, records, purged.all(), scratch)));
    return lacking;
  }

  private interface WithScratch {
    void run(Path scratch) throws IOException;
  }

  private static void inScratch(WithScratch work) throws IOException {
    try (ScratchDirectory scratch = ScratchDirectory.temporary("holdfast-adopt-")) {
      work.run(scratch.path());
    }
  }

  private static String named(Collection<ObjectKey> objects) {
    String first =
        objects.stream()
            .map(key -> key.namespace() + "/" + key.id())
            .sorted()
            .limit(NAMED_MAX)
            .collect(Collectors.joining(", "));
    return objects.size() > NAMED_MAX
        ? objects.size() + " objects, of which are " + first
        : objects.size() == 1 ? "the object " + first : "the objects " + first;
  }
}
