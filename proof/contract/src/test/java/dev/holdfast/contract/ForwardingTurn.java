package dev.holdfast.contract;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A turn that forwards to another, except for the faults of a subclass. */
class ForwardingTurn implements StoreTurn {
  final StoreTurn turn;

  ForwardingTurn(StoreTurn turn) {
    this.turn = turn;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return turn.get(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    turn.put(key, value);
  }

  @Override
  public boolean delete(byte[] key) {
    return turn.delete(key);
  }

  @Override
  public void deleteAll() {
    turn.deleteAll();
  }

  @Override
  public StoreScan scan(KeyRange range) {
    return turn.scan(range);
  }

  @Override
  public SqlRows exec(String query, @Nullable Object[] bindings) {
    return turn.exec(query, bindings);
  }

  @Override
  public SqlRows exec(String statement, @Nullable Object[] bindings, SqlTerms terms) {
    return turn.exec(statement, bindings, terms);
  }

  @Override
  public boolean migrate(MigrationPlan plan) {
    return turn.migrate(plan);
  }

  @Override
  public long databaseSize() {
    return turn.databaseSize();
  }

  @Override
  public void openSavepoint() {
    turn.openSavepoint();
  }

  @Override
  public void releaseSavepoint() {
    turn.releaseSavepoint();
  }

  @Override
  public void rollbackToSavepoint() {
    turn.rollbackToSavepoint();
  }

  @Override
  public List<AlarmRecord> alarms() {
    return turn.alarms();
  }

  @Override
  public void setAlarms(List<AlarmRecord> alarms) {
    turn.setAlarms(alarms);
  }

  @Override
  public boolean mayHaveWritten() {
    return turn.mayHaveWritten();
  }

  @Override
  public long seal(@Nullable ByteBuffer events) {
    return turn.seal(events);
  }

  @Override
  public long sealedBytes() {
    return turn.sealedBytes();
  }

  @Override
  public void discard() {
    turn.discard();
  }
}
