package dev.holdfast.testkit;

import dev.holdfast.spi.Journal.DurabilityListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The listeners of positions that are not settled. Guarded by the lock of its journal. */
final class DurabilityListeners {

  /**
   * A listener of one position.
   *
   * @param position the position
   * @param listener the listener
   */
  record Pending(long position, DurabilityListener listener) {}

  private final List<Pending> pending = new ArrayList<>();

  void add(long position, DurabilityListener listener) {
    pending.add(new Pending(position, listener));
  }

  int count() {
    return pending.size();
  }

  /** Removes the listeners up to a position; returns them in the order of their positions. */
  List<Pending> take(long position) {
    List<Pending> due =
        pending.stream()
            .filter(each -> each.position() <= position)
            .sorted(Comparator.comparingLong(Pending::position))
            .toList();
    pending.removeAll(due);
    return due;
  }

  /** Calls listeners; call it without the lock. */
  static void settle(List<Pending> due, @Nullable RuntimeException failed) {
    due.forEach(each -> each.listener().settled(failed));
  }
}
