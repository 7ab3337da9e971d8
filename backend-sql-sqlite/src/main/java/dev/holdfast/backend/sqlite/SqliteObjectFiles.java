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
