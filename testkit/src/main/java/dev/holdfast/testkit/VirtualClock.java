package dev.holdfast.testkit;

import dev.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until a test moves it.
 *
 * <p>{@link #advance} runs every timer that falls due, on the calling thread, in the order of due
 * time and, at one due time, in the order in which they were scheduled; each sees the time at which
 * it was due. So a test of an hour takes no time, and runs the same way every time.
 *
 * <p>Alarms that fall due are run on threads of their own, one at a time, and the clock stands
 * until their handlers have ended or wait for something ({@code await}, calls with a time-out). So
 * {@code advance(Duration.ofDays(1))} runs a day of alarms, retries included, in due order; a
 * handler that waits lets the next one start a tenth of a second later. When a timer ends such a
 * wait, the clock stands again before the next timer. Strands and asynchronous calls that handlers
 * start are not waited for.
 *
 * <p>{@code ObjectRuntime.close()} waits for calls and handlers for {@code closeTimeout} of this
 * clock, and the thread that waits is mostly the one that would have advanced it. So when nobody
 * has moved the clock for a while of real time, {@link #DEFAULT_PATIENCE}, it jumps to the end of
 * that wait by itself, without the timers in between: what still runs is interrupted and fails with
 * {@code InstanceResetException}, and closing ends. Only a test that leaves something behind that
 * waits for ever takes that time.
 *
 * <p>The wall clock follows the monotonic one, and can besides be set to any time: clocks of real
 * machines jump in both directions. Timers are measured by the monotonic clock and do not notice.
 *
 * <p>Thread-safe. Timers run one at a time, also when two threads advance the clock.
 */
public final class VirtualClock implements TimeSource {

  /**
   * Where {@link #VirtualClock()} starts: in the first millisecond of 2026, in UTC. Has
   * nanoseconds, as the times of real machines do, so that tests see where a time is cut to the
   * millisecond.
   */
  public static final Instant DEFAULT_START = Instant.parse("2026-01-01T00:00:00.000123456Z");

  /** How long the end of a runtime waits for somebody who moves the clock: five real seconds. */
  public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(5);

  private static final Duration NANOS_MAX = Duration.ofNanos(Long.MAX_VALUE);

  /** Set on a thread that runs followed work. */
  private static final ThreadLocal<Boolean> FOLLOWED = new ThreadLocal<>();

  /** Held while a timer runs, so that timers run one at a time; taken before {@link #lock}. */
  private final ReentrantLock advancing = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition timerAdded = lock.newCondition();
  private final Condition followedEnded = lock.newCondition();

  /** Signalled when the clock moves, and when a timer is gone. */
  private final Condition moved = lock.newCondition();

  private final Duration patience;

  // Guarded by lock.
  private final TreeSet<VirtualTimer> timers =
      new TreeSet<>(
          Comparator.comparingLong((VirtualTimer timer) -> timer.dueNanos)
              .thenComparingLong(timer -> timer.number));
  private long monotonicNanos;
  private Instant wallAtZero;
  private long timersScheduled;
  private long moves;

  /** Work on other threads that timers have set off and that does not wait for the clock. */
  private int followedCount;

  /** Creates a clock that stands at {@link #DEFAULT_START}. */
  public VirtualClock() {
    this(DEFAULT_START);
  }

  /**
   * Creates a clock that stands at a time.
   *
   * @param start what the wall clock shows; the monotonic clock shows zero
   */
  public VirtualClock(Instant start) {
    this(start, DEFAULT_PATIENCE);
  }

  /**
   * Creates a clock that stands at a time.
   *
   * @param start what the wall clock shows; the monotonic clock shows zero
   * @param patience how long, in real time, the end of a runtime waits for what still runs while
   *     nobody moves the clock; zero or more
   * @throws IllegalArgumentException if {@code patience} is negative
   */
  public VirtualClock(Instant start, Duration patience) {
    if (patience.isNegative()) {
      throw new IllegalArgumentException("patience must not be negative: " + patience);
    }
    this.wallAtZero = start;
    this.patience = patience;
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

  /** {@return what the wall clock shows, to the nanosecond} */
  public Instant now() {
    lock.lock();
    try {
      return wallAtZero.plusNanos(monotonicNanos);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the wall clock jump. No timer runs, and the monotonic clock stays.
   *
   * @param time what the wall clock shows from now on, before or after what it showed
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
    return add(delayNanos, task);
  }

  @Override
  public Timer scheduleEndOfWait(long delayNanos, Runnable task) {
    VirtualTimer timer = add(delayNanos, task);
    Thread.ofVirtual().name("virtual clock: end of a wait").start(() -> endWait(timer));
    return timer;
  }

  /** Lets the time of a timer come when nobody has moved the clock for a while. */
  private void endWait(VirtualTimer timer) {
    lock.lock();
    try {
      long seenMoves = moves;
      long leftNanos = nanosOf(patience);
      while (timers.contains(timer) && leftNanos > 0) {
        leftNanos = moved.awaitNanos(leftNanos);
        if (moves != seenMoves) {
          seenMoves = moves;
          leftNanos = nanosOf(patience);
        }
      }
      if (!timers.remove(timer)) {
        return;
      }
      // Only this one: what other timers set off could wait for ever, too.
      setMonotonic(timer.dueNanos);
    } catch (InterruptedException e) {
      throw new AssertionError("Nobody knows this thread", e);
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
   * Moves the clock and runs every timer that falls due on the way, those that the timers
   * themselves schedule included. With {@link Duration#ZERO} it runs what is due already.
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
        awaitFollowed();
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
   * Moves the clock to the earliest timer and runs that one.
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
      awaitFollowed();
      return true;
    } finally {
      advancing.unlock();
    }
  }

  /** {@return how far the earliest timer is away; zero if it is due, empty if there is none} */
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

  /** {@return how many timers have been scheduled and neither run nor been cancelled} */
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
   * @param count how many timers must be pending
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
  public Runnable follow(Runnable work) {
    addFollowed(1);
    return () -> {
      FOLLOWED.set(Boolean.TRUE);
      try {
        work.run();
      } finally {
        FOLLOWED.remove();
        addFollowed(-1);
      }
    };
  }

  @Override
  public void unfollow(Runnable followed) {
    addFollowed(-1);
  }

  @Override
  public boolean isFollowing() {
    return FOLLOWED.get() != null;
  }

  @Override
  public Pause pause() {
    if (!isFollowing()) {
      return Pause.NONE;
    }
    return new VirtualPause();
  }

  /** {@return 1, so that handlers run in the order in which their alarms are due} */
  @Override
  public int alarmsAtOnceMax() {
    return 1;
  }

  private void addFollowed(int count) {
    lock.lock();
    try {
      followedCount += count;
      followedEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for what timers have set off on other threads, so that the next one finds it done. */
  private void awaitFollowed() {
    lock.lock();
    try {
      while (followedCount > 0) {
        followedEnded.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void startAdvancing() {
    if (FOLLOWED.get() != null) {
      throw new IllegalStateException("The handler of an alarm must not advance its clock.");
    }
    if (advancing.isHeldByCurrentThread()) {
      throw new IllegalStateException("A timer must not advance the clock that runs it.");
    }
    advancing.lock();
  }

  /** Takes the earliest timer if it is due by then, and moves the clock to its due time. */
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

  /** Under the lock. */
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

  /** The wait of a followed thread, which is not counted meanwhile. Guarded by the lock. */
  private final class VirtualPause implements Pause {
    private boolean begun;
    private boolean closed;

    @Override
    public void begin() {
      lock.lock();
      try {
        if (!closed) {
          begun = true;
          addFollowed(-1);
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (begun && !closed) {
          addFollowed(1);
        }
        closed = true;
      } finally {
        lock.unlock();
      }
    }
  }

  /** One scheduled task. Immutable; whether it is pending is whether the queue holds it. */
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
