package dev.holdfast.runtime.internal.statistics;

import dev.holdfast.statistics.BusyBy;
import java.util.EnumMap;
import java.util.Map;
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

  /** The largest values that the instance has offered to {@link BusiestObjects}; racy. */
  private @Nullable Offered offered;

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

  // ---- What was offered to the busiest objects ----------------------------------------------

  /**
   * Values of one instance that are known to {@link BusiestObjects}, by kind. An object whose calls
   * queue would take its lock with each of them otherwise.
   */
  private static final class Offered {
    private final Map<BusyBy, Offer> last = new EnumMap<>(BusyBy.class);

    Offered() {
      for (BusyBy by : BusyBy.values()) {
        last.put(by, new Offer());
      }
    }

    Offer of(BusyBy by) {
      return Objects.requireNonNull(last.get(by));
    }
  }

  private static final class Offer {
    private long value;
    private long periodEnd;
  }

  /** Returns whether a value may be the largest one of the instance in a period. */
  boolean isLargest(BusyBy by, long value, long periodEnd) {
    Offered own = offered;
    if (own == null) {
      return true;
    }
    Offer last = own.of(by);
    return value > last.value || last.periodEnd != periodEnd;
  }

  /** Records a value that was offered. */
  void setLargest(BusyBy by, long value, long periodEnd) {
    Offered own = offered;
    if (own == null) {
      own = new Offered();
      offered = own;
    }
    Offer last = own.of(by);
    last.value = value;
    last.periodEnd = periodEnd;
  }

  // ---- A circular list of all live ones, without further memory --------------------------

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
