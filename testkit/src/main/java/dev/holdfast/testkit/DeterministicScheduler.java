package dev.holdfast.testkit;

import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs virtual threads one at a time, in an order drawn from a seed: the same seed gives the same
 * schedule, so a failure that took ten thousand schedules to find is replayed at once.
 *
 * <p>A thread runs until it parks, yields or ends; then the seed says which of the runnable ones is
 * next, or whether a timer that is due fires first. Time is a {@link VirtualClock} that moves only
 * when nothing else can happen. When no thread can run, no timer is left and a body has not ended,
 * that is a deadlock: it is reported at once with the stacks of all threads.
 *
 * <pre>{@code
 * DeterministicScheduler.explore(1_000, scheduler -> {
 *   Mailbox mailbox = new Mailbox(scheduler.threadFactory(), scheduler.clock());
 *   scheduler.run(() -> mailbox.send("a"), () -> mailbox.send("b"), mailbox::receive);
 * });
 * }</pre>
 *
 * <p>Code between two parks runs in one piece. To let others in at further places, call {@link
 * Thread#yield} there, or use {@link #exploreInterleavings}, which lets them in before every access
 * of shared state.
 *
 * <p>The code under test must get its threads from {@link #threadFactory} and its time from {@link
 * #clock}, and lock with {@code java.util.concurrent}: a park with a timeout, a wake-up by a
 * foreign thread and a contended {@code synchronized} are outside of the schedule and are reported.
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}. Everything runs on the platform
 * thread that made the scheduler and that calls {@link #run}; nothing else may call its methods,
 * except for {@link #threadFactory} and {@link #clock}.
 */
public final class DeterministicScheduler {

  /** The system property with the only seed {@link #explore} tries. */
  public static final String SEED_PROPERTY = "sim.seed";

  /** The system property with the seed {@link #explore} begins with; 1 without it. */
  public static final String FIRST_SEED_PROPERTY = "sim.firstSeed";

  private static final String BODY = "body-";

  /** More steps than this are a live-lock. */
  private static final long STEPS_MAX = 20_000_000;

  /**
   * When so many timers have fired and no body has run a step, none ever will: what fires are the
   * timers of some background work, which never end.
   */
  private static final int TIMERS_WITHOUT_STEP_MAX = 1_000;

  private final long seed;
  private final Choices choices;
  private final VirtualClock clock;
  private final Thread loopThread = Thread.currentThread();

  /** Only for wake-ups by foreign threads, which are errors but must not corrupt the list. */
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final List<Ready> ready = new ArrayList<>();
  private @Nullable String foreignWakeUp;

  // Owned by the loop thread and the one virtual thread that it runs.
  private final Set<ScheduledThread> liveThreads = new LinkedHashSet<>();
  private final List<String> trace = new ArrayList<>();
  private @Nullable ScheduledThread firingTimer;
  private int threadsMade;
  private int bodiesMade;
  private boolean bodyHasRun;
  private @Nullable ScheduleFailure failure;

  /** One of so many accesses lets others in; none when zero. */
  private int interleavingPeriod;

  /** Whether the thread that ran last was made to let others in. */
  private boolean interrupted;

  /**
   * Creates a scheduler with a clock of its own.
   *
   * @param seed decides everything
   */
  public DeterministicScheduler(long seed) {
    this(seed, new VirtualClock());
  }

  /**
   * Creates a scheduler.
   *
   * @param seed decides everything
   * @param clock the time of the threads
   */
  public DeterministicScheduler(long seed, VirtualClock clock) {
    this(seed, clock, new Choices.Drawn(new SplittableRandom(seed)));
  }

  private DeterministicScheduler(long seed, VirtualClock clock, Choices choices) {
    if (loopThread.isVirtual()) {
      throw new IllegalStateException("Virtual threads need a platform thread to run on.");
    }
    this.seed = seed;
    this.choices = choices;
    this.clock = clock;
  }

  /**
   * Returns a scheduler that draws nothing: threads run in the order in which they became able to,
   * as those of a machine with one processor do. For statements about who waits for how much.
   *
   * @return a fresh one
   */
  public static DeterministicScheduler firstComeFirstServed() {
    return new DeterministicScheduler(0, new VirtualClock(), new Choices.Oldest());
  }

  /** What a thread does; may throw anything, which fails the schedule. */
  @FunctionalInterface
  public interface Body {

    /**
     * Does it.
     *
     * @throws Exception fails the schedule
     */
    void run() throws Exception;
  }

  /** Tries one schedule. */
  @FunctionalInterface
  public interface Scenario {

    /**
     * Makes what is tested, runs it and checks it.
     *
     * @param scheduler a fresh one
     * @throws Exception if the check fails
     */
    void run(DeterministicScheduler scheduler) throws Exception;
  }

  /**
   * Tries many schedules of a scenario: seeds 1, 2, 3 and so on, or the one of the system property
   * {@value #SEED_PROPERTY}.
   *
   * @param schedules how many
   * @param scenario what to try
   * @throws ScheduleFailure for the first one that fails, with its seed
   */
  public static void explore(int schedules, Scenario scenario) {
    Long only = Long.getLong(SEED_PROPERTY);
    long first = only == null ? Long.getLong(FIRST_SEED_PROPERTY, 1) : only;
    long last = only == null ? first + schedules - 1 : only;
    for (long seed = first; seed <= last; seed++) {
      try {
        scenario.run(new DeterministicScheduler(seed));
      } catch (ScheduleFailure e) {
        throw e;
      } catch (Exception | AssertionError e) {
        throw new ScheduleFailure(
            seed, e + " (replay with -D" + SEED_PROPERTY + "=" + seed + ")", e);
      }
    }
  }

  /**
   * Tries many schedules of a scenario, in which another thread may run before every access of a
   * field and every call into {@code java.util.concurrent}: for code that is meant to be safe
   * without locks. The scenario and the code that it tests are loaded once more for this, in an
   * unnamed module, with those places added.
   *
   * @param schedules how many
   * @param scenario has a constructor without parameters; its name begins with one of the prefixes
   * @param prefixes beginnings of the names of the classes in which others may run, such as {@code
   *     dev.holdfast.runtime.}
   * @throws ScheduleFailure for the first one that fails, with its seed
   */
  public static void exploreInterleavings(
      int schedules, Class<? extends Scenario> scenario, String... prefixes) {
    Scenario interleaved = interleaved(scenario, prefixes);
    explore(
        schedules,
        scheduler -> {
          // From a switch at every access to one in 64: short races and long detours both occur.
          scheduler.interleavingPeriod = 1 << scheduler.choose(7);
          InterleavingPoint.beginSchedule();
          interleaved.run(scheduler);
        });
  }

  /**
   * Tries every schedule of a small scenario, in which other threads run before up to so many
   * accesses as in {@link #exploreInterleavings}, and in every order wherever a thread parks or
   * ends. What it finds nothing in is free of faults that so many interruptions can show.
   *
   * @param interruptionsMax how often a thread is interrupted in one schedule; the number of
   *     schedules grows with this power
   * @param scenario as there; repeats itself exactly, but for what it asks of the scheduler
   * @param prefixes as there
   * @return how many schedules there are
   * @throws ScheduleFailure for the first one that fails, with its number
   */
  public static long exploreAllInterleavings(
      int interruptionsMax, Class<? extends Scenario> scenario, String... prefixes) {
    Scenario interleaved = interleaved(scenario, prefixes);
    Choices.Enumerated choices = new Choices.Enumerated(interruptionsMax);
    long number = 0;
    do {
      number++;
      DeterministicScheduler scheduler =
          new DeterministicScheduler(number, new VirtualClock(), choices);
      scheduler.interleavingPeriod = 1;
      InterleavingPoint.beginSchedule();
      try {
        interleaved.run(scheduler);
      } catch (ScheduleFailure e) {
        throw e;
      } catch (Exception | AssertionError e) {
        throw new ScheduleFailure(number, e + " (schedule " + number + " of all)", e);
      }
    } while (choices.advance());
    return number;
  }

  private static Scenario interleaved(Class<? extends Scenario> scenario, String... prefixes) {
    ClassLoader loader = new InterleavingClassLoader(scenario.getClassLoader(), List.of(prefixes));
    Scenario interleaved;
    try {
      Constructor<?> constructor =
          Class.forName(scenario.getName(), true, loader).getDeclaredConstructor();
      constructor.setAccessible(true);
      interleaved = (Scenario) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("Cannot make a " + scenario.getName(), e);
    }
    if (interleaved.getClass().equals(scenario)) {
      throw new IllegalArgumentException(
          scenario.getName() + " begins with none of " + List.of(prefixes));
    }
    return interleaved;
  }

  /** {@return the seed of this schedule} */
  public long seed() {
    return seed;
  }

  /** {@return the time of the threads} */
  public VirtualClock clock() {
    return clock;
  }

  /** {@return makes threads that this scheduler runs; may be used by any of them} */
  public ThreadFactory threadFactory() {
    return task -> newThread("thread-" + threadsMade, task).thread;
  }

  /**
   * Draws a number from the seed, for choices of the test that belong to the schedule.
   *
   * @param bound more than zero
   * @return at least 0 and less than {@code bound}
   */
  public int choose(int bound) {
    return choices.next(bound);
  }

  /**
   * Starts a thread, which runs when {@link #run} or {@link #runUntilIdle} is called.
   *
   * @param name for reports
   * @param body what it does
   * @return the thread
   */
  public Thread start(String name, Body body) {
    Thread thread = newThread(name, asRunnable(name, body)).thread;
    thread.start();
    return thread;
  }

  /**
   * Starts a thread for each body and runs everything until all bodies have ended and no thread can
   * go on. Moves the clock to the next timer whenever only time is missing.
   *
   * @param bodies what the threads do
   * @throws ScheduleFailure if a thread fails, or a body can never end
   */
  public void run(Body... bodies) {
    List<Thread> threads = new ArrayList<>();
    for (Body body : bodies) {
      threads.add(start(BODY + bodiesMade++, body));
    }
    long timersSinceStep = 0;
    for (runUntilIdle(); threads.stream().anyMatch(Thread::isAlive); runUntilIdle()) {
      if (clock.untilNextTimer().isEmpty() || timersSinceStep == TIMERS_WITHOUT_STEP_MAX) {
        throw new ScheduleFailure(seed, "deadlock: no thread can go on.\n" + stacks(), null);
      }
      timersSinceStep = bodyHasRun ? 0 : timersSinceStep + 1;
      bodyHasRun = false;
      fireTimer();
    }
  }

  /**
   * Runs threads and timers that are due until no thread can go on. Does not move the clock.
   *
   * @throws ScheduleFailure if a thread fails
   */
  public void runUntilIdle() {
    if (!Thread.currentThread().equals(loopThread)) {
      throw new IllegalStateException("Only " + loopThread + " may run this scheduler.");
    }
    while (true) {
      throwIfFailed();
      if (!step()) {
        requireNoRealWaits();
        requireTimerEnded();
        return;
      }
      if (trace.size() > STEPS_MAX) {
        throw new ScheduleFailure(seed, "live-lock: too many steps.\n" + stacks(), null);
      }
    }
  }

  /**
   * Moves the clock, running what becomes possible at each time on the way, then runs until idle.
   *
   * @param time how far; zero or more
   * @throws ScheduleFailure if a thread fails
   */
  public void advance(Duration time) {
    Duration left = time;
    runUntilIdle();
    while (true) {
      Duration next = clock.untilNextTimer().orElse(null);
      if (next == null || next.compareTo(left) > 0) {
        break;
      }
      left = left.minus(next);
      fireTimer();
      runUntilIdle();
    }
    clock.advance(left);
    runUntilIdle();
  }

  /** {@return which thread ran at each step so far, by name} */
  public List<String> trace() {
    return List.copyOf(trace);
  }

  /** {@return the threads that have begun and not ended, in order of creation} */
  public List<Thread> liveThreads() {
    return liveThreads.stream().map(live -> live.thread).filter(Thread::isAlive).toList();
  }

  /** Returns what this or another scheduler knows of a thread; null if none runs it. */
  private static @Nullable ScheduledThread scheduled(Thread thread) {
    return ScheduledVirtualThreads.executorOf(thread) instanceof ScheduledThread known
        ? known
        : null;
  }

  static boolean wantsInterleaving(Thread thread) {
    ScheduledThread running = scheduled(thread);
    return running != null && running.regionDepth == 0 && running.scheduler().drawsInterleaving();
  }

  static void countRegion(Thread thread, int change) {
    ScheduledThread running = scheduled(thread);
    if (running != null) {
      running.regionDepth += change;
    }
  }

  private boolean drawsInterleaving() {
    if (interleavingPeriod == 0 || (!choices.mayResumeInterrupted() && readyCount() == 0)) {
      return false;
    }
    interrupted = choices.interrupts(interleavingPeriod);
    return interrupted;
  }

  /** Runs one thread up to its next park, or lets one timer fire; false if there is neither. */
  private boolean step() {
    int readyCount = readyCount();
    boolean timerIsDue =
        firingTimer == null && clock.untilNextTimer().filter(Duration::isZero).isPresent();
    if (readyCount == 0 && !timerIsDue) {
      return false;
    }
    // One that was interrupted is the last of the ready.
    boolean leavesLastOut = interrupted && !choices.mayResumeInterrupted();
    interrupted = false;
    int candidates = leavesLastOut ? readyCount - 1 : readyCount;
    int choice = choices.next(timerIsDue ? candidates + 1 : candidates);
    if (choice == candidates) {
      fireTimer();
      return true;
    }
    Ready next = takeReady(choice);
    trace.add(next.thread().name);
    bodyHasRun |= next.thread().name.startsWith(BODY);
    next.continuation().run();
    return true;
  }

  /** Lets the earliest timer fire on a thread of its own, so that others may overtake it. */
  private void fireTimer() {
    ScheduledThread timer = newThread("timer-" + threadsMade, clock::advanceToNextTimer);
    firingTimer = timer;
    timer.thread.start();
  }

  private int readyCount() {
    lock.lock();
    try {
      return ready.size();
    } finally {
      lock.unlock();
    }
  }

  private Ready takeReady(int index) {
    lock.lock();
    try {
      return ready.remove(index);
    } finally {
      lock.unlock();
    }
  }

  private ScheduledThread newThread(String name, Runnable task) {
    threadsMade++;
    ScheduledThread scheduled = new ScheduledThread(name, task);
    liveThreads.add(scheduled);
    return scheduled;
  }

  private static Runnable asRunnable(String name, Body body) {
    return () -> {
      try {
        body.run();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(name + " failed: " + e, e);
      }
    };
  }

  private void makeReady(ScheduledThread thread, Runnable continuation) {
    Thread waker = Thread.currentThread();
    lock.lock();
    try {
      if (!isOwn(waker)) {
        foreignWakeUp = "thread " + thread.name + " was woken by " + waker;
      }
      ready.add(new Ready(thread, continuation));
    } finally {
      lock.unlock();
    }
  }

  private boolean isOwn(Thread waker) {
    ScheduledThread own = scheduled(waker);
    return waker.equals(loopThread) || (own != null && own.scheduler().equals(this));
  }

  private void throwIfFailed() {
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

  private void requireNoRealWaits() {
    for (ScheduledThread live : liveThreads) {
      Thread.State state = live.thread.getState();
      if (state == Thread.State.TIMED_WAITING || state == Thread.State.BLOCKED) {
        throw new ScheduleFailure(
            seed,
            "thread "
                + live.name
                + " is "
                + state
                + ": it waits for real time or a monitor, which cannot be replayed.\n"
                + stacks(),
            null);
      }
    }
  }

  private void requireTimerEnded() {
    if (firingTimer != null) {
      throw new ScheduleFailure(
          seed, firingTimer.name + " is blocked; the task of a timer must not.\n" + stacks(), null);
    }
  }

  private String stacks() {
    StringBuilder text = new StringBuilder();
    for (ScheduledThread live : liveThreads) {
      Thread.State state = live.thread.getState();
      if (state == Thread.State.NEW) {
        continue;
      }
      text.append(live.name).append(" is ").append(state).append('\n');
      Arrays.stream(live.thread.getStackTrace())
          .forEach(frame -> text.append("    at ").append(frame).append('\n'));
    }
    return text.toString();
  }

  private record Ready(ScheduledThread thread, Runnable continuation) {}

  /**
   * One thread, and the executor that its continuation is given to whenever it can run. A thread
   * that it starts itself inherits the executor and counts as a part of it.
   */
  private final class ScheduledThread implements Executor {
    final String name;
    final Thread thread;
    private final Runnable task;

    /** More than zero while the thread must not be interleaved. */
    int regionDepth;

    ScheduledThread(String name, Runnable task) {
      this.name = name;
      this.task = task;
      this.thread = ScheduledVirtualThreads.newThread(this, name, this::runTask);
    }

    DeterministicScheduler scheduler() {
      return DeterministicScheduler.this;
    }

    @Override
    public void execute(Runnable continuation) {
      makeReady(this, continuation);
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private void runTask() {
      try {
        task.run();
      } catch (Throwable e) {
        // Whatever ends a thread is the result of the schedule; the loop reports the first.
        if (failure == null) {
          failure = new ScheduleFailure(seed, "thread " + name + " failed: " + e, e);
        }
      } finally {
        liveThreads.remove(this);
        if (firingTimer == this) {
          firingTimer = null;
        }
      }
    }
  }
}
