package dev.holdfast.runtime.internal.instance;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The timers of one instance that have neither run nor been cancelled. Thread-safe. */
final class ObjectTimers {

  private final Set<ObjectTimer> pending = new LinkedHashSet<>();

  synchronized void add(ObjectTimer timer) {
    pending.add(timer);
  }

  synchronized void remove(ObjectTimer timer) {
    pending.remove(timer);
  }

  synchronized boolean isEmpty() {
    return pending.isEmpty();
  }

  /** Makes sure that none of them fires any more. */
  void cancelAll() {
    List<ObjectTimer> all;
    synchronized (this) {
      all = List.copyOf(pending);
    }
    all.forEach(ObjectTimer::withdraw);
  }
}
