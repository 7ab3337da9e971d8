package dev.holdfast.backend.sqlite;

import dev.holdfast.HoldfastException;
import dev.holdfast.StorageFailedException;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.saved.RedonePages;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.CatalogChange;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.Listing;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
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
  private final AtomicLong images = new AtomicLong();

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
    return rewrite(
        key,
        RecordKind.RESTORE,
        listing,
        database -> {
          try (PastPages pages = past(database, later)) {
            List<AlarmRecord> present = database.connection().alarms().read();
            CatalogChange change = pages.catalogChange(key, hasData(pages), present);
            return new Past(pages.toBatch(change), change);
          }
        });
  }

  /** See {@link dev.holdfast.spi.ObjectStore#become}. */
  long become(ObjectKey key, DatabaseImage image, Listing listing) {
    List<AlarmRecord> alarms = image.alarms();
    CatalogChange.Alarms changed =
        alarms.isEmpty() ? null : new CatalogChange.Alarms(alarms, List.of());
    return rewrite(
        key,
        RecordKind.BATCH,
        listing,
        database -> {
          try (PastPages pages = present(database)) {
            // Asked now: what was provisional is gone.
            if (!DatabaseEraser.isVacant(database.connection())) {
              throw new IllegalStateException(
                  "Object " + key + " has data already; nothing was changed.");
            }
            pages.become(image.file());
            boolean exists = !alarms.isEmpty() || hasData(pages);
            String name = exists ? key.id().name().orElse(null) : null;
            CatalogChange change = new CatalogChange(exists, name, changed);
            return new Past(pages.toBatch(change), change);
          }
        });
  }

  /** See {@link dev.holdfast.spi.ObjectStore#image}. */
  DatabaseImage image(ObjectKey key, LaterBatches later) {
    OpenDatabase database = cache.claim(key);
    try {
      journal.awaitDurable(database.lastPosition());
      journal.requireOwnership(); // the log is copied into the file
      return run(
          database,
          () -> {
            try (PastPages pages = past(database, later)) {
              Path file = files.forImage(images.incrementAndGet());
              pages.writeTo(file);
              List<AlarmRecord> present = database.connection().alarms().read();
              return new DatabaseImage(file, pages.alarms(present), threads, database.errors());
            }
          });
    } finally {
      cache.release(database);
    }
  }

  private interface Work {
    Past of(OpenDatabase database) throws IOException, SqliteException;
  }

  private long rewrite(ObjectKey key, RecordKind kind, Listing listing, Work work) {
    OpenDatabase database = cache.claim(key);
    boolean usable = true;
    try {
      // Waited for here: a storage thread that waits for the journal could keep it from working.
      journal.awaitDurable(database.lastPosition());
      journal.requireOwnership(); // the log is copied into the file
      Past past = run(database, () -> work.of(database));
      usable = false; // from here on the journal may be ahead of the file
      long position;
      try {
        position = sealer.append(database, key, kind, past.batch().duplicate(), past.change());
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

  /**
   * Whether earlier pages hold keys or tables. Asked before the batch, which says it to the
   * directory: nothing is written behind it that a crash could leave out. Mostly the number of
   * pages tells; if not, SQLite does, from a file of its own.
   */
  private boolean hasData(PastPages pages) throws IOException, SqliteException {
    if (!pages.mayBeErased()) {
      return true;
    }
    Path file = files.forImage(images.incrementAndGet());
    try {
      pages.writeTo(file);
      ObjectConnection connection = ObjectConnection.open(SqliteLibrary.jdbc(), file);
      try {
        return !DatabaseEraser.isErased(connection);
      } finally {
        connection.close();
      }
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(ObjectFiles.wal(file));
    }
  }

  private static PastPages present(OpenDatabase database) throws IOException, SqliteException {
    database.copyWal();
    int pageBytes = database.pageBytes();
    return new PastPages(database.file(), pageBytes, database.pageCount(pageBytes));
  }

  private record Past(ByteBuffer batch, CatalogChange change) {}

  /** {@return the pages before some batches; to be closed} */
  private static PastPages past(OpenDatabase database, LaterBatches later)
      throws IOException, SqliteException {
    PastPages pages = present(database);
    try {
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
      return pages;
    } catch (RuntimeException e) {
      pages.close();
      throw e;
    }
  }

  private @Nullable Void rewrite(OpenDatabase database, ByteBuffer batch, long position)
      throws IOException, SqliteException {
    database.rewrite(
        SqliteLibrary.jdbc(),
        () -> {
          RebuiltFile file = new RebuiltFile(files, database.file(), new RedonePages());
          file.redo(new BatchReader(batch));
          file.write();
        });
    BatchReader restored = new BatchReader(batch);
    database.restored(files, restored, position);
    return null;
  }

  private <T extends @Nullable Object> T run(OpenDatabase database, Callable<T> work) {
    try {
      return threads.run(work);
    } catch (PastPages.UnreadableException | BatchTooLargeException e) {
      throw database.errors().storage(String.valueOf(e.getMessage()), e);
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
