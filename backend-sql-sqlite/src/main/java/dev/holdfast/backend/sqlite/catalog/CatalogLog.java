package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The write-ahead log of the catalog's database file, while SQLite does not have it open.
 *
 * <p>Confined to the holder of the lock of the {@link SqliteCatalog}.
 *
 * @param disk where it is
 * @param directory its directory
 * @param file its path for SQLite
 * @param kept its path while SQLite would delete it
 * @param renewed the path of the copy while it is made
 */
record CatalogLog(Disk disk, Path directory, Path file, Path kept, Path renewed) {

  /** {@return the log of a database file} */
  static CatalogLog of(Disk disk, Path database) throws IOException {
    Path directory = database.toAbsolutePath().getParent();
    if (directory == null) {
      throw new IOException(database + " is in no directory");
    }
    Path file = database.resolveSibling(database.getFileName() + "-wal");
    return new CatalogLog(
        disk,
        directory,
        file,
        database.resolveSibling(file.getFileName() + ".kept"),
        database.resolveSibling(file.getFileName() + ".new"));
  }

  /** Deletes all its files: they belong to a file that was lost. */
  void delete() throws IOException {
    for (Path old : List.of(file, kept, renewed)) {
      if (disk.exists(old)) {
        disk.delete(old);
      }
    }
  }

  /**
   * Renames the log, so that SQLite does not delete it when it closes the database: SQLite deletes
   * the log after copying all of it, without checking whether the copy could be synced.
   */
  void keep() throws IOException {
    if (disk.exists(file)) {
      disk.move(file, kept);
    }
  }

  /**
   * Copies the whole log to a new file. A sync of the old file may have failed, in this process or
   * in an earlier one; its pages then count as clean, and a later sync proves nothing about them.
   */
  void renew() throws IOException {
    boolean wasKept = disk.exists(kept);
    Path source = wasKept ? kept : disk.exists(file) ? file : null;
    if (source == null) {
      return;
    }
    copy(source);
    disk.move(renewed, file);
    disk.forceDirectory(directory);
    if (wasKept) {
      // It must not be found again when more was written to the new file.
      disk.delete(kept);
      disk.forceDirectory(directory);
    }
  }

  private void copy(Path source) throws IOException {
    byte[] buffer = new byte[SqliteBounds.CATALOG_BUFFER_BYTES];
    try (DiskFile from = disk.open(source, Mode.READ);
        DiskFile to = disk.open(renewed, Mode.CREATE)) {
      to.truncate(0);
      long offset = 0;
      int count = from.read(buffer, 0, SqliteBounds.CATALOG_BUFFER_BYTES, 0);
      while (count > 0) {
        to.write(buffer, 0, count, offset);
        offset += count;
        count = from.read(buffer, 0, SqliteBounds.CATALOG_BUFFER_BYTES, offset);
      }
      to.force();
    }
  }

  /** Makes durable what SQLite has written to the log. */
  void force() throws IOException {
    if (disk.exists(file)) {
      force(disk, file);
    }
  }

  static void force(Disk disk, Path path) throws IOException {
    try (DiskFile opened = disk.open(path, Mode.WRITE)) {
      opened.force();
    }
  }
}
