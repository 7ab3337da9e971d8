package dev.holdfast.journal.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The purges that a replica has applied.
 *
 * @param done the index of the last one that its segments are without, which is their generation; 0
 *     if there was none
 * @param pending those that its segments may still have records of, the oldest first
 */
public record Purges(long done, List<Pending> pending) {

  /** Of a replica without purges. */
  public static final Purges NONE = new Purges(0, List.of());

  /** Copies the list. */
  public Purges {
    pending = List.copyOf(pending);
  }

  /**
   * A purge.
   *
   * @param index of its entry in the log
   * @param entry the entry
   */
  public record Pending(long index, LogEntry.Purge entry) {}

  /** {@return the oldest one that is not done; null if all are} */
  public @Nullable Pending first() {
    return pending.isEmpty() ? null : pending.getFirst();
  }

  /** {@return whether all are done} */
  public boolean isDone() {
    return pending.isEmpty();
  }

  /** {@return the index of the last one, done or not; 0 if there was none} */
  public long last() {
    return pending.isEmpty() ? done : pending.getLast().index();
  }

  /** {@return these and a later one} After a crash, the log may bring one again that is known. */
  Purges with(long index, LogEntry.Purge entry) {
    if (index <= last()) {
      return this;
    }
    List<Pending> more = new ArrayList<>(pending);
    more.add(new Pending(index, entry));
    return new Purges(done, more);
  }

  /** {@return these without those that are not done} */
  public Purges withoutPending() {
    return new Purges(done, List.of());
  }

  /** {@return these once the oldest one is done} */
  Purges withoutFirst() {
    return new Purges(pending.getFirst().index(), pending.subList(1, pending.size()));
  }

  /**
   * {@return these in a replica that has left its log} Other replicas differ from it if there was
   * any purge. The indexes of the next log are not those of this one.
   */
  Purges withoutLog() {
    return last() == 0 ? NONE : new Purges(1, List.of());
  }
}
