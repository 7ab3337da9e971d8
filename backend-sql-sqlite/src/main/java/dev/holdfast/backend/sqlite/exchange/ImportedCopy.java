package dev.holdfast.backend.sqlite.exchange;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A copy of the file to be imported: reading a database may write (its log is copied back into it),
 * and a copy cannot change meanwhile. Confined to one thread.
 */
public final class ImportedCopy implements AutoCloseable {

  private final Disk disk;
  private final Path database;

  private ImportedCopy(Disk disk, Path database) {
    this.disk = disk;
    this.database = database;
  }

  /**
   * The suffixes of files beside a database that are part of it: without them it may be half a
   * commit.
   */
  private static final List<String> LOGS = List.of("-wal", "-journal");

  /**
   * Copies a file, and the write-ahead log or the rollback journal beside it. If a writer was
   * killed within a transaction, the file has pages that were never committed, and only its journal
   * has their previous content; SQLite plays it back when the copy is opened.
   */
  public static ImportedCopy of(Disk disk, ObjectKey key, Path source, Path workDirectory)
      throws IOException {
    if (!Files.isRegularFile(source)) {
      throw new IOException("the file does not exist");
    }
    disk.createDirectories(workDirectory);
    // An object has one turn at a time, so the name is free, except for files that a killed process
    // left.
    Path database = workDirectory.resolve(key.namespace() + "-" + key.id() + ".sqlite");
    ImportedCopy copy = new ImportedCopy(disk, database);
    boolean copied = false;
    try {
      copy.delete();
      Files.copy(source, database, StandardCopyOption.REPLACE_EXISTING);
      for (String suffix : LOGS) {
        Path log = beside(source, suffix);
        if (Files.isRegularFile(log)) {
          Files.copy(log, beside(database, suffix), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      copied = true;
      return copy;
    } finally {
      if (!copied) {
        copy.delete();
      }
    }
  }

  public Path database() {
    return database;
  }

  @Override
  public void close() throws IOException {
    delete();
  }

  private void delete() throws IOException {
    for (String suffix : List.of("", "-wal", "-shm", "-journal")) {
      disk.delete(beside(database, suffix));
    }
  }

  private static Path beside(Path file, String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }
}
