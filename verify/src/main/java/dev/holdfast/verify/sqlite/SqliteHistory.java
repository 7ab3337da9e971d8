package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether a journal makes the objects of a data directory from nothing. */
public final class SqliteHistory {

  /** In the first page: how many entries the schema has, and a number that its user sets. */
  private static final int SCHEMA_CELLS_OFFSET = 103;

  private static final int USER_VERSION_OFFSET = 60;
  private static final int FIRST_PAGE_BYTES = 105;

  private SqliteHistory() {}

  /**
   * Returns the objects whose files have content that no batch has written: the first batch of each
   * must begin with an empty file. A repair, and a purge of history, leave such objects.
   *
   * @param disk where the files are
   * @param directory the directory {@code sqlite/}; may be missing
   * @param records those of the journal, from the first on
   * @return the objects; empty if the journal makes all of them
   * @throws IOException if a file cannot be read
   */
  public static List<ObjectKey> lacking(Disk disk, Path directory, RecoveryLog records)
      throws IOException {
    Map<ObjectKey, Boolean> isFromNothing = new HashMap<>();
    records.forEachFrom(
        1,
        (view, kind) -> view == SqliteBackend.VIEW_ID && kind.isBatch(),
        record -> {
          BatchReader batch = new BatchReader(record.payload());
          if (batch.hasPages()) {
            isFromNothing.putIfAbsent(record.key(), batch.pagesBefore() <= 1);
          }
        });
    List<ObjectKey> lacking = new ArrayList<>();
    isFromNothing.forEach(
        (key, isSo) -> {
          if (!isSo) {
            lacking.add(key);
          }
        });
    if (disk.exists(directory)) {
      new ObjectFiles(disk, directory)
          .forEach(
              (key, file) -> {
                if (!isFromNothing.containsKey(key) && hasContent(disk, file)) {
                  lacking.add(key);
                }
                return true;
              });
    }
    return lacking;
  }

  private static boolean hasContent(Disk disk, Path file) throws IOException {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      if (open.size() > PageSize.DEFAULT_BYTES) {
        return true;
      }
      byte[] page = new byte[FIRST_PAGE_BYTES];
      int count = open.read(page, 0, page.length, 0);
      boolean isUsed = false;
      for (int i = 0; i < Integer.BYTES; i++) {
        isUsed |= page[USER_VERSION_OFFSET + i] != 0;
      }
      return count == page.length
          && (isUsed || page[SCHEMA_CELLS_OFFSET] != 0 || page[SCHEMA_CELLS_OFFSET + 1] != 0);
    }
  }
}
