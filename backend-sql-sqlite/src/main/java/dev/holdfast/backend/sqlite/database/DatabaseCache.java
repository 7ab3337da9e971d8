package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectFailureListener;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open databases: at most {@code openMax}, not counting databases of waiting transactions,
 * since what they wait for may need room. When room is needed, a database that was not used lately
 * is closed: its log is copied into the file, without a sync, once the journal has made its content
 * durable. (The object therefore stays unsaved, and recovery would still redo it.)
 *
 * <p>Thread-safe. A turn that claims the database it claimed before takes no lock.
 */
public final class DatabaseCache {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Journal journal;
  private final StorageThreads threads;
  private final SqliteLibrary library;
  private final ObjectFiles files;
  private final SavedFiles saved;
  private final Unsaved unsaved;
  private final int openMax;
  private final int memoryBytesMax;
  private final DatabaseCounters counters;

  private EvictionListener evictions = _ -> {};
  private Consumer<OpenDatabase> openings = _ -> {};
  private ObjectFailureListener failures = (_, _) -> {};

  /** Objects that cannot be used until the runtime is opened again, with the reason. */
  private final Map<ObjectKey, String> unusable = new ConcurrentHashMap<>();

  /**
   * Objects whose database a thread is about to claim after it did not find it as claimed before.
   */
  private final Set<ObjectKey> opening = ConcurrentHashMap.newKeySet();

  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled to threads that wait while their database is saved or closed. */
  private final Condition changed = lock.newCondition();

  /**
   * Signalled to threads that need room. One thread is woken per free place, and it signals the
   * next if there may be more. With thousands of waiters, waking all of them each time would be
   * most of the work.
   */
  private final Condition roomMade = lock.newCondition();

  /** How many threads wait for either condition; read without the lock after a change. */
  private final AtomicInteger waitingCount = new AtomicInteger();

  /** How many frames a log may have, given the number of open databases. */
  private volatile int logFrames = SqliteBounds.LOG_FRAMES_MAX;

  // Guarded by lock.
  private final Map<ObjectKey, OpenDatabase> databases = new HashMap<>();
  private final List<OpenDatabase> ring = new ArrayList<>();
  private int hand;
  private int openingCount;

  /** Databases whose turns wait, and which therefore do not count. */
  private int beyondBoundCount;

  public DatabaseCache(
      Journal journal,
      StorageThreads threads,
      SqliteLibrary library,
      Bounds bounds,
      DatabaseCounters counters) {
    this.journal = journal;
    this.threads = threads;
    this.library = library;
    this.files = bounds.files();
    this.saved = bounds.saved();
    this.unsaved = bounds.unsaved();
    this.openMax = bounds.openMax();
    this.memoryBytesMax = bounds.memoryBytesMax();
    this.counters = counters;
  }

  /**
   * Where the databases are, what their files should contain, which batches are not saved, how many
   * may be open, and up to which size they are in memory.
   */
  public record Bounds(
      ObjectFiles files, SavedFiles saved, Unsaved unsaved, int openMax, int memoryBytesMax) {}

  /** Notified of databases that were closed to make room, or that could not be closed. */
  public interface EvictionListener {
    void ended(OpenDatabase database);
  }

  /** Call it once, before the first claim. */
  public void onEviction(EvictionListener listener) {
    evictions = listener;
  }

  /** Call it once, before the first claim. */
  public void onOpening(Consumer<OpenDatabase> listener) {
    openings = listener;
  }

  /** Call it at most once, before the first claim. */
  public void onObjectFailure(ObjectFailureListener listener) {
    failures = listener;
  }

  /**
   * Claims the database of an object for a turn. Opens it if necessary, and waits while it is being
   * saved or closed, or while there is no room.
   *
   * @throws StorageFailedException if it cannot be opened
   */
  public OpenDatabase claim(ObjectKey key) {
    requireUsable(key);
    boolean added = opening.add(key);
    try {
      OpenDatabase known = claimKnownOrReserve(key);
      return known != null ? known : openReserved(key);
    } finally {
      if (added) {
        opening.remove(key);
      }
    }
  }

  /** {@return whether a thread waits for the database of an object to be opened} */
  public boolean isOpening(ObjectKey key) {
    return opening.contains(key);
  }

