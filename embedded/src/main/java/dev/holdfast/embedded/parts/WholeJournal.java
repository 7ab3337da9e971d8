package dev.holdfast.embedded.parts;

import dev.holdfast.backend.rocksdb.RocksDbHistory;
import dev.holdfast.backend.sqlite.SqliteHistory;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.pitr.PurgedObjects;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether a journal makes all objects of its data directory from nothing. */
public final class WholeJournal {

  private static final int NAMED_MAX = 5;

  private WholeJournal() {}

  /**
   * Checks that all objects of a directory can be made from the journal alone.
   *
   * @param disk where the directory is
   * @param data the data directory, which no runtime has open
   * @param records all that its journal has, from the first on
   * @throws DataDirectoryException if an object has more than the journal says, or it cannot be
   *     read
   */
  public static void requireAllObjects(Disk disk, Path data, RecoveryLog records) {
    try {
      PurgedObjects purged = PurgedObjects.in(records);
      requirePurgesDone(data, purged);
      List<ObjectKey> lacking =
          new ArrayList<>(SqliteHistory.lacking(disk, data.resolve("sqlite"), records));
      Path rocksDb = data.resolve("rocksdb");
      if (!purged.all().isEmpty() && disk.exists(rocksDb.resolve("CURRENT"))) {
        lacking.addAll(lackingPairs(rocksDb, records, purged));
      }
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

  /** Nobody would continue one in a cluster, which keeps its whole journal. */
  private static void requirePurgesDone(Path data, PurgedObjects purged) {
    if (!purged.unfinished().isEmpty()) {
      throw new DataDirectoryException(
          data,
          "The history of "
              + named(purged.unfinished())
              + " is being purged. Open the directory once with Holdfast.open until that is done;"
              + " nothing was changed",
          null);
    }
  }

  private static List<ObjectKey> lackingPairs(
      Path rocksDb, RecoveryLog records, PurgedObjects purged) throws IOException {
    Path scratch = Files.createTempDirectory("holdfast-adopt-");
    try {
      return RocksDbHistory.lacking(rocksDb, records, purged.all(), scratch);
    } finally {
      try (Stream<Path> all = Files.walk(scratch)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
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
