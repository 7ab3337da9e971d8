package dev.holdfast.simulation;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.InMemoryJournal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory journal whose uses are counted as steps, and that ends at one of them: an append, or
 * the begin of a wait for durability. What survives is what was durable, and some of the records
 * after it, as on a disk.
 *
 * <p>Thread-safe.
 */
final class StepJournal implements Journal {

  private final InMemoryJournal journal;
  private final long crashAt;
  private final IntUnaryOperator draw;

  private volatile int payloadBytesMax = PAYLOAD_BYTES_MAX;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final List<String> steps = new ArrayList<>();
  private @Nullable InMemoryJournal survivor;

  /**
   * Wraps a journal.
   *
   * @param journal the journal
   * @param crashAt the step at which it ends, from 1; 0 for never
   * @param draw a number below a bound: how many records beyond the durable ones survive
   */
  StepJournal(InMemoryJournal journal, long crashAt, IntUnaryOperator draw) {
    this.journal = journal;
    this.crashAt = crashAt;
    this.draw = draw;
  }

  private void step(String what) {
    lock.lock();
    try {
      if (survivor != null) {
        return;
      }
      steps.add(what);
      if (steps.size() != crashAt) {
        return;
      }
    } finally {
      lock.unlock();
    }
    end();
  }

  /** Ends the journal now, as a power cut; returns what survives. */
  InMemoryJournal end() {
    lock.lock();
    try {
      if (survivor != null) {
        return survivor;
      }
      long durable = journal.durablePosition();
      int more = (int) (journal.lastPosition() - durable);
      survivor = journal.prefix(durable + (more > 0 ? draw.applyAsInt(more + 1) : 0));
    } finally {
      lock.unlock();
    }
    // Without the lock: the journal wakes those that wait.
    journal.crash();
    return Objects.requireNonNull(survivor);
  }

  /** {@return whether it has ended} */
  boolean hasEnded() {
    lock.lock();
    try {
      return survivor != null;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the steps so far} */
  List<String> steps() {
    lock.lock();
    try {
      return List.copyOf(steps);
    } finally {
      lock.unlock();
    }
  }

  /** Sets the maximum length of a payload. */
  void limitPayloads(int bytesMax) {
    payloadBytesMax = bytesMax;
  }

  @Override
  public int payloadBytesMax() {
    return payloadBytesMax;
  }

  @Override
  public long append(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events) {
    step("append " + kind + " of " + key + (events == null ? "" : " with events"));
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
  public void awaitDurable(long position) {
    if (position > journal.durablePosition()) {
      step("sync up to " + position);
    }
    journal.awaitDurable(position);
  }

  @Override
  public void whenDurable(long position, DurabilityListener listener) {
    if (position > journal.durablePosition()) {
      step("sync up to " + position);
    }
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
  public void close() {
    journal.close();
  }
}
