package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.TimeSource;
import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.SqliteCatalog;
import dev.holdfast.backend.sqlite.database.BatchSealer;
import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.past.DatabaseRestore;
import dev.holdfast.backend.sqlite.save.Saver;
import dev.holdfast.backend.sqlite.sql.Schemas;
import dev.holdfast.backend.sqlite.sql.SqlScripts;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.statistics.StorageEvents;
import java.io.IOException;

/**
 * What turns share. Thread-safe.
 *
 * @param journal the journal
 * @param threads for native calls that may block
 * @param cache the open databases
 * @param sealer makes batches
 * @param catalog lists the objects
 * @param saver saves objects in the background
 * @param restores restores databases
 * @param time measures the time of statements
 * @param events receives the statements
 * @param scripts the SQL texts seen lately
 * @param schemas the schemas seen lately, with the plans of statements
 */
public record TurnServices(
    Journal journal,
    StorageThreads threads,
    DatabaseCache cache,
    BatchSealer sealer,
    SqliteCatalog catalog,
    Saver saver,
    DatabaseRestore restores,
    TimeSource time,
    StorageEvents events,
    SqlScripts scripts,
    Schemas schemas) {

  /**
   * {@return whether the log of a claimed database is long enough to be restarted, or the database
   * too large to stay in memory}
   */
  boolean isTrimDue(OpenDatabase database) {
    return database.isTrimDue(cache.logFrames());
  }

  /**
   * Copies the log of a claimed database into the file if the journal has all of it durably, and
   * opens the file if the database was in memory. If the log is very long, waits for that.
   */
  void trim(OpenDatabase database) {
    boolean isDurable = journal.durablePosition() >= database.lastPosition();
    if (!isDurable && !database.isTrimDue(SqliteBounds.LOG_FRAMES_WAITED_FOR)) {
      return;
    }
    boolean trimmed = false;
    try {
      journal.awaitDurable(database.lastPosition());
      journal.requireOwnership(); // another runtime may own the file by now
      threads.run(
          () -> {
            database.trim();
            return database;
          });
      trimmed = true;
    } catch (SqliteException e) {
      throw database.errors().sqliteFailed("Copying the write-ahead log", e);
    } catch (IOException e) {
      throw database
          .errors()
          .storage("Copying the write-ahead log failed: " + e.getMessage() + "; check the disk", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("A storage thread failed", e);
    } finally {
      if (!trimmed) {
        cache.release(database);
      }
    }
  }

  /** Ends the claim of a turn. */
  void release(OpenDatabase database) {
    cache.release(database);
    if (database.isSaveWanted()) {
      saver.request(database.key());
    }
  }
}
