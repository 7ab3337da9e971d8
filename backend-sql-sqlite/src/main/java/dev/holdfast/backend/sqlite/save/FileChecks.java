package dev.holdfast.backend.sqlite.save;

import dev.holdfast.TimeSource;
import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads files that are too large to read when they are opened, one after the other, while turns
 * run. A page that differs is checked again while there is no writer. Thread-safe.
 */
public final class FileChecks {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** Objects that are opened, used once and closed need not be read. */
  private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final StorageThreads threads;
  private final TimeSource time;
  private final SavedFiles saved;
  private final DatabaseCache cache;
  private final Queue<OpenDatabase> due = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean runDue = new AtomicBoolean();

  public FileChecks(
      StorageThreads threads, TimeSource time, SavedFiles saved, DatabaseCache cache) {
    this.threads = threads;
    this.time = time;
    this.saved = saved;
    this.cache = cache;
  }

  /** Schedules the check of a database that was opened. */
  public void opened(OpenDatabase database) {
    checkAfter(DELAY_NANOS, database);
  }

  private void checkAfter(long delayNanos, OpenDatabase database) {
    if (database.sums().isChecked()) {
      return;
    }
    time.schedule(
        delayNanos,
        () -> {
          due.add(database);
          runLater();
        });
  }

  private void runLater() {
    try {
      threads.execute(runDue, this::run);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The storage threads have ended; no more files are read.", e);
    }
  }

  private void run() {
    runDue.set(false);
    OpenDatabase database = due.poll();
    if (database == null) {
      return;
    }
    try {
      check(database);
    } catch (IOException e) {
      LOG.log(Level.WARNING, () -> "Reading " + database.file() + " failed; check the disk.", e);
    } finally {
      if (!due.isEmpty()) {
        runLater();
      }
    }
  }

  private void check(OpenDatabase database) throws IOException {
    if (database.isClosed() || database.sums().isChecked()) {
      return;
    }
    BitSet differing = saved.differing(database.file(), database.sums());
    if (!database.claimForMaintenance()) {
      checkAfter(AGAIN_NANOS, database);
      return;
    }
    try {
      if (database.isPartlyCopied()) {
        checkAfter(AGAIN_NANOS, database); // such as a full disk: the file is between two states
        return;
      }
      saved.checkAgain(database.file(), database.sums(), differing);
    } catch (FileRefusedException e) {
      cache.makeUnusableFromOutside(database.key(), ObjectErrors.reason(e));
      LOG.log(Level.ERROR, () -> database.file() + " was damaged: " + e.getMessage());
    } finally {
      cache.release(database);
    }
  }
}
