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

  /** The copy, the batch in the journal, and the state of the object. */
  private static final int COPIES = 3;

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
    long modified = requireFile(source);
    long bytes = bytes(source);
    disk.createDirectories(workDirectory);
    if (!disk.hasRoomForCopy(workDirectory, COPIES * bytes)) {
      throw new IOException(
          "its "
              + bytes
              + " bytes need "
              + COPIES
              + " times as much room on the disk of the data directory, which has "
              + disk.usableBytes(workDirectory)
              + " bytes");
    }
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
      if (bytes(source) != bytes || requireFile(source) != modified) {
        throw new IOException("it was changed while it was copied; end what writes it");
      }
      copied = true;
      return copy;
    } finally {
      if (!copied) {
        copy.delete();
      }
    }
  }

  /**
   * Refuses what has no stored content, such as a pipe, of which a read could wait for ever, and
   * what is not a database, before it fills the disk.
   *
   * @return when it was last modified
   */
  private static long requireFile(Path source) throws IOException {
    if (Files.isDirectory(source)) {
      throw new IOException("it is a directory");
    }
    if (!Files.isRegularFile(source)) {
      throw new IOException(
          Files.exists(source) ? "it is not a regular file" : "the file does not exist");
    }
    // With a log beside it, the first page may be one that was never committed.
    boolean isAlone = LOGS.stream().noneMatch(suffix -> Files.exists(beside(source, suffix)));
    if (isAlone && !DatabaseHeader.read(source).isDatabase()) {
      throw new IOException(
          "it is not a whole database: it has "
              + Files.size(source)
              + " bytes, which do not begin as one. Is it the database of an object?");
    }
    return Files.getLastModifiedTime(source).toMillis();
  }

  private static long bytes(Path source) throws IOException {
    long bytes = Files.size(source);
    for (String suffix : LOGS) {
      Path log = beside(source, suffix);
      bytes += Files.isRegularFile(log) ? Files.size(log) : 0;
    }
    return bytes;
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
