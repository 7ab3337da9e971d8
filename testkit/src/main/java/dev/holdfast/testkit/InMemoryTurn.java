package dev.holdfast.testkit;

import dev.holdfast.SqlException;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.Listing;
import dev.holdfast.spi.catalog.TurnAlarms;
import dev.holdfast.testkit.InMemoryBackend.Operation;
import dev.holdfast.testkit.KeyValueBatch.Change;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One turn on an object's map: writes go into the map at once, and the values they replace are kept
 * for the undo.
 *
 * <p>Confined to the thread that began it; other threads are refused while no savepoint is open.
 */
final class InMemoryTurn implements StoreTurn {

  private enum State {
    OPEN,
    /** A seal has failed and all writes are undone; only {@link #discard} may be called. */
    UNDONE,
    ENDED
  }

  private final InMemoryBackend backend;
  private final ObjectKey key;
  private final NavigableMap<byte[], byte[]> data;
  private Thread owner = Thread.currentThread();

  /** Each key written in this turn, with the value it had before; created at the first write. */
  private @Nullable NavigableMap<byte[], Optional<byte[]>> before;

  /** For each open savepoint, innermost first: the keys written since, with their values then. */
  private final Deque<NavigableMap<byte[], Optional<byte[]>>> savepoints = new ArrayDeque<>(0);

  private final TurnAlarms alarms = new TurnAlarms();
  private boolean cleared;
  private long sealedBytes;
  private final Listing listing;
  private State state = State.OPEN;

  InMemoryTurn(InMemoryBackend backend, ObjectKey key, Listing listing) {
    this.listing = listing;
    this.backend = backend;
    this.key = key;
    this.data = backend.data(key);
  }

  @Override
  public byte @Nullable [] get(byte[] name) {
    begin(Operation.GET);
    return data.get(name);
  }

  @Override
  public @Nullable Runnable prefetch(byte[] name) {
    requireOpen();
    return backend.disk();
  }

  @Override
  public @Nullable Runnable prefetch(KeyRange range) {
    requireOpen();
    return backend.disk();
  }

  @Override
  public void put(byte[] name, byte[] value) {
    begin(Operation.PUT);
    remember(name, data.put(name, value));
  }

  @Override
  public void put(byte[] name, byte[] value, byte @Nullable [] present) {
    if (!Arrays.equals(present, data.get(name))) {
      throw new IllegalStateException(
          "The current value of a key differs from the one that the engine passed.");
    }
    put(name, value);
  }

  @Override
  public boolean delete(byte[] name) {
    begin(Operation.DELETE);
    byte[] removed = data.remove(name);
    if (removed != null) {
      remember(name, removed);
    }
    return removed != null;
  }

  @Override
  public void deleteAll() {
    begin(Operation.DELETE_ALL);
    data.forEach(this::remember);
    data.clear();
    cleared = true;
  }

  @Override
  public List<AlarmRecord> alarms() {
    requireOpen();
    List<AlarmRecord> own = alarms.get();
    return own != null ? own : backend.alarms(key);
  }

  @Override
  public void setAlarms(List<AlarmRecord> list) {
    requireOpen();
    alarms.set(list);
  }

  @Override
  public StoreScan scan(KeyRange range) {
    begin(Operation.SCAN);
    return new MapScan(data, range);
  }

  @Override
  public SqlRows exec(String query, @Nullable Object[] bindings) {
    requireOpen();
    throw noSql();
  }

  @Override
  public boolean migrate(MigrationPlan plan) {
    requireOpen();
    throw noSql();
  }

  @Override
  public long databaseSize() {
    requireOpen();
    throw noSql();
  }

  @Override
  public void openSavepoint() {
    requireOpen();
    owner = Thread.currentThread();
    savepoints.push(new TreeMap<>(InMemoryBackend.KEY_ORDER));
    alarms.openSavepoint();
  }

  @Override
  public void releaseSavepoint() {
    NavigableMap<byte[], Optional<byte[]>> ended = endSavepoint();
    NavigableMap<byte[], Optional<byte[]>> around = savepoints.peek();
    alarms.releaseSavepoint();
    if (around != null) {
      ended.forEach(around::putIfAbsent);
    }
  }

  @Override
  public void rollbackToSavepoint() {
    NavigableMap<byte[], Optional<byte[]>> ended = endSavepoint();
    alarms.rollbackToSavepoint();
    ended.forEach(
        (name, value) -> {
          if (value.isPresent()) {
            data.put(name, value.get());
          } else {
            data.remove(name);
          }
        });
  }

  private NavigableMap<byte[], Optional<byte[]>> endSavepoint() {
    requireOpen();
    if (savepoints.isEmpty()) {
      throw new IllegalStateException("The turn of " + key + " has no open savepoint.");
    }
    owner = Thread.currentThread();
    return savepoints.pop();
  }

  @Override
  public boolean mayHaveWritten() {
    return before != null || alarms.get() != null;
  }

  @Override
  public long seal(@Nullable ByteBuffer events) {
    requireOpen();
    KeyValueBatch batch = batch();
    long position = Journal.START;
    try {
      backend.failIfSet(Operation.SEAL, key);
      if (!batch.isEmpty()) {
        backend.needNextRecord();
        ByteBuffer payload = batch.encode();
        long bytes = payload.remaining();
        requireRoom(bytes);
        position = append(payload, events);
        sealedBytes = bytes;
        sealed(position, batch.catalog());
      }
    } catch (RuntimeException e) {
      batch.undo(data);
      end(State.UNDONE);
      throw e;
    }
    end(State.ENDED);
    return position;
  }

