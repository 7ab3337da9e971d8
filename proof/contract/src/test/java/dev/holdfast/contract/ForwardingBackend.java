package dev.holdfast.contract;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryBackend;

/** A backend in memory, except for the faults of a subclass. Thread rules as for its backend. */
class ForwardingBackend implements StorageBackend {
  final Journal journal;
  final InMemoryBackend backend;

  ForwardingBackend(Journal journal) {
    this.journal = journal;
    this.backend = new InMemoryBackend(journal);
  }

  /** Overridden by subclasses to put a fault into turns. */
  StoreTurn spoil(StoreTurn turn, ObjectKey key) {
    return turn;
  }

  @Override
  public int viewId() {
    return backend.viewId();
  }

  @Override
  public void recover(RecoveryLog log) {
    backend.recover(log);
  }

  @Override
  public long lowWaterMark() {
    return backend.lowWaterMark();
  }

  @Override
  public void checkpointBefore(long position) {
    backend.checkpointBefore(position);
  }

  @Override
  public ObjectCatalog catalog() {
    return backend.catalog();
  }

  @Override
  public ObjectStore store(ObjectKey key) {
    ObjectStore store = backend.store(key);
    return new ObjectStore() {
      @Override
      public StoreTurn beginTurn() {
        return spoil(store.beginTurn(), key);
      }

      @Override
      public void release() {
        store.release();
      }
    };
  }

  @Override
  public void close() {
    backend.close();
  }
}
