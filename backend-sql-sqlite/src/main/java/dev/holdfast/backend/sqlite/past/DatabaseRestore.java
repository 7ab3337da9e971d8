package dev.holdfast.backend.sqlite.past;

import dev.holdfast.HoldfastException;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.database.BatchSealer;
import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.wal.BatchTooLargeException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.Listing;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Restores a database to an earlier state: page by page, below SQLite, so that the file is byte for
 * byte what it was, whatever changed it since.
 *
 * <p>The batch comes first. The file is changed only when the journal has the batch durably, with
 * the connection closed; a crash in between is repaired as after any other batch. Thread-safe.
 */
public final class DatabaseRestore {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Journal journal;
  private final StorageThreads threads;
  private final DatabaseCache cache;
  private final ObjectFiles files;
  private final BatchSealer sealer;
  private final AtomicLong images = new AtomicLong();

  public DatabaseRestore(
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
  public long restore(ObjectKey key, LaterBatches later, Listing listing) {
    return rewrite(
        key,
        RecordKind.RESTORE,
        listing,
        (database, past) -> {
          past.pages = past(database, later);
          List<AlarmRecord> present = database.connection().alarms().read();
          return past.pages().catalogChange(key, hasData(past.pages()), present);
        });
  }

  /** See {@link dev.holdfast.spi.ObjectStore#become}. */
  public long become(ObjectKey key, DatabaseImage image, Listing listing) {
    List<AlarmRecord> alarms = image.alarms();
    CatalogChange.Alarms changed =
        alarms.isEmpty() ? null : new CatalogChange.Alarms(alarms, List.of());
    return rewrite(
        key,
        RecordKind.BATCH,
        listing,
        (database, past) -> {
          past.pages = present(database);
          // Checked now: provisional commits are gone.
          if (!DatabaseEraser.isVacant(database.connection())) {
            throw new IllegalStateException(
                "Object "
                    + key
                    + " has data already; nothing was changed. Choose another name, or delete that"
                    + " object first.");
          }
          past.pages().become(image.file());
          boolean exists = !alarms.isEmpty() || hasData(past.pages());
          String name = exists ? key.id().name().orElse(null) : null;
          return new CatalogChange(exists, name, changed);
        });
  }

  /** See {@link dev.holdfast.spi.ObjectStore#image}. */
  public DatabaseImage image(ObjectKey key, LaterBatches later) {
    OpenDatabase database = cache.claim(key);
    try {
      journal.awaitDurable(database.lastPosition());
      journal.requireOwnership(); // the log is copied into the file
      return run(
          database,
          () -> {
            try (PastPages pages = past(database, later)) {
              List<AlarmRecord> present = database.connection().alarms().read();
              Path file = files.forImage(images.incrementAndGet());
              DatabaseImage image =
                  new DatabaseImage(files, file, pages.alarms(present), threads, database.errors());
              try {
                pages.writeTo(file);
              } catch (IOException | RuntimeException | Error e) {
                image.close(); // a part of it: on a full disk it would take what is left
                throw e;
              }
              return image;
            }
          });
    } finally {
      cache.release(database);
    }
  }

  private interface Work {
    CatalogChange of(OpenDatabase database, Past past) throws IOException, SqliteException;
  }

  /** The state that a database is to get; always closed. */
  private static final class Past implements AutoCloseable {
    private @Nullable PastPages pages;

    PastPages pages() {
      return Objects.requireNonNull(pages);
    }

    @Override
    public void close() {
      try {
        if (pages != null) {
          pages.close();
        }
      } catch (IOException e) {
        LOG.log(Level.WARNING, "Earlier pages are left on the disk until the next restore.", e);
      }
    }
  }

  private long rewrite(ObjectKey key, RecordKind kind, Listing listing, Work work) {
    OpenDatabase database = cache.claim(key);
    boolean usable = true;
    try (Past past = new Past()) {
      // Waits here: a storage thread that waits for the journal could block the journal's own work.
      journal.awaitDurable(database.lastPosition());
      journal.requireOwnership(); // the log is copied into the file
      CatalogChange change = run(database, () -> work.of(database, past));
      Last last = appendParts(database, key, past.pages(), change);
      usable = false; // from here on the journal may be ahead of the file
      long position;
      try {
        position = sealer.append(database, key, kind, last.parts(), last.payload(), change);
      } catch (HoldfastException e) {
        usable = true;
        throw e;
      }
      journal.awaitDurable(position);
      run(database, () -> rewrite(database, past.pages(), position));
      listing.sealed(change);
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

  /** The last record of a batch, and how many parts are before it. */
  private record Last(int parts, ByteBuffer payload) {}

  /** {@return the batch; appends everything that is too much for one record first} */
  private Last appendParts(
      OpenDatabase database, ObjectKey key, PastPages pages, CatalogChange change) {
    long firstPart = 0;
    int parts = 0;
    boolean done = false;
    try {
      while (run(database, pages::writeSome)) {
        parts++;
        long position = sealer.appendPart(database, key, parts, pages.part());
        firstPart = firstPart == 0 ? position : firstPart;
      }
      done = true;
      return new Last(parts, pages.last(change, firstPart));
    } finally {
      if (!done) {
        sealer.abandonParts(key);
      }
    }
  }

  /**
   * Whether earlier pages hold keys or tables. Checked before the batch, which reports it to the
   * directory: nothing is written after the batch that a crash could leave out. Usually the number
   * of pages decides; if not, SQLite does, from a separate file.
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
      files.deleteImage(file);
    }
  }

  private PastPages present(OpenDatabase database) throws IOException, SqliteException {
    database.trim();
    int pageBytes = database.sums().pageBytes();
    return new PastPages(
        files,
        database.file(),
        pageBytes,
        database.pageCount(pageBytes),
        files.forImage(images.incrementAndGet()));
  }

  /** {@return the pages before some batches; to be closed} */
  private PastPages past(OpenDatabase database, LaterBatches later)
      throws IOException, SqliteException {
    PastPages pages = present(database);
    try {
      later.newestFirst(
          sealer.lastBatch(database),
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

  private @Nullable Void rewrite(OpenDatabase database, PastPages pages, long position)
      throws IOException, SqliteException {
    database.rewrite(
        () -> {
          pages.rewrite();
          files.removeWal(database.file());
        });
    database.restored(
        new OpenDatabase.Written(pages.changed(), pages.pageBytes(), pages.pageCount()), position);
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
