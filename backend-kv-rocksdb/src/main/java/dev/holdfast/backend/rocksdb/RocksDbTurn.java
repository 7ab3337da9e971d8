package dev.holdfast.backend.rocksdb;

import dev.holdfast.SqlException;
import dev.holdfast.backend.rocksdb.batch.BufferedWrite;
import dev.holdfast.backend.rocksdb.batch.WriteBuffer;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.catalog.TurnAlarms;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One turn: its own writes, on top of the sealed data of the object.
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

  private final WriteBuffer writes = new WriteBuffer();

  /** Sealed values that this turn has read; most keys are read before they are written. */
  private final ReadValues known = new ReadValues();

  private final TurnAlarms alarms = new TurnAlarms();

  private State state = State.OPEN;
  private long sealedBytes;

  RocksDbTurn(RocksDbStore store) {
    this.store = store;
  }

  @Override
  public byte @Nullable [] get(byte[] name) {
    requireOpen();
    BufferedWrite own = writes.find(name);
    if (own != null) {
      return own.value();
    }
    return writes.isCleared() ? null : known.get(name, store);
  }

  @Override
  public void put(byte[] name, byte[] value) {
    requireOpen();
    writes.put(name, new BufferedWrite(value));
  }

  @Override
  public void put(byte[] name, byte[] value, byte @Nullable [] present) {
    requireOpen();
    // What the turn wrote before is not the sealed value.
    if (!writes.isCleared() && writes.find(name) == null) {
      known.learn(name, present);
    }
    writes.put(name, new BufferedWrite(value));
  }

  @Override
  public boolean delete(byte[] name) {
    if (get(name) == null) {
      return false;
    }
    if (writes.isCleared()) {
      writes.remove(name);
    } else {
      writes.put(name, BufferedWrite.DELETED);
    }
    return true;
  }

  @Override
  public void deleteAll() {
    requireOpen();
    writes.clear();
  }

  @Override
  public StoreScan scan(KeyRange range) {
    requireOpen();
    return new TurnScan(this, range);
  }

  @Override
  public @Nullable Runnable prefetch(byte[] name) {
    requireOpen();
    return writes.isCleared() || writes.find(name) != null ? null : store.prefetch(name);
  }

  @Override
  public @Nullable Runnable prefetch(KeyRange range) {
    requireOpen();
    return writes.isCleared() ? null : RangePrefetch.of(store, range);
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
  public List<AlarmRecord> alarms() {
    requireOpen();
    List<AlarmRecord> own = alarms.get();
    return own != null ? own : store.alarms();
  }

  @Override
  public void setAlarms(List<AlarmRecord> all) {
    requireOpen();
    alarms.set(all);
  }

  @Override
  public void openSavepoint() {
    requireOpen();
    alarms.openSavepoint();
    writes.openSavepoint();
  }

  @Override
  public void releaseSavepoint() {
    requireSavepoint();
    alarms.releaseSavepoint();
    writes.releaseSavepoint();
  }

  @Override
  public void rollbackToSavepoint() {
    requireSavepoint();
    alarms.rollbackToSavepoint();
    writes.rollbackToSavepoint();
  }

  private void requireSavepoint() {
    requireOpen();
    if (!writes.hasSavepoint()) {
      throw new IllegalStateException("The turn of " + store.key() + " has no open savepoint.");
    }
  }

  @Override
  public boolean mayHaveWritten() {
    return writes.isCleared() || !writes.all().isEmpty() || alarms.get() != null;
  }

  @Override
  public long seal(@Nullable ByteBuffer events) {
    requireOpen();
    state = State.FAILED;
    Seal seal = new Seal(store, known, alarms.get(), events);
    long position = seal.seal(writes.all(), writes.isCleared());
    sealedBytes = seal.bytes();
    state = State.ENDED;
    return position;
  }

  @Override
  public long sealedBytes() {
    return sealedBytes;
  }

  @Override
  public void discard() {
    if (state == State.OPEN || state == State.FAILED) {
      state = State.ENDED;
      return;
    }
    requireOpen();
  }

  boolean isCleared() {
    return writes.isCleared();
  }

  /** {@return the turn's own write after a key, null for the first; null if there is none} */
  Map.@Nullable Entry<byte[], BufferedWrite> ownAfter(byte @Nullable [] name, KeyRange range) {
    return writes.after(name, range);
  }

  SealedScan scanSealed(KeyRange range) {
    return store.scan(range);
  }

  void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("The turn of " + store.key() + " has ended.");
    }
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
