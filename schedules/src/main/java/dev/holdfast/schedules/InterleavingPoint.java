package dev.holdfast.schedules;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The methods that classes of the {@link InterleavingClassLoader} call; public only for that.
 * Thread-safe.
 */
public final class InterleavingPoint {

  /** The locks that replace the monitors of the objects of one schedule. */
  private static final Map<Object, ReentrantLock> MONITORS =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private InterleavingPoint() {}

  /** Drops the objects of the previous schedule. */
  static void beginSchedule() {
    MONITORS.clear();
  }

  /** Lets another thread run, if the schedule selects it. */
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
   * @param object the object whose monitor it is
   */
  public static void lock(Object object) {
    pass();
    ReentrantLock lock = MONITORS.computeIfAbsent(object, _ -> new ReentrantLock());
    if (!lock.tryLock()) {
      lock.lock();
      // Unlike a monitor, the lock may have consumed a park permit that was meant for the code that
      // enters here. An extra permit is harmless: every park may return spuriously.
      LockSupport.unpark(Thread.currentThread());
    }
  }

  /**
   * Leaves a monitor.
   *
   * @param object the object whose monitor it is
   */
  public static void unlock(Object object) {
    MONITORS.computeIfAbsent(object, _ -> new ReentrantLock()).unlock();
  }

  /** Lets no other thread run until {@link #goOn}. */
  public static void holdOn() {
    ScheduledThreads.countRegion(Thread.currentThread(), 1);
  }

  /** Undoes one {@link #holdOn}. */
  public static void goOn() {
    ScheduledThreads.countRegion(Thread.currentThread(), -1);
  }
}
