package dev.holdfast.testkit;

import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectFailureListener;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.CatalogUndo;
import dev.holdfast.spi.catalog.Listing;
import dev.holdfast.spi.verify.ObjectChains;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A storage backend in memory: key-value only, as durable as its journal.
 *
 * <p>It has no files: after a crash a new backend is filled from the journal alone, so it needs the
 * journal from its first batch on. It checks the rules that the engine must keep: two open turns of
 * one object, and a turn used by another thread, after its end, or after its store was released,
 * fail with {@link IllegalStateException}. Tests can make it fail: see {@link #failNext} and {@link
 * #failFrom}.
 *
 * <p>Thread-safe, except as {@link ObjectStore} states. An object takes memory from its first batch
 * on, with one pair about 400 bytes, including its id and its store.
 */
public final class InMemoryBackend implements StorageBackend {

  /** An operation that a test can make fail. */
  public enum Operation {
    /** {@link ObjectStore#beginTurn}. */
    BEGIN_TURN,
    /** {@link StoreTurn#get}. */
    GET,
    /** {@link StoreTurn#put}. */
    PUT,
    /** {@link StoreTurn#delete}. */
    DELETE,
    /** {@link StoreTurn#deleteAll}. */
    DELETE_ALL,
    /** {@link StoreTurn#scan}. */
    SCAN,
    /** {@link StoreTurn#seal}: the batch is not created and the turn can only be discarded. */
    SEAL
  }

  /** The default view id of this backend. */
  public static final int DEFAULT_VIEW_ID = 255;

  static final Comparator<byte[]> KEY_ORDER = Arrays::compareUnsigned;

  private final Journal journal;
  private final int viewId;

  /** The data of every object that has any. A map belongs to the thread that runs the turn. */
  private final Map<ObjectKey, NavigableMap<byte[], byte[]>> objects = new ConcurrentHashMap<>();

  /** The alarms of every object that has any. A list belongs to the thread that runs the turn. */
  private final Map<ObjectKey, List<AlarmRecord>> alarms = new ConcurrentHashMap<>();

  /** The last batch of every object that ever had one. */
  private final Map<ObjectKey, Long> lastPositions = new ConcurrentHashMap<>();

  private final InMemoryCatalog catalog;
  private final Set<ObjectKey> openTurns = ConcurrentHashMap.newKeySet();
  private final Map<Fault, Boolean> faults = new ConcurrentHashMap<>();
  private final AtomicLong firstPosition = new AtomicLong(Long.MAX_VALUE);
  private volatile ObjectFailureListener failures = (_, _) -> {};
  private volatile @Nullable Runnable disk;
  private volatile boolean closed;

  /**
   * Creates an empty backend. Call {@link #recover} before anything else.
   *
   * @param journal receives the batches
   */
  public InMemoryBackend(Journal journal) {
    this(journal, DEFAULT_VIEW_ID);
  }

  /**
   * Creates an empty backend, one of several on one journal.
   *
   * @param journal receives the batches
   * @param viewId 1 to 255, different for each backend of a runtime
   * @throws IllegalArgumentException if {@code viewId} is not from 1 to 255
   */
  public InMemoryBackend(Journal journal, int viewId) {
    if (viewId < 1 || viewId > 255) {
      throw new IllegalArgumentException("viewId must be 1 to 255: " + viewId);
    }
    this.journal = journal;
    this.viewId = viewId;
    this.catalog = new InMemoryCatalog(journal);
  }

  @Override
  public int viewId() {
    return viewId;
  }

  @Override
  public @Nullable ObjectPresence presenceIn(JournalRecord record) {
    if (record.viewId() != viewId || !record.kind().isBatch()) {
      return null;
    }
    CatalogChange change = KeyValueBatch.decode(record.payload()).catalog();
    return change == null ? null : new ObjectPresence(change.exists(), change.name());
  }

  @Override
  public void recover(RecoveryLog log) {
    objects.clear();
    alarms.clear();
    catalog.clear();
    lastPositions.clear();
    ObjectChains chains = new ObjectChains(_ -> Journal.START);
    log.forEach(
        record -> {
          if (record.viewId() == viewId && record.kind().isBatch()) {
            chains.visit(record);
            lastPositions.put(record.key(), record.position());
            firstPosition.accumulateAndGet(record.position(), Math::min);
            NavigableMap<byte[], byte[]> data =
                objects.computeIfAbsent(record.key(), _ -> new TreeMap<>(KEY_ORDER));
            KeyValueBatch batch = KeyValueBatch.decode(record.payload());
            batch.redo(data);
            keep(record.key(), data);
            if (batch.catalog() != null) {
              catalog.redo(record.key(), batch.catalog());
              setAlarms(record.key(), catalog.redoneAlarms(record.key()));
            }
          }
        });
  }

  @Override
  public long lowWaterMark() {
    return firstPosition.get();
  }

  /** Does nothing: there are no files that could replace the journal. */
  @Override
  public void checkpointBefore(long position) {}

  @Override
  public ObjectCatalog catalog() {
    return catalog;
  }

  @Override
  public ObjectStore store(ObjectKey key) {
    return new Store(key);
  }

  @Override
  public void onObjectFailure(ObjectFailureListener listener) {
    failures = listener;
  }

  /** Closes the backend. Turns begun afterwards fail. */
  @Override
  public void close() {
    closed = true;
  }

  /**
   * Makes an operation of an object fail once with {@link StorageFailedException}.
   *
   * @param operation the operation that fails
   * @param key the object
   */
  public void failNext(Operation operation, ObjectKey key) {
    faults.put(new Fault(operation, key), Boolean.TRUE);
  }

  /**
   * Makes an operation of an object fail with {@link StorageFailedException} until {@link #heal}.
   *
   * @param operation the operation that fails
   * @param key the object
   */
  public void failFrom(Operation operation, ObjectKey key) {
    faults.put(new Fault(operation, key), Boolean.FALSE);
  }

  /**
   * Simulates a background failure to keep an object: its turns fail to begin until {@link #heal},
   * and the listener is notified, on this thread.
   *
   * @param key the object
   */
  public void failInBackground(ObjectKey key) {
    failFrom(Operation.BEGIN_TURN, key);
    failures.failed(
        key,
        new StorageFailedException(
            key.namespace(), key.id(), "Injected failure in the background.", null));
  }

  /**
   * Simulates that every read needs a disk.
   *
   * @param read the task that {@link StoreTurn#prefetch} returns from now on; null for reads from
   *     memory
   */
  public void readFromDisk(@Nullable Runnable read) {
    disk = read;
  }

  @Nullable Runnable disk() {
    return disk;
  }

  /** Removes all faults. */
  public void heal() {
    faults.clear();
  }

  /** {@return the number of objects with sealed data} */
  public int objectCount() {
    return objects.size();
  }

  /** {@return the number of open turns} */
  public int openTurnCount() {
    return openTurns.size();
  }

  Journal journal() {
    return journal;
  }

  NavigableMap<byte[], byte[]> data(ObjectKey key) {
    NavigableMap<byte[], byte[]> data = objects.get(key);
    return data == null ? new TreeMap<>(KEY_ORDER) : data;
  }

  List<AlarmRecord> alarms(ObjectKey key) {
    return alarms.getOrDefault(key, List.of());
  }

  void setAlarms(ObjectKey key, List<AlarmRecord> list) {
    if (list.isEmpty()) {
      alarms.remove(key);
    } else {
      alarms.put(key, list);
    }
  }

  /** {@return the link of the next batch of an object} */
  ChainLink link(ObjectKey key) {
    return ChainLink.after(lastPositions.getOrDefault(key, Journal.START));
  }

  void appended(ObjectKey key, long position) {
    lastPositions.put(key, position);
  }

  boolean knows(ObjectKey key) {
    return catalog.has(key);
  }

  void sealed(long position, ObjectKey key, CatalogChange change) {
    catalog.sealed(position, key, change);
  }

  /** Ends a turn: an object without data leaves no trace. */
  void endTurn(ObjectKey key, NavigableMap<byte[], byte[]> data) {
    keep(key, data);
    openTurns.remove(key);
  }

  /**
   * Called before an append: a query of the low-water mark during the append must see its record.
   */
  void needNextRecord() {
    firstPosition.accumulateAndGet(journal.lastPosition() + 1, Math::min);
  }

  void failIfSet(Operation operation, ObjectKey key) {
    if (faults.isEmpty()) {
      return;
    }
    Fault fault = new Fault(operation, key);
    Boolean once = faults.get(fault);
    if (once == null || (once && faults.remove(fault) == null)) {
      return;
    }
    throw new StorageFailedException(
        key.namespace(), key.id(), "Injected failure of " + operation + ".", null);
  }

  private void keep(ObjectKey key, NavigableMap<byte[], byte[]> data) {
    if (data.isEmpty()) {
      objects.remove(key);
    } else {
      objects.put(key, data);
    }
  }

  private record Fault(Operation operation, ObjectKey key) {}

  /**
   * The data of one object during the lifetime of one instance. Confined to the thread that runs
   * the turn.
   */
  private final class Store implements ObjectStore {
    private final ObjectKey key;
    private volatile boolean released;
    private final Listing listing = new Listing();

    Store(ObjectKey key) {
      this.key = key;
    }

    @Override
    public StoreTurn beginTurn() {
      if (released) {
        throw new IllegalStateException("The store of " + key + " was released.");
      }
      if (closed) {
        throw new IllegalStateException("The backend is closed; a turn of " + key + " began.");
      }
      failIfSet(Operation.BEGIN_TURN, key);
      if (!openTurns.add(key)) {
        throw new IllegalStateException("Two turns of " + key + " at once.");
      }
      return new InMemoryTurn(InMemoryBackend.this, key, listing);
    }

    @Override
    public long restore(LaterBatches later) {
      NavigableMap<byte[], byte[]> now = new TreeMap<>(KEY_ORDER);
      now.putAll(data(key));
      NavigableMap<byte[], byte[]> past = new TreeMap<>(KEY_ORDER);
      past.putAll(now);
      CatalogUndo undo = new CatalogUndo();
      later.newestFirst(
          link(key).previous(),
          record -> {
            KeyValueBatch batch = KeyValueBatch.decode(record.payload());
            batch.undo(past);
            undo.undo(batch.catalog());
          });
      CatalogChange change = undo.toChange(key, !past.isEmpty(), InMemoryBackend.this.alarms(key));
      needNextRecord();
      long position =
          journal.append(
              RecordKind.RESTORE,
              viewId,
              key,
              link(key),
              KeyValueBatch.between(now, past, change).encode());
      appended(key, position);
      keep(key, past);
      if (change.alarms() != null) {
        setAlarms(key, change.alarms().after());
      }
      sealed(position, key, change);
      return position;
    }

    @Override
    public void release() {
      released = true;
    }
  }
}
