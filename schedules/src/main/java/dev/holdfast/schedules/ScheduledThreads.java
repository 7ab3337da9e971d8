package dev.holdfast.schedules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one {@link DeterministicScheduler}: all threads, the runnable ones, and their
 * failures.
 *
 * <p>Confined to the loop thread and the one virtual thread that it runs, except the list of
 * runnable threads: a wake-up by a foreign thread is an error, but must not corrupt the list.
 */
final class ScheduledThreads {

  /** The thread of the JVM that wakes virtual threads when a monitor is free. */
  private static final String UNBLOCKER = "VirtualThread-unblocker";

  /** In real time, and only for the sentence: no schedule goes on without the monitor. */
  private static final long MONITOR_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

  private final long seed;
  private final Thread loopThread;
  private final BooleanSupplier interleaving;
  private final Set<ScheduledThread> live = new LinkedHashSet<>();
  private int made;
  private @Nullable ScheduleFailure failure;

  private final ReentrantLock lock = new ReentrantLock();

  private final Condition arrival = lock.newCondition();

  // Guarded by lock.
  private final List<Ready> ready = new ArrayList<>();
  private @Nullable String foreignWakeUp;

  private @Nullable ScheduledThread running;

  /** The thread that runs, if it has come to a monitor meanwhile that is free now. */
  private @Nullable Ready unblocked;

  /** A runnable thread and its continuation. */
  record Ready(ScheduledThread thread, Runnable continuation) {}

  /**
   * Creates an empty set.
   *
   * @param seed the seed, for failures
   * @param loopThread the thread that runs the threads
   * @param interleaving decides, before an access of shared state, whether another thread runs
   *     first
   */
  ScheduledThreads(long seed, Thread loopThread, BooleanSupplier interleaving) {
    this.seed = seed;
    this.loopThread = loopThread;
    this.interleaving = interleaving;
  }

  /** Decides, for a thread of any scheduler, whether another thread runs now. */
  static boolean wantsInterleaving(Thread thread) {
    ScheduledThread running = ScheduledThread.of(thread);
    return running != null
        && running.mayBeInterleaved()
        && running.threads().interleaving.getAsBoolean();
  }

  /** Records that a thread of any scheduler enters or leaves a region without interleaving. */
  static void countRegion(Thread thread, int change) {
    ScheduledThread running = ScheduledThread.of(thread);
    if (running != null) {
      running.countRegion(change);
    }
  }

  /** Creates a thread, not started, whose name ends with its number. */
  ScheduledThread createNumbered(String prefix, Runnable task) {
    return create(prefix + made, task);
  }

  ScheduledThread create(String name, Runnable task) {
    made++;
    ScheduledThread created = new ScheduledThread(this, name, task);
    live.add(created);
    return created;
  }

  /** Called by a thread that has ended; the first failure counts. */
  void ended(ScheduledThread thread, @Nullable Throwable thrown) {
    live.remove(thread);
    if (thrown != null && failure == null) {
      failure = new ScheduleFailure(seed, "thread " + thread.name() + " failed: " + thrown, thrown);
    }
  }

  boolean isLive(ScheduledThread thread) {
    return live.contains(thread);
  }

  /** Returns the threads that have begun and not ended, in order of creation. */
  List<Thread> alive() {
    return live.stream().map(ScheduledThread::thread).filter(Thread::isAlive).toList();
  }

  // ---- Runnable threads -------------------------------------------------------------------

  int readyCount() {
    lock.lock();
    try {
      return ready.size();
    } finally {
      lock.unlock();
    }
  }

  Ready takeReady(int index) {
    lock.lock();
    try {
      Ready taken = ready.remove(index);
      running = taken.thread();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  void makeReady(ScheduledThread thread, Runnable continuation) {
    Thread waker = Thread.currentThread();
    lock.lock();
    try {
      arrival.signal();
      if (thread.equals(running) && unblocked == null && waker.getName().equals(UNBLOCKER)) {
        unblocked = new Ready(thread, continuation);
        return;
      }
      if (!isOwn(waker)) {
        foreignWakeUp = "thread " + thread.name() + " was woken by " + waker;
      }
      ready.add(new Ready(thread, continuation));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a monitor to which a thread has come, and which a foreign thread holds: the JDK has
   * one, for example, of the list of all open files. No thread of the schedule runs meanwhile, so
   * the schedule is the same without the foreign thread. The thread must go on at once: the JVM
   * gives the monitor to no other thread before.
   *
   * @return how the thread goes on; null if it waits for no monitor
   */
  @Nullable Ready awaitMonitor(ScheduledThread thread) {
    lock.lock();
    try {
      long leftNanos = MONITOR_NANOS_MAX;
      while (unblocked == null && isAtMonitor(thread)) {
        if (leftNanos <= 0) {
          throw failure(
              "thread "
                  + thread.name()
                  + " waits for a monitor. Perhaps a thread of this schedule holds it, which cannot"
                  + " go on meanwhile.");
        }
        leftNanos = arrival.awaitNanos(leftNanos);
      }
      Ready next = unblocked;
      unblocked = null;
      return next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure("the thread that runs the schedule was interrupted.");
    } finally {
      lock.unlock();
    }
  }

  /** Also while the JVM passes it on: it can run then, and nothing has been asked to run it. */
  private boolean isAtMonitor(ScheduledThread thread) {
    Thread.State state = thread.thread().getState();
    return state == Thread.State.BLOCKED
        || (state == Thread.State.RUNNABLE
            && ready.stream().noneMatch(each -> each.thread().equals(thread)));
  }

  private boolean isOwn(Thread waker) {
    ScheduledThread own = ScheduledThread.of(waker);
    return waker.equals(loopThread) || (own != null && own.threads().equals(this));
  }

  // ---- Failures ---------------------------------------------------------------------------

  void throwIfFailed() {
    ScheduleFailure thrown = failure;
    if (thrown != null) {
      failure = null;
      throw thrown;
    }
    lock.lock();
    try {
      if (foreignWakeUp != null) {
        String message = foreignWakeUp;
        foreignWakeUp = null;
        throw new ScheduleFailure(seed, message + ", which this scheduler does not run.", null);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Called when no thread can run: no thread may wait for something outside the schedule. */
  void requireNoRealWaits() {
    for (ScheduledThread each : live) {
      Thread.State state = each.thread().getState();
      if (state == Thread.State.TIMED_WAITING || state == Thread.State.BLOCKED) {
        throw failure(
            "thread "
                + each.name()
                + " is "
                + state
                + ": it waits for real time or a monitor, which cannot be replayed.");
      }
    }
  }

  /** Returns a failure of the schedule with the stacks of all threads. */
  ScheduleFailure failure(String message) {
    return new ScheduleFailure(seed, message + "\n" + stacks(), null);
  }

  private String stacks() {
    StringBuilder text = new StringBuilder();
    for (ScheduledThread each : live) {
      Thread.State state = each.thread().getState();
      if (state == Thread.State.NEW) {
        continue;
      }
      text.append(each.name()).append(" is ").append(state).append('\n');
      Arrays.stream(each.thread().getStackTrace())
          .forEach(frame -> text.append("    at ").append(frame).append('\n'));
    }
    return text.toString();
  }
}
