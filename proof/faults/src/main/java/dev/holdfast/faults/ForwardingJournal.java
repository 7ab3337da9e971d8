package dev.holdfast.faults;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A journal that hands every call on to another, for tests that watch some calls or let them fail.
 * As thread-safe as the other one.
 */
public class ForwardingJournal implements Journal {

  /** Where the calls go. */
  protected final Journal journal;

  /**
   * Creates a journal that forwards.
   *
   * @param journal where the calls go
   */
  protected ForwardingJournal(Journal journal) {
    this.journal = journal;
  }

  @Override
  public long append(RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {
    return journal.append(kind, viewId, key, payload);
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
  public void onFailure(FailureListener listener) {
    journal.onFailure(listener);
  }

  @Override
  public void requireOwnership() {
    journal.requireOwnership();
  }

  @Override
  public void close() {
    journal.close();
  }
}
