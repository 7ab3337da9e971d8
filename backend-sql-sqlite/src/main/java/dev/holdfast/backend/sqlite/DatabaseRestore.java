package dev.holdfast.backend.sqlite;

import dev.holdfast.HoldfastException;
import dev.holdfast.StorageFailedException;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.spi.CatalogChange;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.Listing;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Brings a database back to an earlier state: page by page, below SQLite, so that the file is byte
 * for byte what it was, whatever was done to it since.
 *
 * <p>The batch comes first. Only when the journal has it durably the file is changed, with the
 * connection closed; a crash in between is repaired as after any other batch. Thread-safe.
 */
final class DatabaseRestore {

  private final Journal journal;
  private final StorageThreads threads;
  private final DatabaseCache cache;
  private final ObjectFiles files;
  private final BatchSealer sealer;

  DatabaseRestore(
      Journal journal,
      StorageThreads threads,
      DatabaseCache cache,
      ObjectFiles files,
      BatchSealer sealer) {
    this.journal = journal;
    this.threads = threads;
    this.cache = cache;
    this.files = files;
    this.sealer = sealer;
  }

  /** See {@link dev.holdfast.spi.ObjectStore#restore}. */
  long restore(ObjectKey key, LaterBatches later, Listing listing) {
    OpenDatabase database = cache.claim(key);
    boolean usable = true;
    try {
      // Waited for here: a storage thread that waits for the journal could keep it from working.
      journal.awaitDurable(database.lastPosition());
      Past past = run(database, () -> past(key, database, later));
      usable = false; // from here on the journal may be ahead of the file
      long position;
      try {
        position =
            sealer.append(database, RecordKind.RESTORE, past.batch().duplicate(), past.change());
      } catch (HoldfastException e) {
        usable = true;
        throw e;
      }
      journal.awaitDurable(position);
      run(database, () -> rewrite(database, past.batch(), position));
      listing.sealed(past.change());
      usable = true;
      return position;
    } finally {
      if (usable) {
        cache.release(database);
      } else {
        cache.giveUp(database, "its restored state could not be written to the file");
      }
    }
  }

  private record Past(ByteBuffer batch, CatalogChange change) {}

  private static Past past(ObjectKey key, OpenDatabase database, LaterBatches later)
      throws IOException, SqliteException {
    database.copyWal();
    int pageBytes = database.pageBytes();
    int pagesNow = database.pageCount(pageBytes);
    try (PastPages pages = new PastPages(database.file(), pageBytes, pagesNow)) {
      later.newestFirst(
          record -> {
            try {
              pages.undo(record);
            } catch (IllegalArgumentException e) {
              throw database
                  .errors()
                  .storage(
                      "Record " + record.position() + " cannot be undone: " + e.getMessage(), e);
            }
          });
      CatalogChange change = pages.catalogChange(key);
      return new Past(pages.toBatch(change), change);
    } catch (PastPages.UnreadableException e) {
      throw database.errors().storage(String.valueOf(e.getMessage()), e);
    } catch (BatchTooLargeException e) {
      throw database.errors().storage("The restore is too large for one batch", e);
    }
  }

  private @Nullable Void rewrite(OpenDatabase database, ByteBuffer batch, long position)
      throws IOException, SqliteException {
    database.rewrite(
        SqliteLibrary.jdbc(),
        () -> {
          RebuiltFile file = new RebuiltFile(files, database.file());
          file.redo(new BatchReader(batch));
          file.write();
        });
    BatchReader restored = new BatchReader(batch);
    database.restored(restored, position);
    return null;
  }

  private <T extends @Nullable Object> T run(OpenDatabase database, Callable<T> work) {
    try {
      return threads.run(work);
    } catch (RuntimeException e) {
      throw e;
    } catch (SqliteException e) {
      throw database.errors().sqliteFailed("Restoring an earlier state", e);
    } catch (Exception e) {
      throw failed(database, e);
    }
  }

  private static StorageFailedException failed(OpenDatabase database, Exception e) {
    return database
        .errors()
        .storage("The earlier state cannot be restored: " + e.getMessage() + "; check the disk", e);
  }
}
