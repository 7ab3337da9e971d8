package dev.holdfast.backend.sqlite.save;

import dev.holdfast.HoldfastException;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.database.DatabaseCounters;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Saves objects in the background: makes their database files durable, so that the journal need not
 * keep their batches. It saves one object at a time, so that saving never takes the disk from the
 * journal.
 *
 * <p>Saving has two steps. In the first the object is claimed, its log is copied into the file, and
 * a new base begins; this step is short. The second step syncs the file while turns run: their
 * writes belong to the new base and are whole in the journal. Only then the journal is notified.
 *
 * <p>Thread-safe.
 */
public final class Saver {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Journal journal;
  private final int viewId;
  private final StorageThreads threads;
  private final ObjectFiles files;
  private final Unsaved unsaved;
  private final DatabaseCache cache;
  private final SavedFiles saved;
  private final SavedListener kept;
  private final DatabaseCounters counters;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();

  // Guarded by lock.
  private final Queue<Request> queue = new ArrayDeque<>();
  private final Set<ObjectKey> queued = new HashSet<>();
  private boolean running;
  private boolean held;
  private boolean closed;

  /** Is notified of each object whose file is durable, before its checkpoint record. */
  private volatile Consumer<ObjectKey> observer = _ -> {};

  /** The request that runs, else the one that has waited longest. Written under the lock. */
  private volatile @Nullable Request oldest;

  /** An object to save, and when that was requested. */
  private record Request(ObjectKey key, long nanos) {}

  public Saver(Ports ports, ObjectFiles files, Unsaved unsaved, DatabaseCache cache) {
    this.journal = ports.journal();
    this.viewId = ports.viewId();
    this.threads = ports.threads();
    this.saved = ports.saved();
    this.kept = ports.kept();
    this.counters = ports.counters();
    this.files = files;
    this.unsaved = unsaved;
    this.cache = cache;
  }

  /**
   * What the saver uses besides the files.
   *
   * @param journal gets the checkpoint records
   * @param viewId the view of the records
   * @param threads do the work
   * @param saved has the expected content of the files
   * @param kept gets the saved states
   * @param counters measures the saves
   */
  public record Ports(
      Journal journal,
      int viewId,
      StorageThreads threads,
      SavedFiles saved,
      SavedListener kept,
      DatabaseCounters counters) {}

  /** Receives the saved states. */
  public interface SavedListener {
    void saved(long position, ObjectKey key, SavedState state);
  }

  /** Requests all objects that need records before a position. Returns at once. */
  public void saveBefore(long position) {
    for (ObjectKey key : unsaved.needing(position)) {
      request(key);
    }
  }

  /** Requests an object. Returns at once. */
  public void request(ObjectKey key) {
    lock.lock();
    try {
      if (closed || !queued.add(key)) {
        return;
      }
      Request request = new Request(key, counters.nanos());
      queue.add(request);
      start();
    } finally {
      lock.unlock();
    }
  }

  private void start() {
    assert lock.isHeldByCurrentThread();
    if (!running && !held && !queue.isEmpty()) {
      running = true;
      oldest = queue.peek();
      saveLater();
    }
  }

  /**
   * Sets what is notified of the objects that are saved, after the file is durable and before the
   * checkpoint record is appended.
   */
  public void observe(Consumer<ObjectKey> next) {
    observer = next;
  }

