package dev.holdfast.runtime.internal.gate;

import org.jspecify.annotations.Nullable;

/**
 * A critical section that runs, with the queue of the events that it started itself.
 *
 * <p>The sections of an object that are not over form one chain, from the innermost to the
 * outermost; the gate admits only waiters of the innermost.
 */
public final class Section {

  private final @Nullable Section parent;
  private final Waiter opener;
  private final int depth;

  // Guarded by the gate's monitor.
  private final WaiterQueue waiters = new WaiterQueue();

  /** Written under the gate's monitor; read also by waiters that resolve their place. */
  private volatile boolean over;

  Section(@Nullable Section parent, Waiter opener, int depth) {
    this.parent = parent;
    this.opener = opener;
    this.depth = depth;
  }

  /** {@return how many sections are open around this one, itself included} */
  public int depth() {
    return depth;
  }

  /** {@return the next section outwards; null if this is the outermost} */
  public @Nullable Section parent() {
    return parent;
  }

  /** {@return whether the section has ended, well or badly} */
  public boolean isOver() {
    return over;
  }

  Waiter opener() {
    return opener;
  }

  WaiterQueue waiters() {
    return waiters;
  }

  void end() {
    over = true;
  }

  /** Walks outwards to the first section that is not over. A loop: chains may be long. */
  static @Nullable Section living(@Nullable Section section) {
    Section living = section;
    while (living != null && living.over) {
      living = living.parent;
    }
    return living;
  }
}
