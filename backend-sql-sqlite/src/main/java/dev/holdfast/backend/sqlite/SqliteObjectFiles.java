package dev.holdfast.backend.sqlite;

import dev.holdfast.ObjectFileException;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.exchange.ExportedFile;
import dev.holdfast.backend.sqlite.exchange.ImportedCopy;
import dev.holdfast.backend.sqlite.exchange.ObjectExport;
import dev.holdfast.backend.sqlite.exchange.ObjectImport;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * Objects as SQLite database files, in the layout of the reference runtime. Objects of other
 * storage engines become such files too: only keys, values and the alarm. Thread-safe.
 */
public final class SqliteObjectFiles implements ObjectFileFormat {

  private final SqliteLibrary library = SqliteLibrary.jdbc();
  private final StorageThreads threads;
  private final Disk disk;
  private final Path workDirectory;

  /**
   * Creates the format.
   *
   * @param threads for callers on virtual threads
   * @param disk the file system
   * @param workDirectory where files to be imported are copied while they are read; created when
   *     needed
   */
  public SqliteObjectFiles(StorageThreads threads, Disk disk, Path workDirectory) {
    this.threads = threads;
    this.disk = disk;
    this.workDirectory = workDirectory;
  }

  @Override
  public PendingFile write(ObjectKey key, StoreTurn turn, Path target) {
    ExportedFile file = new ExportedFile(disk, key, target);
    return blocking(
        () -> {
          try {
            file.prepare();
            new ObjectExport(library, file.partial()).write(turn);
            file.force();
            return file;
          } catch (SqliteException | IOException e) {
            file.close();
            throw file.failed("cannot be written: " + e.getMessage(), e);
          } catch (RuntimeException | Error e) {
            file.close();
            throw e;
          }
        });
  }

  /** Writes the content of a file. */
  @FunctionalInterface
  public interface Content {

    /**
     * Writes the content.
     *
     * @param file the file, empty
     * @throws IOException if that fails
     */
    void writeTo(DiskFile file) throws IOException;
  }

  /**
   * Writes a file that was exported elsewhere, as {@link #write(ObjectKey, StoreTurn, Path)} does:
   * it is complete or absent. Blocks.
   *
   * @param disk the file system
   * @param key the object
   * @param target the file to write; must not exist
   * @param content what it has
   * @return the file, complete and durable but not yet under its name
   * @throws ObjectFileException if it cannot be written
   */
  public static PendingFile write(Disk disk, ObjectKey key, Path target, Content content) {
    ExportedFile file = new ExportedFile(disk, key, target);
    boolean isWritten = false;
    try {
      file.prepare();
      try (DiskFile open = disk.open(file.partial(), Disk.Mode.WRITE)) {
        content.writeTo(open);
        open.force();
      }
      isWritten = true;
      return file;
    } catch (IOException e) {
      throw file.failed("cannot be written: " + e.getMessage(), e);
    } finally {
      if (!isWritten) {
        file.close();
      }
    }
  }

  @Override
  public void read(ObjectKey key, Path source, StoreTurn turn, Terms terms) {
    blocking(
        () -> {
          try (ImportedCopy copy = ImportedCopy.of(disk, key, source, workDirectory)) {
            new ObjectImport(library, key, source, copy.database(), terms).read(turn);
            return Boolean.TRUE;
          } catch (IOException e) {
            throw new ObjectFileException(
                key.namespace(), key.id(), source, "cannot be read: " + e.getMessage(), e);
          }
        });
  }

  private <T> T blocking(Callable<T> work) {
    try {
      return threads.run(work);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("A storage thread failed", e);
    }
  }
}
