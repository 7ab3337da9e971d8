package dev.holdfast.runtime.internal.gate;

import org.jspecify.annotations.Nullable;

/**
 * First in, first out: a ring of waiters closed by a sentinel, so that a waiter leaves and a whole
 * queue moves in constant time. Guarded by the gate's monitor.
 */
final class WaiterQueue {

  private final Sentinel ends = new Sentinel();

  void append(Waiter waiter) {
    Waiter last = ends.last();
    last.next = waiter;
    waiter.previous = last;
    waiter.next = ends;
    ends.previous = waiter;
  }

  @Nullable Waiter peek() {
    Waiter first = ends.first();
    return first.equals(ends) ? null : first;
  }

  @Nullable Waiter poll() {
    Waiter first = peek();
    if (first != null) {
      first.unlink();
    }
    return first;
  }

  /** Moves all waiters of another queue to the end of this one, in their order. */
  void takeAll(WaiterQueue other) {
    if (other.peek() == null) {
      return;
    }
    Waiter last = ends.last();
    Waiter firstMoved = other.ends.first();
    Waiter lastMoved = other.ends.last();
    last.next = firstMoved;
    firstMoved.previous = last;
    lastMoved.next = ends;
    ends.previous = lastMoved;
    other.ends.close();
  }

  void setStandings(Waiter.Standing standing) {
    for (Waiter each = ends.first(); !each.equals(ends); each = after(each)) {
      each.setStanding(standing);
    }
  }

  private static Waiter after(Waiter waiter) {
    Waiter after = waiter.next;
    if (after == null) {
      throw new IllegalStateException("The queue is broken.");
    }
    return after;
  }

  /** Both ends of the ring. */
  private static final class Sentinel extends Waiter {

    Sentinel() {
      close();
    }

    void close() {
      previous = this;
      next = this;
    }

    Waiter first() {
      return after(this);
    }

    Waiter last() {
      Waiter last = previous;
      if (last == null) {
        throw new IllegalStateException("The queue is broken.");
      }
      return last;
    }

    @Override
    protected void admitted(int waitingCount) {
      throw new IllegalStateException("A sentinel never waits.");
    }

    @Override
    protected void dismissed() {
      throw new IllegalStateException("A sentinel never waits.");
    }
  }
}