  /**
   * Excludes a claimed database from the count until its claim ends: its turn waits for others. If
   * {@code openMax} transactions waited for objects that are not open, no room could ever be made.
   */
  public void keepBeyondBound(OpenDatabase database) {
    if (database.isBeyondBound()) {
      return;
    }
    lock.lock();
    try {
      database.setBeyondBound(true);
      beyondBoundCount++;
      signalLocked();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Counts the database again. There may be too many then, until the next thread that opens one
   * closes some.
   */
  private void countAgain(OpenDatabase database) {
    if (database.isBeyondBound()) {
      lock.lock();
      try {
        database.setBeyondBound(false);
        beyondBoundCount--;
      } finally {
        lock.unlock();
      }
    }
  }

  /** {@return from how many frames on the log of a database should be copied into its file} */
  public int logFrames() {
    return logFrames;
  }

  /** Called under the lock. */
  private void shareLogFrames() {
    logFrames =
        Math.clamp(
            SqliteBounds.LOG_FRAMES_IN_ALL / Math.max(1, ring.size()),
            SqliteBounds.LOG_FRAMES_MIN,
            SqliteBounds.LOG_FRAMES_MAX);
  }

  /** Ends the claim of a turn or of maintenance. */
  public void release(OpenDatabase database) {
    countAgain(database);
    database.unclaim();
    // A waiter counts itself before it reads the claim, so one of the two threads sees the other.
    if (waitingCount.get() > 0) {
      signal();
    }
  }

  /** {@return the open database of an object, whether claimed or not} */
  public @Nullable OpenDatabase find(ObjectKey key) {
    lock.lock();
    try {
      return databases.get(key);
    } finally {
      lock.unlock();
    }
  }

  /** {@return all open databases} */
  public List<OpenDatabase> all() {
    lock.lock();
    try {
      return List.copyOf(ring);
    } finally {
      lock.unlock();
    }
  }

  /** Removes a database that was closed. */
  public void remove(OpenDatabase database) {
    countAgain(database);
    lock.lock();
    try {
      if (databases.remove(database.key(), database)) {
        counters.closed();
        int index = ring.indexOf(database);
        ring.set(index, ring.getLast());
        ring.removeLast();
        shareLogFrames();
        signalLocked();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Refuses an object until the runtime is opened again, when recovery rebuilds its file. */
  public void makeUnusable(ObjectKey key, String reason) {
    unusable.put(key, reason);
  }

  /** Refuses an object whose turns have seen no error; one of them may be running. */
  public void makeUnusableFromOutside(ObjectKey key, String reason) {
    if (unusable.putIfAbsent(key, reason) == null) {
      failures.failed(key, refusal(key, reason));
    }
  }

  /**
   * Reverts what a database has committed but not sealed.
   *
   * @return false if that failed; the object is refused from now on, and the database closed
   */
  public boolean revert(OpenDatabase database) {
    try {
      threads.run(
          () -> {
            database.revert();
            return true;
          });
      return true;
    } catch (Exception | Error e) {
      // Mostly out of memory; the claim of a finished turn must not block the object for ever.
      makeUnusable(
          database.key(),
          "its database could not be brought back to its last state ("
              + e
              + "); close the runtime and open it again, which rebuilds it from the journal");
      database.retire();
      remove(database);
      return false;
    }
  }

  /**
   * Abandons a claimed database that may have more than the journal, less, or the same. The journal
   * keeps the records of the object and decides when the runtime is opened again.
   */
  public void giveUp(OpenDatabase database, String reason) {
    // First of all, as memory may be short: until it is retired, the turn's claim blocks the
    // object.
    makeUnusable(
        database.key(),
        reason
            + "; close the runtime and open it again, which rebuilds the object from the journal");
    try {
      threads.run(
          () -> {
            database.abandon();
            return database;
          });
    } catch (Exception e) {
      LOG.log(Level.WARNING, () -> "Closing " + database.file() + " failed.", e);
    }
    if (database.isClosed()) {
      remove(database);
    }
  }

  /** {@return whether an object is refused until the runtime is opened again} */
  public boolean isUnusable(ObjectKey key) {
    return !unusable.isEmpty() && unusable.containsKey(key);
  }

  /** {@return how many objects are refused until the next opening of the backend} */
  public int unusableCount() {
    return unusable.size();
  }

  private void requireUsable(ObjectKey key) {
    String reason = unusable.isEmpty() ? null : unusable.get(key);
    if (reason != null) {
      throw refusal(key, reason);
    }
  }

  private StorageFailedException refusal(ObjectKey key, String reason) {
    return errors(key).storage("The object cannot be used: " + reason, null);
  }

  /** {@return the claimed database if it is open; null if the caller must open it} */
  private @Nullable OpenDatabase claimKnownOrReserve(ObjectKey key) {
    boolean waitedForRoom = false;
    lock.lock();
    try {
      waitingCount.incrementAndGet();
      while (true) {
        OpenDatabase known = databases.get(key);
        if (known != null && known.claimForTurn()) {
          return known;
        }
        if (known != null && known.isInTurn()) {
          throw new IllegalStateException("Object " + key + " has a turn open already.");
        }
        boolean hasRoom = databases.size() - beyondBoundCount + openingCount < openMax;
        if (known == null && hasRoom) {
          openingCount++;
          return null;
        }
        if (known != null) {
          changed.awaitUninterruptibly();
          continue;
        }
        OpenDatabase victim = chooseVictim();
        if (victim == null) {
          waitedForRoom = true;
          roomMade.awaitUninterruptibly();
        } else {
          evictUnlocked(victim, key);
        }
      }
    } finally {
      waitingCount.decrementAndGet();
      if (waitedForRoom) {
        // The free place may be left, or there may be room for two.
        roomMade.signal();
      }
      lock.unlock();
    }
  }

  /** Closes a database to make room for another. Releases the lock meanwhile. */
  private void evictUnlocked(OpenDatabase victim, ObjectKey forKey) {
    lock.unlock();
    try {
      evict(victim);
    } catch (IOException | SqliteException e) {
      throw errors(forKey).storage("No database can be closed to make room: " + e.getMessage(), e);
    } finally {
      lock.lock();
    }
  }

  /** Second chance: a database used since the hand last passed is skipped once. */
  private @Nullable OpenDatabase chooseVictim() {
    for (int steps = 2 * ring.size(); steps > 0; steps--) {
      hand = hand + 1 < ring.size() ? hand + 1 : 0;
      OpenDatabase candidate = ring.get(hand);
      if (candidate.isIdle() && !candidate.takeRecentlyUsed() && candidate.claimForMaintenance()) {
        return candidate;
      }
    }
    return null;
  }

  private void evict(OpenDatabase victim) throws IOException, SqliteException {
    try {
      // Waits here: a storage thread that waits for the journal could block the journal's own work.
      journal.awaitDurable(victim.lastPosition());
      journal.requireOwnership();
      runNative(
          () -> {
            victim.copyWal();
            saved.closed(victim.key(), victim.sums()); // also if closing fails
            victim.close();
            return victim;
          });
    } finally {
      if (victim.isClosed()) {
        remove(victim);
      } else {
        release(victim);
      }
      evictions.ended(victim);
    }
  }

  /**
   * Closes the database of an object, if it is open, and deletes the logs that databases have used:
   * their frames stay after they were copied. No turn of the object is open.
   *
   * @throws StorageFailedException if that fails
   */
  public void eraseRemains(ObjectKey key) {
    try {
      if (find(key) != null) {
        evict(claim(key));
      }
      files.discardSpareLogs();
    } catch (IOException | SqliteException e) {
      throw errors(key).storage("The log of the object cannot be removed: " + e.getMessage(), e);
    }
  }

  private OpenDatabase openReserved(ObjectKey key) {
    OpenDatabase opened = null;
    long begunNanos = counters.nanos();
    // Before the saved state is read: it may be saved meanwhile. Recovery writes nothing for a
    // batch without pages, so the file does not show it.
    long lastBatch = unsaved.lastBatch(key);
    try {
      opened = runNative(() -> OpenDatabase.open(library, files, saved, key, memoryBytesMax));
      opened.reach(lastBatch);
      counters.opened(begunNanos);
      openings.accept(opened);
      return opened;
    } catch (SqliteException e) {
      throw errors(key).sqliteFailed("Opening the database", e);
    } catch (FileRefusedException e) {
      throw errors(key).refused(e);
    } catch (IOException e) {
      throw errors(key)
          .storage("The database cannot be opened: " + e.getMessage() + "; check the disk", e);
    } finally {
      lock.lock();
      try {
        openingCount--;
        if (opened != null) {
          databases.put(key, opened);
          ring.add(opened);
          shareLogFrames();
        }
        signalLocked();
      } finally {
        lock.unlock();
      }
    }
  }

  private OpenDatabase runNative(NativeWork work) throws IOException, SqliteException {
    try {
      return threads.run(work::run);
    } catch (IOException | SqliteException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("A storage thread failed", e);
    }
  }

  private ObjectErrors errors(ObjectKey key) {
    return new ObjectErrors(key, files.database(key));
  }

  private void signal() {
    lock.lock();
    try {
      signalLocked();
    } finally {
      lock.unlock();
    }
  }

  private void signalLocked() {
    changed.signalAll();
    roomMade.signal();
  }

  /** Work that may block in native code. */
  private interface NativeWork {
    OpenDatabase run() throws IOException, SqliteException;
  }
}
