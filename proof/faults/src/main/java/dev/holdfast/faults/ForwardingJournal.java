package dev.holdfast.faults;

import dev.holdfast.health.HealthReason;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.statistics.JournalStatistics;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A journal that forwards every call to another, for tests that observe some calls or make them
 * fail. As thread-safe as the other journal.
 */
public class ForwardingJournal implements Journal {

  /** The journal to forward to. */
  protected final Journal journal;

  /**
   * Creates a journal that forwards.
   *
   * @param journal the journal to forward to
   */
  protected ForwardingJournal(Journal journal) {
    this.journal = journal;
  }

  @Override
  public int payloadBytesMax() {
    return journal.payloadBytesMax();
  }

  @Override
  public long append(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events) {
    return journal.append(kind, viewId, key, link, payload, events);
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
  public JournalStatistics statistics() {
    return journal.statistics();
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
  public boolean isSavedAtClose() {
    return journal.isSavedAtClose();
  }

  @Override
  public long savedAfterNanos() {
    return journal.savedAfterNanos();
  }

  @Override
  public void requireOwnership() {
    journal.requireOwnership();
  }

  @Override
  public void close() {
    journal.close();
  }

  @Override
  public CompletableFuture<Void> purge(ObjectKey key, long upTo) {
    return journal.purge(key, upTo);
  }

  @Override
  public CompletableFuture<Void> whenPurgedElsewhere(ObjectKey key) {
    return journal.whenPurgedElsewhere(key);
  }

  @Override
  public List<HealthReason> troubles() {
    return journal.troubles();
  }
}
