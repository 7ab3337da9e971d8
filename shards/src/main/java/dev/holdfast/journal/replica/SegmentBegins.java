package dev.holdfast.journal.replica;

import java.util.ArrayDeque;
import java.util.Deque;

/** With which entry of the log each segment began. Thread-safe. */
public final class SegmentBegins {

  /** More are not needed: without the oldest ones, less is known. */
  private static final int KNOWN_MAX = 4096;

  private record Begin(long index, long segment) {}

  private final Deque<Begin> begins = new ArrayDeque<>(); // guarded by this

  /**
   * Records the newest segment.
   *
   * @param index the last entry that is applied
   * @param segment its first position
   */
  public synchronized void at(long index, long segment) {
    if (begins.isEmpty() || begins.getLast().segment() < segment) {
      begins.addLast(new Begin(index, segment));
    }
    if (begins.size() > KNOWN_MAX) {
      begins.removeFirst();
    }
  }

  /**
   * Returns the newest segment that had begun with an entry or before it.
   *
   * @param index an entry; less than before has no meaning
   * @return its first position; 0 if that is not known
   */
  public synchronized long until(long index) {
    Begin found = null;
    while (!begins.isEmpty() && begins.getFirst().index() <= index) {
      found = begins.removeFirst();
    }
    if (found == null) {
      return 0;
    }
    begins.addFirst(found); // the next answer may be the same
    return found.segment();
  }
}
