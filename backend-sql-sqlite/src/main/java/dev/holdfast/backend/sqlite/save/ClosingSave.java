package dev.holdfast.backend.sqlite.save;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Closes all databases and makes all files durable, when the backend is closed normally and
 * everything is durable in the journal. Each object costs a sync, and each directory one, so
 * several threads share the work. Objects that fail are left to recovery.
 */
public final class ClosingSave {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final int THREADS = 4;

  private final DatabaseCache cache;
  private final Saver saver;
  private final Unsaved unsaved;
  private final SavedFiles saved;

  public ClosingSave(DatabaseCache cache, Saver saver, Unsaved unsaved, SavedFiles saved) {
    this.cache = cache;
    this.saver = saver;
    this.unsaved = unsaved;
    this.saved = saved;
  }

  public void run(StorageThreads threads) {
    forEach(threads, cache.all(), this::close);
    forEach(threads, saver.byDirectory(unsaved.needing(Long.MAX_VALUE)), saver::saveClosed);
  }

  private void close(OpenDatabase database) {
    if (!database.claimForMaintenance()) {
      return;
    }
    try {
      database.copyWal();
      saved.closed(database.key(), database.sums()); // also if closing fails
      database.close();
    } catch (IOException | SqliteException e) {
      LOG.log(Level.WARNING, () -> "Closing " + database.file() + " failed.", e);
    }
    if (database.isClosed()) {
      cache.remove(database);
    }
  }

  private static <T> void forEach(StorageThreads threads, Collection<T> items, Consumer<T> work) {
    if (items.isEmpty()) {
      return;
    }
    Queue<T> queue = new ConcurrentLinkedQueue<>(items);
    int shares = Math.min(THREADS, items.size());
    CountDownLatch done = new CountDownLatch(shares);
    for (int share = 0; share < shares; share++) {
      threads.execute(
          () -> {
            try {
              for (T item = queue.poll(); item != null; item = queue.poll()) {
                work.accept(item);
              }
            } finally {
              done.countDown();
            }
          });
    }
    awaitUninterruptibly(done);
  }

  private static void awaitUninterruptibly(CountDownLatch done) {
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
