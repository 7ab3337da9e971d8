package dev.holdfast.journal;

import dev.holdfast.journal.file.Uninterruptibly;
import dev.holdfast.journal.group.Group;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls listeners, in the order of their groups, on a dedicated thread: a listener that appends,
 * waits or is slow delays other listeners but no flush. Thread-safe.
 *
 * <p>The groups themselves are the links of the queue, and the thread exists from the start: a
 * leader that temporarily has no memory or cannot get a thread can still hand over its listeners.
 */
final class Notifier implements AutoCloseable {

  private final AtomicReference<@Nullable Group> last = new AtomicReference<>();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("holdfast-journal-notify").unstarted(this::run);
  private final Consumer<Group> listeners;
  private volatile boolean stopped;

  /**
   * @param listeners calls those of a group; does not fail
   */
  Notifier(Consumer<Group> listeners) {
    this.listeners = listeners;
  }

  void start() {
    thread.start();
  }

  /**
   * Queues the callbacks of a settled group, which are each called once. All calls of this method
   * are made under one lock; their order is kept. Allocates no memory and does not fail.
   */
  void enqueue(Group group) {
    if (group.callbacks().isEmpty() || !group.handOver()) {
      return;
    }
    Group before;
    do {
      before = last.get();
      group.notifiedAfter(before);
    } while (!last.compareAndSet(before, group));
    LockSupport.unpark(thread);
  }

  private void run() {
    while (true) {
      Group first = inOrder(last.getAndSet(null));
      if (first != null) {
        for (Group group = first; group != null; group = group.notifiedAfter()) {
          listeners.accept(group);
        }
      } else if (stopped) {
        return;
      } else {
        LockSupport.park(this);
      }
    }
  }

  /** Reverses the links: they start with the latest group. */
  private static @Nullable Group inOrder(@Nullable Group latest) {
    Group reversed = null;
    Group group = latest;
    while (group != null) {
      Group before = group.notifiedAfter();
      group.notifiedAfter(reversed);
      reversed = group;
      group = before;
    }
    return reversed;
  }

  /** Waits until all listeners were called and ends the thread. */
  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(thread);
    Uninterruptibly.join(thread);
  }
}
