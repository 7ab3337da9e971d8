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
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Saves objects in the background: makes their database files durable, so that the journal need not
 * keep their batches. It syncs one file at a time, so that saving never takes the disk from the
 * journal, and a directory once for the objects that are saved together.
 *
 * <p>Saving has two steps. In the first the object is claimed, its log is copied into the file, and
 * a new base begins; this step is short. The second step syncs the file while turns run: their
 * writes belong to the new base and are whole in the journal. Only then the journal is notified.
 *
 * <p>Thread-safe.
 */
public final class Saver {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** How many objects are saved before another task may have the thread. */
  private static final int TOGETHER_MAX = 16;

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
    byDirectory(unsaved.needing(position)).forEach(group -> group.forEach(this::request));
  }

  /** {@return objects in groups of one directory, in an order that a simulated run repeats} */
  Collection<List<ObjectKey>> byDirectory(Collection<ObjectKey> keys) {
    return keys.stream()
        .collect(Collectors.groupingBy(this::directory, LinkedHashMap::new, Collectors.toList()))
        .values();
  }

  private Path directory(ObjectKey key) {
    return ObjectFiles.directory(files.database(key));
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

  /** Saves some objects, then queues again after all other work for a storage thread. */
  private void saveNext() {
    List<ObjectKey> keys;
    try {
      keys = next();
    } catch (RuntimeException | Error e) {
      stop(); // otherwise nothing would be saved any more, and closing would wait for it
      throw e;
    }
    if (keys.isEmpty()) {
      return;
    }
    try {
      saveTogether(keys, this::sync);
    } finally {
      saveLater();
    }
  }

  /** Makes the file of an object durable, but not its entry in the directory. */
  private interface Sync {
    /** {@return what is to be reported; null if nothing is, or the object is requested again} */
    @Nullable Synced of(ObjectKey key) throws IOException, SqliteException;
  }

  /** A file that is durable, and whose entry need not be. */
  private record Synced(
      ObjectKey key,
      Unsaved.State state,
      PageSums sums,
      SavedState saving,
      DatabaseCounters.Saving begun) {}

  /** Saves objects of one directory; those that fail are logged, and keep their records. */
  private void saveTogether(List<ObjectKey> keys, Sync sync) {
    List<Synced> synced = new ArrayList<>(keys.size());
    boolean areReported = false;
    try {
      try {
        for (ObjectKey key : keys) {
          attempt(key, () -> addIfNotNull(synced, sync.of(key)));
        }
      } finally {
        Set<Path> forced = new HashSet<>();
        for (Synced one : synced) {
          attempt(one.key(), () -> report(one, forced));
        }
        areReported = true;
      }
    } finally {
      if (!areReported) { // an error has ended the reports; to those that were made it costs space
        synced.forEach(one -> one.sums().nothingKept());
      }
    }
  }

  private static void addIfNotNull(List<Synced> all, @Nullable Synced one) {
    if (one != null) {
      all.add(one);
    }
  }

  private interface Work {
    void run() throws IOException, SqliteException;
  }

  private void attempt(ObjectKey key, Work work) {
    try {
      work.run();
    } catch (JournalFailedException e) {
      // The runtime as a whole has failed, which is reported elsewhere; nothing more can be saved.
      LOG.log(Level.DEBUG, () -> "Object " + key + " was not saved: the journal has failed.");
    } catch (SqliteException e) {
      // With its cause: to SQLite a failing disk may look like a damaged file.
      HoldfastException cause =
          new ObjectErrors(key, files.database(key)).sqliteFailed("Saving", e);
      LOG.log(Level.WARNING, () -> notSaved(key), cause);
    } catch (HoldfastException | IllegalArgumentException | IOException e) {
      LOG.log(Level.WARNING, () -> notSaved(key), e);
    }
  }

  private static String notSaved(ObjectKey key) {
    return "Object " + key + " was not saved; the journal keeps its records.";
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

  /** {@return the next objects that have one directory; none if nothing is to be done} */
  private List<ObjectKey> next() {
    List<ObjectKey> keys = new ArrayList<>();
    lock.lock();
    try {
      Request first = held ? null : queue.peek();
      oldest = held ? queue.peek() : first;
      if (first == null) {
        running = false;
        idle.signalAll();
        return keys;
      }
      Path directory = directory(first.key());
      for (Request next = first;
          next != null && keys.size() < TOGETHER_MAX && directory.equals(directory(next.key()));
          next = queue.peek()) {
        keys.add(next.key());
        queued.remove(next.key());
        queue.remove();
      }
      assert queued.size() == queue.size();
      return keys;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Synced sync(ObjectKey key) throws IOException, SqliteException {
    assert !lock.isHeldByCurrentThread(); // it waits for the disk
    // The state first, then whether the database is open: everything in the state was sealed before
    // the object is found closed, and so is in the file.
    Unsaved.State state = unsaved.state(key);
    if (state == null || cache.isUnusable(key)) {
      return null;
    }
    journal.requireOwnership();
    journal.awaitDurable(Math.min(state.lastPosition(), journal.lastPosition()));
    OpenDatabase database = cache.find(key);
    if (database == null) {
      // Checked again: while this waited, a turn may have failed and its log may have been
      // abandoned. Such an object is marked before it leaves the cache.
      return cache.isUnusable(key) ? null : syncClosed(key, state);
    }
    return syncOpen(database, state);
  }

  /** Saves an object whose database was found open; it may be in use or closed by now. */
  public void saveOpen(OpenDatabase database, Unsaved.State state)
      throws IOException, SqliteException {
    Synced synced = syncOpen(database, state);
    if (synced != null) {
      report(synced, new HashSet<>());
    }
  }

  private @Nullable Synced syncOpen(OpenDatabase database, Unsaved.State state)
      throws IOException, SqliteException {
    DatabaseCounters.Saving begun = counters.beginSave();
    // A large file may not have been read since it was opened. Mostly done before the claim: turns
    // wait.
    BitSet differing =
        database.sums().isChecked()
            ? new BitSet()
            : saved.differing(database.file(), database.sums());
    if (!claim(database)) {
      return null;
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
    return synced(new Synced(database.key(), state, database.sums(), saving, begun));
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
    return Math.max(database.lastPosition(), state.lastBatch());
  }

  /** Saves objects that are not open and have one directory. Those that fail are logged. */
  void saveClosed(List<ObjectKey> keys) {
    saveTogether(
        keys,
        key -> {
          Unsaved.State state = unsaved.state(key);
          return state == null || cache.find(key) != null || cache.isUnusable(key)
              ? null
              : syncClosed(key, state);
        });
  }

  private @Nullable Synced syncClosed(ObjectKey key, Unsaved.State state) throws IOException {
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
      return null;
    }
    SavedState saving = sums.saveAt(state.lastPosition(), state.lastBatch());
    if (saving == null) {
      request(key); // it was opened; its base begins before what was written since
      return null;
    }
    return synced(new Synced(key, state, sums, saving, begun));
  }

  /** Makes the content of a file durable. */
  private Synced synced(Synced saving) throws IOException {
    boolean isSynced = false;
    try {
      ObjectKey key = saving.key();
      force(key, () -> files.force(files.database(key)));
      isSynced = true;
    } finally {
      if (!isSynced) {
        saving.sums().nothingKept();
      }
    }
    return saving;
  }

  /**
   * Makes the entry of a file durable and notifies the journal.
   *
   * @param forced the directories that were synced after the last file was
   */
  private void report(Synced synced, Set<Path> forced) throws IOException {
    ObjectKey key = synced.key();
    SavedState saving = synced.saving();
    Path directory = directory(key);
    boolean isKept = false;
    try {
      boolean isInDoubt = synced.state().entryIsNew() || files.isEntryInDoubt(files.database(key));
      if (isInDoubt && !forced.contains(directory)) {
        force(key, () -> files.forceEntries(directory));
        forced.add(directory);
      }
      observer.accept(key);
      long position = journal.append(RecordKind.CHECKPOINT, viewId, key, saving.encode());
      kept.saved(position, key, saving);
      isKept = true;
    } finally {
      if (!isKept) {
        synced.sums().nothingKept();
      }
    }
    unsaved.saved(key, saving.position());
    saved.saved(key);
    counters.saved(synced.begun(), key, saving.position());
  }

  private interface Force {
    void run() throws IOException;
  }

  private void force(ObjectKey key, Force work) throws IOException {
    try {
      work.run();
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
