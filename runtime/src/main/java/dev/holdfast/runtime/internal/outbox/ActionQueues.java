package dev.holdfast.runtime.internal.outbox;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The actions that wait until turns are durable: a queue for each object that has any. One thread
 * at a time works off a queue; it waits for the journal itself. The queue belongs to the object and
 * not to an instance, so the order of turns holds across resets and evictions.
 *
 * <p>A queue is in the map exactly while it has actions, the running one included: it is changed
 * only inside the map's operations for its object. Thread-safe.
 */
final class ActionQueues {

  private final Journal journal;
  private final EventLog log;
  private final ThreadFactory threads;
  private final Runnable whenEmpty;
  private final ConcurrentHashMap<ObjectKey, ActionQueue> queues = new ConcurrentHashMap<>();

  /** Written once; from then on no action begins. */
  private volatile boolean abandoned;

  /**
   * @param threads makes the threads of actions
   * @param whenEmpty called when the last action of an object has ended
   */
  ActionQueues(Journal journal, EventLog log, ThreadFactory threads, Runnable whenEmpty) {
    this.journal = journal;
    this.log = log;
    this.threads = threads;
    this.whenEmpty = whenEmpty;
  }

  private record Action(long position, Runnable code) {}

  /** The actions of one object. */
  private static final class ActionQueue {

    /** Changed inside the operations of the map only. The first one runs, or waits to be run. */
    final Queue<Action> actions = new ArrayDeque<>();

    final ReentrantLock lock = new ReentrantLock();
    final Condition room = lock.newCondition();

    /** The number of actions that wait; written inside the operations of the map. */
    volatile int waiting;

    volatile @Nullable Thread thread;

    void changed() {
      lock.lock();
      try {
        waiting = actions.size();
        room.signalAll();
      } finally {
        lock.unlock();
      }
    }

    void awaitRoom() {
      lock.lock();
      try {
        while (waiting > RuntimeBounds.ACTIONS_WAITING_MAX) {
          room.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Adds an action of an object; called by the holder of its turn, so in the order of turns. */
  void add(ObjectKey key, long position, Runnable code) {
    @Nullable ActionQueue[] begun = new ActionQueue[1];
    queues.compute(
        key,
        (_, known) -> {
          if (abandoned) {
            return known;
          }
          ActionQueue queue = known == null ? new ActionQueue() : known;
          begun[0] = known == null ? queue : null;
          queue.actions.add(new Action(position, code));
          queue.changed();
          return queue;
        });
    if (begun[0] != null) {
      start(key, begun[0]);
    }
  }

  private void start(ObjectKey key, ActionQueue queue) {
    boolean started = false;
    try {
      threads.newThread(() -> work(key, queue)).start();
      started = true;
    } finally {
      if (!started) {
        drop(key, queue); // no thread works it off: nobody must wait for that
      }
    }
  }

  /** Waits until an object has room for an action again. */
  void awaitRoom(ObjectKey key) {
    ActionQueue queue = queues.get(key);
    if (queue != null && queue.waiting > RuntimeBounds.ACTIONS_WAITING_MAX) {
      queue.awaitRoom();
    }
  }

  /** {@return whether nothing waits or runs, but on this thread, which cannot wait for itself} */
  boolean isEmptyElsewhere() {
    Thread own = Thread.currentThread();
    return queues.values().stream().allMatch(each -> own.equals(each.thread));
  }

  /** Begins no further action. */
  void abandon() {
    abandoned = true;
    for (ObjectKey key : queues.keySet()) {
      ActionQueue queue = queues.get(key);
      if (queue == null) {
        continue;
      }
      Thread thread = queue.thread;
      drop(key, queue);
      if (thread != null && !thread.equals(Thread.currentThread())) {
        thread.interrupt();
      }
    }
  }

  private void work(ObjectKey key, ActionQueue queue) {
    boolean ended = false;
    try {
      workOff(key, queue);
      ended = true;
    } finally {
      if (!ended) {
        drop(key, queue); // as where no thread could be started
      }
    }
  }

  private void workOff(ObjectKey key, ActionQueue queue) {
    queue.thread = Thread.currentThread();
    Action next = first(key, queue);
    while (next != null) {
      try {
        OutputGate.awaitLeaving(journal, next.position());
      } catch (JournalFailedException e) {
        drop(key, queue); // the turns are lost, or nobody knows; the runtime reports it
        return;
      }
      if (!abandoned) {
        run(key, next);
      }
      next = next(key, queue);
    }
  }

  private @Nullable Action first(ObjectKey key, ActionQueue queue) {
    @Nullable Action[] found = new Action[1];
    queues.computeIfPresent(
        key,
        (_, known) -> {
          found[0] = known == queue ? known.actions.peek() : null;
          return known;
        });
    return found[0];
  }

  /** Removes the action that has run, and returns the one after it. */
  private @Nullable Action next(ObjectKey key, ActionQueue queue) {
    @Nullable Action[] found = new Action[1];
    boolean[] isLast = new boolean[1];
    queues.computeIfPresent(
        key,
        (_, known) -> {
          if (known != queue) {
            return known; // it was dropped
          }
          known.actions.poll();
          known.changed();
          found[0] = known.actions.peek();
          isLast[0] = found[0] == null;
          return isLast[0] ? null : known;
        });
    if (isLast[0]) {
      whenEmpty.run();
    }
    return found[0];
  }

  /** Begins no action of a queue; a later queue of the object goes on. */
  private void drop(ObjectKey key, ActionQueue queue) {
    queues.computeIfPresent(
        key,
        (_, known) -> {
          if (known != queue) {
            return known;
          }
          queue.actions.clear();
          queue.changed();
          return null;
        });
    whenEmpty.run();
  }

  private void run(ObjectKey key, Action action) {
    try {
      action.code().run();
    } catch (Throwable e) {
      // Code of the application may throw anything; the next action is not affected.
      log.log(
          LogEvent.ACTION_FAILED,
          key,
          () -> "An action after a durable turn of " + key + " failed. It is not repeated.",
          e);
    }
    Thread.interrupted(); // what the action has left must not reach the next one
  }
}
