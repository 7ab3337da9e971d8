package dev.holdfast.runtime.internal.statistics;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the turns of one instance have done. Plain fields: written by the holder of the turn, and
 * read by any thread, which may see them a little late. An idle call of 30 ns cannot afford an
 * atomic addition.
 */
public final class TurnCounts {

  private long turns;
  private long returned;
  private long threw;
  private long batches;
  private long batchBytes;

  /** The next one of those that have begun, or of the list. Guarded by the recorder. */
  @Nullable TurnCounts next;

  private @Nullable TurnCounts previous;

  TurnCounts() {}

  /** Counts the begin of a turn. */
  public void turn() {
    turns++;
  }

  /** Counts a call whose code returned. */
  public void returned() {
    returned++;
  }

  /** Counts a call whose code threw. */
  public void threw() {
    threw++;
  }

  /**
   * Counts a batch.
   *
   * @param bytes its size
   */
  public void batch(long bytes) {
    batches++;
    batchBytes += bytes;
  }

  /** {@return how many turns have begun} */
  public long turns() {
    return turns;
  }

  // ---- A circular list of all live ones, without memory of its own --------------------------

  /** Returns the head of an empty list. */
  static TurnCounts list() {
    TurnCounts head = new TurnCounts();
    head.next = head;
    head.previous = head;
    return head;
  }

  TurnCounts after() {
    return Objects.requireNonNull(next);
  }

  void linkAfter(TurnCounts other) {
    TurnCounts following = other.after();
    previous = other;
    next = following;
    following.previous = this;
    other.next = this;
  }

  void unlink() {
    TurnCounts before = Objects.requireNonNull(previous);
    TurnCounts following = after();
    before.next = following;
    following.previous = before;
  }

  /** Adds what another one has counted. */
  void add(TurnCounts other) {
    turns += other.turns;
    returned += other.returned;
    threw += other.threw;
    batches += other.batches;
    batchBytes += other.batchBytes;
  }

  long callsReturned() {
    return returned;
  }

  long callsThrown() {
    return threw;
  }

  long batches() {
    return batches;
  }

  long batchBytes() {
    return batchBytes;
  }
}
