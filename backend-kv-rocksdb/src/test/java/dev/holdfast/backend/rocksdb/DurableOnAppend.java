package dev.holdfast.backend.rocksdb;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A journal whose records are durable when they have been appended, so that nothing is held back.
 */
record DurableOnAppend(Journal journal) implements Journal {

  @Override
  public long append(RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {
    long position = journal.append(kind, viewId, key, payload);
    // Somebody who listens is enough for a journal that syncs when it is asked to.
    journal.whenDurable(position, _ -> {});
    return position;
  }

  @Override
  public long lastPosition() {
    return journal.lastPosition();
  }

  @Override
  public long durablePosition() {
    return journal.durablePosition();
  }

  @Override
  public void awaitDurable(long position) {
    journal.awaitDurable(position);
  }

  @Override
  public void whenDurable(long position, DurabilityListener listener) {
    journal.whenDurable(position, listener);
  }

  @Override
  public @Nullable RuntimeException failure() {
    return journal.failure();
  }

  @Override
  public void close() {
    journal.close();
  }
}
