package dev.holdfast.testkit;

import dev.holdfast.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until a test advances it.
 *
 * <p>{@link #advance} runs every timer that falls due, on the calling thread, in the order of due
 * time and, at one due time, in the order in which they were scheduled; each sees the time at which
 * it was due. So a test of an hour takes no real time, and is repeatable.
 *
 * <p>Alarms that fall due run on threads of this clock, and the clock stands still until their
 * handlers have ended or wait for something ({@code await}, calls with a time-out). {@code
 * Holdfast.open} with a clock runs one handler at a time. So {@code advance(Duration.ofDays(1))}
 * runs a day of alarms, retries included, in due order; a handler that waits lets the next one
 * start a tenth of a second later. When a timer ends such a wait, the clock stands again before the
 * next timer. The clock does not wait for tasks and asynchronous calls that handlers start.
 *
 * <p>{@code ObjectRuntime.close()} waits for calls and handlers for {@code closeTimeout} of this
 * clock, and the waiting thread is usually the one that would advance it. So when no thread has
 * advanced the clock for some real time, {@link #DEFAULT_CLOSE_TIMEOUT}, it jumps to the end of
 * that wait by itself, without running the timers in between: calls that still run are interrupted
 * and fail with {@code InstanceResetException}, and closing ends. Only a test that leaves a call
 * that waits for ever takes that time.
 *
 * <p>The wall clock follows the monotonic one, and can also be set to any time: clocks of real
 * machines jump in both directions. Timers use the monotonic clock and are not affected.
 *
 * <p>Thread-safe. Timers run one at a time, even if two threads advance the clock.
 */
public final class VirtualClock implements TimeSource {

  /**
   * Where {@link #VirtualClock()} starts: in the first millisecond of 2026, in UTC. Has
   * nanoseconds, like the times of real machines, so that tests detect where a time is truncated to
   * the millisecond.
   */
  public static final Instant DEFAULT_START = Instant.parse("2026-01-01T00:00:00.000123456Z");

  /** How long the close of a runtime waits for a thread to advance the clock: five real seconds. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private static final Duration NANOS_MAX = Duration.ofNanos(Long.MAX_VALUE);

  /** Held while a timer runs, so that timers run one at a time; taken before {@link #lock}. */
  private final ReentrantLock advancing = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition timerAdded = lock.newCondition();

  /** Signalled when the clock advances, and when a timer is removed. */
  private final Condition moved = lock.newCondition();

  private final Duration closeTimeout;
  private final ThreadFactory threadFactory;
  private final boolean watchesThreads;

  // Guarded by lock.
  private final TreeSet<VirtualTimer> timers =
      new TreeSet<>(
          Comparator.comparingLong((VirtualTimer timer) -> timer.dueNanos)
              .thenComparingLong(timer -> timer.number));
  private long monotonicNanos;
  private Instant wallAtZero;
  private long timersScheduled;
  private long moves;

  /** The threads of {@link #newThread} that are not known to have ended. */
  private final Set<Thread> threads = new LinkedHashSet<>();

  /** Creates a clock that stands at {@link #DEFAULT_START}. */
  public VirtualClock() {
    this(DEFAULT_START);
  }

  /**
   * Creates a clock that stands at a time.
   *
   * @param start the time of the wall clock; the monotonic clock shows zero
   */
  public VirtualClock(Instant start) {
    this(start, DEFAULT_CLOSE_TIMEOUT);
  }

  /**
   * Creates a clock that stands at a time.
   *
   * @param start the time of the wall clock; the monotonic clock shows zero
   * @param closeTimeout how long, in real time, the close of a runtime waits for running calls
   *     while no thread advances the clock; zero or more
   * @throws IllegalArgumentException if {@code closeTimeout} is negative
   */
  public VirtualClock(Instant start, Duration closeTimeout) {
    this(start, closeTimeout, Thread.ofVirtual().name("virtual-clock-", 0).factory());
  }

  /**
   * Creates a clock that stands at a time and has its threads made by the caller.
   *
   * @param start the time of the wall clock; the monotonic clock shows zero
   * @param closeTimeout how long, in real time, the close of a runtime waits for running calls
   *     while no thread advances the clock; zero or more
   * @param threads creates the threads of {@link #newThread}
   * @throws IllegalArgumentException if {@code closeTimeout} is negative
   */
  public VirtualClock(Instant start, Duration closeTimeout, ThreadFactory threads) {
    this(start, closeTimeout, threads, true);
  }

  private VirtualClock(
      Instant start, Duration closeTimeout, ThreadFactory threads, boolean watchesThreads) {
    if (closeTimeout.isNegative()) {
      throw new IllegalArgumentException("closeTimeout must not be negative: " + closeTimeout);
    }
    this.wallAtZero = start;
    this.closeTimeout = closeTimeout;
    this.threadFactory = threads;
    this.watchesThreads = watchesThreads;
  }

  /**
   * Returns a clock for a scheduler that advances it only when no thread can run: the clock does
   * not look at its threads, which may wait for its own timers.
   *
   * @param threads creates the threads of {@link #newThread}
   * @return the clock, at {@link #DEFAULT_START}
   */
  public static VirtualClock scheduled(ThreadFactory threads) {
    return new VirtualClock(DEFAULT_START, DEFAULT_CLOSE_TIMEOUT, threads, false);
  }

  @Override
  public long wallMillis() {
    return now().toEpochMilli();
  }

  @Override
  public long monotonicNanos() {
    lock.lock();
    try {
      return monotonicNanos;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the time of the wall clock, to the nanosecond} */
  public Instant now() {
    lock.lock();
    try {
      return wallAtZero.plusNanos(monotonicNanos);
    } finally {
      lock.unlock();
    }
  }

  /** {@inheritDoc} The same as {@link #now}. */
  @Override
  public Instant instant() {
    return now();
  }

  /**
   * Makes the wall clock jump. No timer runs, and the monotonic clock does not change.
   *
   * @param time the new time of the wall clock, before or after the present one
   */
  public void setWallClock(Instant time) {
    lock.lock();
    try {
      wallAtZero = time.minusNanos(monotonicNanos);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Timer schedule(long delayNanos, Runnable task) {
    VirtualTimer timer = add(delayNanos, task);
    if (task instanceof Wait) {
      Thread.ofVirtual().name("virtual clock: end of a wait").start(() -> endWait(timer));
    }
    return timer;
  }

  /** Advances the clock to a timer when no thread has advanced it for a while. */
  private void endWait(VirtualTimer timer) {
    lock.lock();
    try {
      long seenMoves = moves;
      long leftNanos = nanosOf(closeTimeout);
      while (timers.contains(timer) && leftNanos > 0) {
        leftNanos = moved.awaitNanos(leftNanos);
        if (moves != seenMoves) {
          seenMoves = moves;
          leftNanos = nanosOf(closeTimeout);
        }
      }
      if (!timers.remove(timer)) {
        return;
      }
      // Only this timer: work that other timers start could also wait for ever.
      setMonotonic(timer.dueNanos);
    } catch (InterruptedException e) {
      throw new AssertionError("No other thread can interrupt this one", e);
    } finally {
      lock.unlock();
    }
    timer.task.run();
  }

  private static long nanosOf(Duration time) {
    return time.compareTo(NANOS_MAX) < 0 ? time.toNanos() : Long.MAX_VALUE;
  }

  private VirtualTimer add(long delayNanos, Runnable task) {
    if (delayNanos < 0) {
      throw new IllegalArgumentException("delayNanos must not be negative: " + delayNanos);
    }
    lock.lock();
    try {
      VirtualTimer timer =
          new VirtualTimer(saturatedSum(monotonicNanos, delayNanos), timersScheduled++, task);
      timers.add(timer);
      timerAdded.signalAll();
      return timer;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Advances the clock and runs every timer that falls due on the way, including timers that those
   * timers schedule. With {@link Duration#ZERO} it runs the timers that are already due.
   *
   * @param time how far; zero or more
   * @throws IllegalArgumentException if {@code time} is negative
   * @throws IllegalStateException if a timer calls this
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("A clock cannot be advanced by " + time);
    }
    startAdvancing();
    try {
      long targetNanos = saturatedSum(monotonicNanos(), nanosOf(time));
      while (true) {
        awaitQuiet();
        VirtualTimer due = takeTimerDueBy(targetNanos);
        if (due == null) {
          break;
        }
        due.task.run();
      }
      moveTo(targetNanos);
    } finally {
      advancing.unlock();
    }
  }

  /**
   * Advances the clock to the earliest timer and runs it.
   *
   * @return whether there was a timer
   * @throws IllegalStateException if a timer calls this
   */
  public boolean advanceToNextTimer() {
    startAdvancing();
    try {
      VirtualTimer due = takeTimerDueBy(Long.MAX_VALUE);
      if (due == null) {
        return false;
      }
      due.task.run();
      awaitQuiet();
      return true;
    } finally {
      advancing.unlock();
    }
  }

  /** {@return the time until the earliest timer; zero if it is due, empty if there is none} */
  public Optional<Duration> untilNextTimer() {
    lock.lock();
    try {
      return timers.isEmpty()
          ? Optional.empty()
          : Optional.of(Duration.ofNanos(Math.max(0, timers.first().dueNanos - monotonicNanos)));
    } finally {
      lock.unlock();
    }
  }

  /** {@return the number of timers that were scheduled and have neither run nor been cancelled} */
  public int pendingTimers() {
    lock.lock();
    try {
      return timers.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until other threads have scheduled timers, so that a test can advance the clock past
   * them.
   *
   * @param count the number of timers that must be pending
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void awaitPendingTimers(int count) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (timers.size() < count) {
        timerAdded.await();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Thread newThread(Runnable work) {
    Thread thread = threadFactory.newThread(work);
    if (!watchesThreads) {
      return thread;
    }
    lock.lock();
    try {
      threads.add(thread);
    } finally {
      lock.unlock();
    }
    return thread;
  }

  /**
   * Waits until all threads that this clock has created are quiet, so that the next timer finds
   * their work done. Polls: a thread that parks notifies nobody.
   */
  @SuppressWarnings("ThreadPriorityCheck") // lets those threads run; nothing depends on how soon
  private void awaitQuiet() {
    while (!isQuiet()) {
      Thread.yield();
    }
  }

  /**
   * Looks twice. A thread that was quiet in the same wait both times has done nothing in between,
   * so all of them were quiet at one moment, between the two looks. None of them can have woken
   * another one since: only a timer or a thread of the test can.
   */
  private boolean isQuiet() {
    IdentityHashMap<Thread, Object> first = quietThreads();
    if (first == null) {
      return false;
    }
    IdentityHashMap<Thread, Object> second = first.isEmpty() ? first : quietThreads();
    return first.equals(second);
  }

  /** The threads of this clock and what keeps each quiet; null if one of them is not. */
  private @Nullable IdentityHashMap<Thread, Object> quietThreads() {
    lock.lock();
    try {
      threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
      IdentityHashMap<Thread, Object> quiet = new IdentityHashMap<>();
      for (Thread thread : threads) {
        Object reason = whyQuiet(thread);
        if (reason == null) {
          return null;
        }
        quiet.put(thread, reason);
      }
      return quiet;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns why a thread does nothing until a timer, or a thread that is not this clock's, lets it.
   * A thread that was woken has an end of its wait, or is interrupted, before it runs.
   */
  private static @Nullable Object whyQuiet(Thread thread) {
    if (thread.getState() == Thread.State.NEW) {
      return Thread.State.NEW;
    }
    return LockSupport.getBlocker(thread) instanceof Wait wait
            && !wait.isOver()
            && !thread.isInterrupted()
        ? wait
        : null;
  }

  private void startAdvancing() {
    if (isOwnThread()) {
      throw new IllegalStateException("The handler of an alarm must not advance its clock.");
    }
    if (advancing.isHeldByCurrentThread()) {
      throw new IllegalStateException("A timer must not advance the clock that runs it.");
    }
    advancing.lock();
  }

  private boolean isOwnThread() {
    lock.lock();
    try {
      return threads.contains(Thread.currentThread());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes the earliest timer if it is due by the limit, and advances the clock to its due time.
   */
  private @Nullable VirtualTimer takeTimerDueBy(long limitNanos) {
    lock.lock();
    try {
      if (timers.isEmpty() || timers.first().dueNanos > limitNanos) {
        return null;
      }
      VirtualTimer first = timers.removeFirst();
      setMonotonic(first.dueNanos);
      return first;
    } finally {
      lock.unlock();
    }
  }

  private void moveTo(long targetNanos) {
    lock.lock();
    try {
      setMonotonic(targetNanos);
    } finally {
      lock.unlock();
    }
  }

  /** Called under the lock. */
  private void setMonotonic(long nanos) {
    monotonicNanos = Math.max(monotonicNanos, nanos);
    moves++;
    moved.signalAll();
  }

  private boolean cancel(VirtualTimer timer) {
    lock.lock();
    try {
      moved.signalAll();
      return timers.remove(timer);
    } finally {
      lock.unlock();
    }
  }

  private static long saturatedSum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** One scheduled task. Immutable; it is pending if the queue holds it. */
  private final class VirtualTimer implements Timer {
    final long dueNanos;
    final long number;
    final Runnable task;

    VirtualTimer(long dueNanos, long number, Runnable task) {
      this.dueNanos = dueNanos;
      this.number = number;
      this.task = task;
    }

    @Override
    public boolean cancel() {
      return VirtualClock.this.cancel(this);
    }
  }
}