  /** Waits for the running save. Requests wait from now on. */
  public void hold() {
    lock.lock();
    try {
      held = true;
      while (running) {
        idle.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends a {@link #hold}. */
  public void release() {
    lock.lock();
    try {
      held = false;
      start();
    } finally {
      lock.unlock();
    }
  }

  /** {@return how long the oldest request has waited or run; 0 if there is none} */
  public long lagNanos() {
    Request first = oldest;
    return first == null ? 0 : counters.nanos() - first.nanos();
  }

  /** Waits until all requests are done. */
  public void awaitIdle() {
    lock.lock();
    try {
      while (running) {
        idle.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Rejects further requests, drops the waiting ones, and waits for the running one. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      queue.clear();
      queued.clear();
      while (running) {
        idle.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Saves one object, then queues again after all other work for a storage thread. */
  private void saveNext() {
    ObjectKey key = next();
    if (key == null) {
      return;
    }
    try {
      save(key);
    } catch (JournalFailedException e) {
      // The runtime as a whole has failed, which is reported elsewhere; nothing more can be saved.
      LOG.log(Level.DEBUG, () -> "Object " + key + " was not saved: the journal has failed.");
    } catch (SqliteException e) {
      // With its cause: to SQLite a failing disk may look like a damaged file.
      HoldfastException cause =
          new ObjectErrors(key, files.database(key)).sqliteFailed("Saving", e);
      LOG.log(
          Level.WARNING,
          () -> "Object " + key + " was not saved; the journal keeps its records.",
          cause);
    } catch (HoldfastException | IllegalArgumentException | IOException e) {
      LOG.log(
          Level.WARNING,
          () -> "Object " + key + " was not saved; the journal keeps its records.",
          e);
    } finally {
      saveLater();
    }
  }

  private void saveLater() {
    try {
      threads.execute(this::saveNext);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The storage threads have ended; no more objects are saved.", e);
      stop();
    } catch (Error e) {
      stop(); // otherwise nothing would be saved any more, and closing would wait for it
      throw e;
    }
  }

  private void stop() {
    lock.lock();
    try {
      queue.clear();
      queued.clear();
      oldest = null;
      running = false;
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable ObjectKey next() {
    lock.lock();
    try {
      Request request = held ? null : queue.poll();
      oldest = held ? queue.peek() : request;
      if (request == null) {
        running = false;
        idle.signalAll();
        return null;
      }
      queued.remove(request.key());
      assert queued.size() == queue.size();
      return request.key();
    } finally {
      lock.unlock();
    }
  }

  private void save(ObjectKey key) throws IOException, SqliteException {
    assert !lock.isHeldByCurrentThread(); // it waits for the disk
    // The state first, then whether the database is open: everything in the state was sealed before
    // the object is found closed, and so is in the file.
    Unsaved.State state = unsaved.state(key);
    if (state == null || cache.isUnusable(key)) {
      return;
    }
    journal.requireOwnership();
    journal.awaitDurable(Math.min(state.lastPosition(), journal.lastPosition()));
    OpenDatabase database = cache.find(key);
    if (database == null) {
      // Checked again: while this waited, a turn may have failed and its log may have been
      // abandoned. Such an object is marked before it leaves the cache.
      if (!cache.isUnusable(key)) {
        saveClosed(key, state);
      }
    } else {
      saveOpen(database, state);
    }
  }

  /** Saves an object whose database was found open; it may be in use or closed by now. */
  public void saveOpen(OpenDatabase database, Unsaved.State state)
      throws IOException, SqliteException {
    DatabaseCounters.Saving begun = counters.beginSave();
    // A large file may not have been read since it was opened. Mostly done before the claim: turns
    // wait.
    BitSet differing =
        database.sums().isChecked()
            ? new BitSet()
            : saved.differing(database.file(), database.sums());
    if (!claim(database)) {
      return;
    }
    SavedState saving;
    try {
      long position = copy(database, state);
      // After the copy: an earlier one that failed half way has left the file different from its
      // checksums.
      checkAgain(database, differing);
      // Under the claim, since the base begins here: pages that a later turn has written whole may
      // be torn in the file, and the record would say that their batches are not needed.
      saving = database.sums().save(position);
    } finally {
      cache.release(database);
    }
    force(database.key(), state, database.sums(), saving);
    counters.saved(begun, database.key(), saving.position());
  }

  private void checkAgain(OpenDatabase database, BitSet differing) throws IOException {
    if (database.sums().isChecked()) {
      return;
    }
    try {
      saved.checkAgain(database.file(), database.sums(), differing);
    } catch (FileRefusedException e) {
      cache.makeUnusableFromOutside(database.key(), ObjectErrors.reason(e));
      throw e;
    }
  }

  /** If the database is in use, its user requests the save again at the end. */
  private boolean claim(OpenDatabase database) {
    if (database.claimForMaintenance()) {
      return true;
    }
    database.wantSave(true);
    if (database.claimForMaintenance()) {
      return true;
    }
    // The closing thread may have checked for the request before it was made.
    if (database.isClosed()) {
      request(database.key());
    }
    return false;
  }

  /** {@return the position up to which the file now holds everything} */
  private long copy(OpenDatabase database, Unsaved.State state)
      throws IOException, SqliteException {
    database.wantSave(false);
    journal.awaitDurable(database.lastPosition());
    database.copyWal();
    database.beginBase();
    return Math.max(database.lastPosition(), state.lastPosition());
  }

  /** Saves an object that is not open. */
  void saveClosed(ObjectKey key, Unsaved.State state) throws IOException {
    DatabaseCounters.Saving begun = counters.beginSave();
    PageSums sums;
    try {
      sums = saved.toSave(key, files.database(key));
    } catch (FileRefusedException e) {
      if (state.equals(unsaved.state(key))) {
        cache.makeUnusableFromOutside(key, ObjectErrors.reason(e));
        throw e;
      }
      request(key); // it was opened, and written while it was read
      return;
    }
    SavedState saving = sums.saveAt(state.lastPosition());
    if (saving == null) {
      request(key); // it was opened; its base begins before what was written since
      return;
    }
    force(key, state, sums, saving);
    counters.saved(begun, key, saving.position());
  }

  /** Makes a file durable and notifies the journal. */
  private void force(ObjectKey key, Unsaved.State state, PageSums sums, SavedState saving)
      throws IOException {
    boolean isKept = false;
    try {
      forceFile(key, state);
      observer.accept(key);
      long position = journal.append(RecordKind.CHECKPOINT, viewId, key, saving.encode());
      kept.saved(position, key, saving);
      isKept = true;
    } finally {
      if (!isKept) {
        sums.nothingKept();
      }
    }
    unsaved.saved(key, saving.position());
    saved.saved(key);
  }

  private void forceFile(ObjectKey key, Unsaved.State state) throws IOException {
    try {
      files.force(files.database(key), state.entryIsNew());
    } catch (IOException e) {
      // After a failed sync the page cache may hold pages as clean that never reached the disk.
      cache.makeUnusableFromOutside(
          key,
          "its database could not be made durable ("
              + e.getMessage()
              + "); check the disk, close the runtime and open it again");
      throw e;
    }
  }
}
