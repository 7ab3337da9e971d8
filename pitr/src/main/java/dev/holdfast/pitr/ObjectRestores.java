package dev.holdfast.pitr;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The restores of one object. Immutable.
 *
 * @param pending the requested restore; null if there is none
 * @param done the restores in the history that is kept, oldest first, and the last one before it
 */
record ObjectRestores(@Nullable PendingRestore pending, List<DoneRestore> done) {

  static final ObjectRestores NONE = new ObjectRestores(null, List.of());

  ObjectRestores {
    done = List.copyOf(done);
    assert isAscending(done);
  }

  private static boolean isAscending(List<DoneRestore> done) {
    for (int i = 1; i < done.size(); i++) {
      if (done.get(i).position() <= done.get(i - 1).position()) {
        return false;
      }
    }
    return true;
  }

  ObjectRestores requested(long position, Bookmark target) {
    assert done.isEmpty() || done.getLast().position() < position;
    return new ObjectRestores(new PendingRestore(position, target), done);
  }

  ObjectRestores withdrawn() {
    return new ObjectRestores(null, done);
  }

  /** Adds a completed restore; it completes the request. */
  ObjectRestores restored(long position, long wallMillis) {
    if (!done.isEmpty() && done.getLast().position() >= position) {
      return this; // read again: already contained
    }
    Bookmark target = pending == null ? Bookmark.endOf(epochAt(position)) : pending.target();
    List<DoneRestore> more = new ArrayList<>(done);
    more.add(new DoneRestore(position, wallMillis, target));
    return new ObjectRestores(null, more);
  }

  /** Drops restores that are no longer needed: all before a position except the last. */
  ObjectRestores withoutBefore(long position) {
    int from = 0;
    while (from + 1 < done.size() && done.get(from + 1).position() < position) {
      from++;
    }
    return from == 0 ? this : new ObjectRestores(pending, done.subList(from, done.size()));
  }

  /** {@return the position of the last restore at or before a position; 0 if there was none} */
  long epochAt(long position) {
    long epoch = 0;
    for (DoneRestore each : done) {
      if (each.position() <= position) {
        epoch = each.position();
      }
    }
    return epoch;
  }

  /** {@return the position of the restore that ended an epoch; null if it still lasts} */
  @Nullable Long endOf(long epoch) {
    for (DoneRestore each : done) {
      if (each.position() > epoch) {
        return each.position();
      }
    }
    return null;
  }
}
