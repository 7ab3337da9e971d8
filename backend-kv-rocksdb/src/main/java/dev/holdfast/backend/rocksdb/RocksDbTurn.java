package dev.holdfast.backend.rocksdb;

import dev.holdfast.SqlException;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One turn: its own writes, over what the object has sealed.
 *
 * <p>Nothing reaches the journal or the database before {@link #seal}. Owned by the thread that
 * runs the turn.
 */
final class RocksDbTurn implements StoreTurn {

  private enum State {
    OPEN,
    /** A seal has failed; only {@link #discard} is left to call. */
    FAILED,
    ENDED
  }

  private final RocksDbStore store;

  /** Each key written in this turn; empty if it is deleted. Made at the first write. */
  private @Nullable NavigableMap<byte[], Optional<byte[]>> writes;

  /** Sealed values that this turn has read; most keys are read before they are written. */
  private final KnownValues known = new KnownValues();

  private boolean cleared;
  private State state = State.OPEN;

  RocksDbTurn(RocksDbStore store) {
    this.store = store;
  }

  @Override
  public byte @Nullable [] get(byte[] name) {
    requireOpen();
    Optional<byte[]> own = writes == null ? null : writes.get(name);
    if (own != null) {
      return own.orElse(null);
    }
    return cleared ? null : known.get(name, store);
  }

  @Override
  public void put(byte[] name, byte[] value) {
    requireOpen();
    writesMade().put(name, Optional.of(value));
  }

  @Override
  public boolean delete(byte[] name) {
    if (get(name) == null) {
      return false;
    }
    if (cleared) {
      writesMade().remove(name);
    } else {
      writesMade().put(name, Optional.empty());
    }
    return true;
  }

  @Override
  public void deleteAll() {
    requireOpen();
    writes = null;
    cleared = true;
  }

  @Override
  public StoreScan scan(KeyRange range) {
    requireOpen();
    return new TurnScan(this, range);
  }

  @Override
  public SqlRows exec(String query, @Nullable Object[] bindings) {
    requireOpen();
    throw noSql();
  }

  @Override
  public long databaseSize() {
    requireOpen();
    throw noSql();
  }

  @Override
  public long seal() {
    requireOpen();
    state = State.FAILED;
    long position = new Seal(store, known).seal(writes == null ? Map.of() : writes, cleared);
    state = State.ENDED;
    return position;
  }

  @Override
  public void discard() {
    if (state == State.OPEN || state == State.FAILED) {
      state = State.ENDED;
      writes = null;
      return;
    }
    requireOpen();
  }

  boolean isCleared() {
    return cleared;
  }

  /** {@return the pair behind a key, null for the first, among the turn's own writes; or null} */
  Map.@Nullable Entry<byte[], Optional<byte[]>> ownAfter(byte @Nullable [] name, KeyRange range) {
    if (writes == null) {
      return null;
    }
    return range.reverse() ? ownBelow(name, range) : ownAbove(name, range);
  }

  private Map.@Nullable Entry<byte[], Optional<byte[]>> ownAbove(
      byte @Nullable [] name, KeyRange range) {
    NavigableMap<byte[], Optional<byte[]>> own = writesMade();
    byte[] start = range.startInclusive();
    Map.Entry<byte[], Optional<byte[]>> entry;
    if (name != null) {
      entry = own.higherEntry(name);
    } else {
      entry = start == null ? own.firstEntry() : own.ceilingEntry(start);
    }
    byte[] end = range.endExclusive();
    return entry == null || (end != null && Keys.ORDER.compare(entry.getKey(), end) >= 0)
        ? null
        : entry;
  }

  private Map.@Nullable Entry<byte[], Optional<byte[]>> ownBelow(
      byte @Nullable [] name, KeyRange range) {
    NavigableMap<byte[], Optional<byte[]>> own = writesMade();
    byte[] limit = name == null ? range.endExclusive() : name;
    Map.Entry<byte[], Optional<byte[]>> entry =
        limit == null ? own.lastEntry() : own.lowerEntry(limit);
    byte[] start = range.startInclusive();
    return entry == null || (start != null && Keys.ORDER.compare(entry.getKey(), start) < 0)
        ? null
        : entry;
  }

  SealedScan scanSealed(KeyRange range) {
    return store.scan(range.startInclusive(), range.endExclusive(), range.reverse());
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("The turn of " + store.key() + " has ended.");
    }
  }

  private NavigableMap<byte[], Optional<byte[]>> writesMade() {
    NavigableMap<byte[], Optional<byte[]>> made = writes;
    if (made == null) {
      made = new TreeMap<>(Keys.ORDER);
      writes = made;
    }
    return made;
  }

  private SqlException noSql() {
    return new SqlException(
        store.key().namespace(),
        store.key().id(),
        "This object's storage engine has no SQL; register its namespace with SQLite storage.",
        1,
        null);
  }
}
