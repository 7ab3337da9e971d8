package dev.holdfast.schedules;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where classes of the {@link InterleavingClassLoader} call in; public only for that. Thread-safe.
 */
public final class InterleavingPoint {

  /** What replaces the monitors of the objects of one schedule. */
  private static final Map<Object, ReentrantLock> MONITORS =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private InterleavingPoint() {}

  /** Forgets the objects of the schedule before. */
  static void beginSchedule() {
    MONITORS.clear();
  }

  /** Lets another thread run, if the schedule wants it. */
  @SuppressWarnings("ThreadPriorityCheck") // here a yield is a choice of the schedule, not a hint
  public static void pass() {
    Thread thread = Thread.currentThread();
    if (ScheduledThreads.wantsInterleaving(thread)) {
      Thread.yield();
    }
  }

  /**
   * Enters a monitor.
   *
   * @param object whose
   */
  public static void lock(Object object) {
    pass();
    ReentrantLock lock = MONITORS.computeIfAbsent(object, _ -> new ReentrantLock());
    if (!lock.tryLock()) {
      lock.lock();
      // Unlike a monitor, the lock may have used up a permit to park that was meant for the code
      // that enters here. A permit too many does no harm: every park may return without reason.
      LockSupport.unpark(Thread.currentThread());
    }
  }

  /**
   * Leaves a monitor.
   *
   * @param object whose
   */
  public static void unlock(Object object) {
    MONITORS.computeIfAbsent(object, _ -> new ReentrantLock()).unlock();
  }

  /** Lets no other thread run until {@link #goOn}. */
  public static void holdOn() {
    ScheduledThreads.countRegion(Thread.currentThread(), 1);
  }

  /** Takes back one {@link #holdOn}. */
  public static void goOn() {
    ScheduledThreads.countRegion(Thread.currentThread(), -1);
  }
}