  private void requireRoom(long bytes) {
    int max = backend.journal().payloadBytesMax();
    if (bytes > max) {
      throw new CommitRefusedException(
          key.namespace(),
          key.id(),
          "One turn changed more than fits into a batch of "
              + (max >> 20)
              + " MiB; write less in one turn. Nothing of it is kept",
          null);
    }
  }

  private long append(ByteBuffer payload, @Nullable ByteBuffer events) {
    long position =
        backend
            .journal()
            .append(RecordKind.BATCH, backend.viewId(), key, backend.link(key), payload, events);
    backend.appended(key, position);
    return position;
  }

  @Override
  public long sealedBytes() {
    return sealedBytes;
  }

  private void sealed(long position, @Nullable CatalogChange change) {
    if (change == null) {
      return;
    }
    listing.sealed(change);
    if (change.alarms() != null) {
      backend.setAlarms(key, change.alarms().after());
    }
    backend.sealed(position, key, change);
  }

  @Override
  public void discard() {
    if (state == State.UNDONE) {
      state = State.ENDED;
      return;
    }
    requireOpen();
    batch().undo(data);
    end(State.ENDED);
  }

  private void begin(Operation operation) {
    requireOpen();
    backend.failIfSet(operation, key);
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("The turn of " + key + " has ended.");
    }
    // Within a savepoint the turn may outlive a wait of its object, and so change threads.
    if (savepoints.isEmpty() && !owner.equals(Thread.currentThread())) {
      throw new IllegalStateException(
          "The turn of " + key + " belongs to " + owner + ", not to " + Thread.currentThread());
    }
  }

  private void remember(byte[] name, byte @Nullable [] previous) {
    if (before == null) {
      before = new TreeMap<>(InMemoryBackend.KEY_ORDER);
    }
    Optional<byte[]> value = Optional.ofNullable(previous);
    before.putIfAbsent(name, value);
    NavigableMap<byte[], Optional<byte[]>> savepoint = savepoints.peek();
    if (savepoint != null) {
      savepoint.putIfAbsent(name, value);
    }
  }

  private KeyValueBatch batch() {
    List<Change> changes = changes();
    return new KeyValueBatch(changes, catalogChange(!changes.isEmpty()));
  }

  private List<Change> changes() {
    if (before == null) {
      return List.of();
    }
    List<Change> changes = new ArrayList<>(before.size());
    for (Map.Entry<byte[], Optional<byte[]>> entry : before.entrySet()) {
      byte[] name = entry.getKey();
      Change change = new Change(name, data.get(name), entry.getValue().orElse(null));
      if (!change.changesNothing()) {
        changes.add(change);
      }
    }
    return changes;
  }

  private @Nullable CatalogChange catalogChange(boolean wrote) {
    List<AlarmRecord> alarmsBefore = backend.alarms(key);
    List<AlarmRecord> alarmsAfter = alarms();
    boolean changed = !alarmsAfter.equals(alarmsBefore);
    boolean gone = (cleared || changed) && alarmsAfter.isEmpty() && data.isEmpty();
    if (!wrote && !changed && !(gone && listing.endsWithoutChange(() -> backend.knows(key)))) {
      return null;
    }
    return listing.change(
        key, changed ? new CatalogChange.Alarms(alarmsAfter, alarmsBefore) : null, gone);
  }

  private void end(State next) {
    state = next;
    backend.endTurn(key, data);
  }

  private SqlException noSql() {
    return new SqlException(
        key.namespace(),
        key.id(),
        "This object's storage engine has no SQL; register its namespace with SQLite storage.",
        1,
        null);
  }

  /**
   * Iterates over the map by looking up the neighbour of the last key, so that writes during the
   * scan are harmless.
   */
  private static final class MapScan implements StoreScan {
    private final NavigableMap<byte[], byte[]> pairs;
    private final int limit;
    private int returned;
    private Map.@Nullable Entry<byte[], byte[]> current;

    MapScan(NavigableMap<byte[], byte[]> data, KeyRange range) {
      NavigableMap<byte[], byte[]> selected = select(data, range);
      this.pairs = range.reverse() ? selected.descendingMap() : selected;
      this.limit = range.limit();
    }

    private static NavigableMap<byte[], byte[]> select(
        NavigableMap<byte[], byte[]> data, KeyRange range) {
      byte[] start = range.startInclusive();
      byte[] end = range.endExclusive();
      if (start != null && end != null) {
        // A map refuses bounds in the wrong order; a scan with such bounds is empty.
        return InMemoryBackend.KEY_ORDER.compare(start, end) < 0
            ? data.subMap(start, true, end, false)
            : new TreeMap<>(InMemoryBackend.KEY_ORDER);
      }
      if (start != null) {
        return data.tailMap(start, true);
      }
      return end != null ? data.headMap(end, false) : data;
    }

    @Override
    public boolean next() {
      if (returned == limit) {
        current = null;
        return false;
      }
      current = current == null ? pairs.firstEntry() : pairs.higherEntry(current.getKey());
      if (current == null) {
        returned = limit;
        return false;
      }
      returned++;
      return true;
    }

    @Override
    public byte[] key() {
      return requireCurrent().getKey();
    }

    @Override
    public byte[] value() {
      return requireCurrent().getValue();
    }

    @Override
    public void close() {
      returned = limit;
      current = null;
    }

    private Map.Entry<byte[], byte[]> requireCurrent() {
      Map.Entry<byte[], byte[]> pair = current;
      if (pair == null) {
        throw new IllegalStateException("The scan has no current pair; call next() first.");
      }
      return pair;
    }
  }
}
