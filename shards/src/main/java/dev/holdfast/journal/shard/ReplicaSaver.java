package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.replica.ReplicaSegments;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes durable what a copy of a shard has applied, in the background: every 16 MiB, or a second
 * after an entry. Its tasks run one after the other on the saver of the node; an error of one stops
 * the replica. Thread-safe.
 */
final class ReplicaSaver {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private static final long UNSAVED_BYTES_MAX = 16L << 20;
  private static final long UNSAVED_NANOS_MAX = 1_000_000_000;

  private final Path directory;
  private final ShardHost host;
  private final ReplicaProgress progress;
  private final ReplicaSegments written;
  private final SavedFile savedFile;
  private final OutgoingImage images;
  private final Runnable saved;
  private final AtomicBoolean isScheduled = new AtomicBoolean();

  /**
   * @param directory of the replica
   * @param images dropped when nobody has asked for them for long
   * @param saved called after each save
   */
  ReplicaSaver(
      Path directory,
      ShardHost host,
      ReplicaProgress progress,
      ReplicaSegments written,
      SavedFile savedFile,
      OutgoingImage images,
      Runnable saved) {
    this.directory = directory;
    this.host = host;
    this.progress = progress;
    this.written = written;
    this.savedFile = savedFile;
    this.images = images;
    this.saved = saved;
  }

  /** After an entry was applied. */
  void saveInTime() {
    if (progress.bytes().isSaveDue(UNSAVED_BYTES_MAX)) {
      saveSoon();
    } else if (isScheduled.compareAndSet(false, true)) {
      host.time().schedule(UNSAVED_NANOS_MAX, this::saveOnTimer);
    }
  }

  private void saveOnTimer() {
    isScheduled.set(false);
    saveIfOpen();
  }

  /**
   * Called by timers, of which all shards have one thread: without the lock, which may wait for a
   * disk. After the close there may be no saver any more.
   */
  void saveIfOpen() {
    if (progress.isClosed()) {
      return;
    }
    try {
      run(
          () -> {
            if (!progress.isClosed()) {
              saveNow();
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "The node is closed, and the replica before it.", e);
    }
  }

  /** Makes durable what is applied, in the background. */
  void saveSoon() {
    run(this::saveNow);
  }

  /** Runs a task in order with the saves. */
  void run(Runnable task) {
    host.saver()
        .execute(
            () -> {
              try {
                if (progress.failure() == null) {
                  task.run();
                }
              } catch (RuntimeException e) {
                progress.stop(e);
              } catch (Error e) {
                progress.stop(
                    new IllegalStateException("A task of the replica has failed: " + e, e));
                throw e;
              }
            });
  }

  /** Waits until the saver has done what was asked of it so far. */
  void await() {
    CompletableFuture<Void> last = new CompletableFuture<>();
    host.saver().execute(() -> last.complete(null));
    last.join();
  }

  /** Makes durable what is applied. On the saver. */
  void saveNow() {
    ShardJournal current = progress.journal();
    if (current != null) {
      current.review();
    }
    Saved state;
    DiskFile newest;
    long bytes;
    progress.lock().lock();
    try {
      state = progress.current();
      bytes = progress.bytes().applied();
      newest = written.newest();
    } finally {
      progress.lock().unlock();
    }
    images.dropIfSilent();
    SavedPoint point = state.point();
    boolean isLater = point.index() > progress.saved().index();
    boolean isPurged = !point.purges().equals(progress.durable().point().purges());
    if (!isLater && !isPurged && state.lowWaterMark() <= progress.durable().lowWaterMark()) {
      saved.run();
      return;
    }
    try {
      written.force(newest);
      savedFile.write(state);
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory,
          "The replica of the shard cannot be made durable ("
              + e.getMessage()
              + "); it stops. Make room on the disk, or repair it, and open it again: the other"
              + " nodes go on",
          e);
    }
    progress.written(state);
    if (isLater || isPurged) {
      progress.save(point, bytes);
      progress.startedLog().compactTo(point.index());
      host.owner().saved();
    }
    saved.run();
  }
}
