package dev.holdfast.schedules;

import dev.holdfast.TimeSource;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs virtual threads one at a time, in an order drawn from a seed: the same seed gives the same
 * schedule, so a failure that took ten thousand schedules to find is replayed at once.
 *
 * <p>A thread runs until it parks, yields or ends; then the seed selects the next runnable thread,
 * or a due timer that fires first. Time is a {@link VirtualClock} that advances only when no thread
 * can run. If no thread can run, no timer is left and a body has not ended, that is a deadlock: it
 * is reported at once with the stacks of all threads.
 *
 * <pre>{@code
 * DeterministicScheduler.explore(1_000, scheduler -> {
 *   Mailbox mailbox = new Mailbox(scheduler.threadFactory(), scheduler.clock());
 *   scheduler.run(() -> mailbox.send("a"), () -> mailbox.send("b"), mailbox::receive);
 * });
 * }</pre>
 *
 * <p>Code between two parks runs without interruption. To let other threads run at further places,
 * call {@link Thread#yield}, or use {@link #exploreInterleavings}, which lets them run before every
 * access of shared state.
 *
 * <p>The code under test must get its threads from {@link #threadFactory} and its time from {@link
 * #clock}, and lock with {@code java.util.concurrent}: a park with a timeout, a wake-up by a
 * foreign thread and a contended {@code synchronized} are outside the schedule and are reported.
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}. All code runs on the platform
 * thread that created the scheduler and that calls {@link #run}; no other thread may call its
 * methods, except {@link #threadFactory} and {@link #clock}; threads that it runs may also {@link
 * #sleep} and {@link #choose}.
 */
public final class DeterministicScheduler {

  /** The system property with the only seed that {@link #explore} runs. */
  public static final String SEED_PROPERTY = "sim.seed";

  /** The system property with the first seed of {@link #explore}; the default is 1. */
  public static final String FIRST_SEED_PROPERTY = "sim.firstSeed";

  private static final String BODY = "body-";

  /** More steps than this are a livelock. */
  private static final long STEPS_MAX = 20_000_000;

  /**
   * If this many timers have fired while no body has run a step and no thread has slept, none ever
   * will: the timers belong to background work that never ends.
   */
  private static final int TIMERS_WITHOUT_STEP_MAX = 1_000;

  private final long seed;
  private final Choices choices;
  private final VirtualClock clock;
  private final Thread loopThread = Thread.currentThread();

  // Confined to the loop thread and the one virtual thread that it runs.
  private final ScheduledThreads threads;
  private final List<String> trace = new ArrayList<>();
  private @Nullable ScheduledThread firingTimer;
  private int bodiesMade;

  /** Whether a body has run a step, or a sleep has ended, since the last timer. */
  private boolean hasProgressed;

  private int sleepersCount;

  /** One in this many accesses lets other threads run; none if zero. */
  private int interleavingPeriod;

  /** Whether the thread that ran last was interrupted to let others run. */
  private boolean interrupted;

  /**
   * Creates a scheduler with its own clock.
   *
   * @param seed determines the schedule
   */
  public DeterministicScheduler(long seed) {
    this(seed, new Choices.Drawn(new SplittableRandom(seed)));
  }

  DeterministicScheduler(long seed, Choices choices) {
    if (loopThread.isVirtual()) {
      throw new IllegalStateException("Virtual threads need a platform thread to run on.");
    }
    this.seed = seed;
    this.choices = choices;
    this.threads = new ScheduledThreads(seed, loopThread, this::drawsInterleaving);
    this.clock = VirtualClock.scheduled(threadFactory());
  }

  /**
   * Returns a scheduler without random choices: threads run in the order in which they became
   * runnable, as on a machine with one processor. For statements about how long threads wait.
   *
   * @return a new scheduler
   */
  public static DeterministicScheduler firstComeFirstServed() {
    return new DeterministicScheduler(0, new Choices.Oldest());
  }

  /** The code of a thread; any exception fails the schedule. */
  @FunctionalInterface
  public interface Body {

    /**
     * Runs the code.
     *
     * @throws Exception fails the schedule
     */
    void run() throws Exception;
  }

  /** Runs one schedule. */
  @FunctionalInterface
  public interface Scenario {

    /**
     * Creates the code under test, runs it and checks the result.
     *
     * @param scheduler a new scheduler
     * @throws Exception if the check fails
     */
    void run(DeterministicScheduler scheduler) throws Exception;
  }

  /**
   * Runs many schedules of a scenario: seeds 1, 2, 3 and so on, or the seed of the system property
   * {@value #SEED_PROPERTY}.
   *
   * @param schedules the number of schedules
   * @param scenario the scenario to run
   * @throws ScheduleFailure for the first one that fails, with its seed
   */
  public static void explore(int schedules, Scenario scenario) {
    Exploration.ofSeeds(schedules, scenario);
  }

  /**
   * Runs many schedules of a scenario, in which another thread may run before every access of a
   * field and every call into {@code java.util.concurrent}: for lock-free code. The scenario and
   * the code under test are loaded again for this, in an unnamed module, with those places added.
   *
   * @param schedules the number of schedules
   * @param scenario has a constructor without parameters; its name begins with one of the prefixes
   * @param prefixes prefixes of the names of the classes in which others may run, such as {@code
   *     dev.holdfast.runtime.}
   * @throws ScheduleFailure for the first one that fails, with its seed
   */
  public static void exploreInterleavings(
      int schedules, Class<? extends Scenario> scenario, String... prefixes) {
    Exploration.ofInterleavings(schedules, scenario, prefixes);
  }

  /**
   * Runs every schedule of a small scenario, in which other threads run before at most {@code
   * interruptionsMax} accesses as in {@link #exploreInterleavings}, and in every order wherever a
   * thread parks or ends. If it finds no fault, the scenario has none that this many interruptions
   * can show.
   *
   * @param interruptionsMax maximum number of interruptions in one schedule; the number of
   *     schedules grows with this power
   * @param scenario as for {@link #exploreInterleavings}; deterministic except for the choices of
   *     the scheduler
   * @param prefixes as for {@link #exploreInterleavings}
   * @return the number of schedules
   * @throws ScheduleFailure for the first one that fails, with its number
   */
  public static long exploreAllInterleavings(
      int interruptionsMax, Class<? extends Scenario> scenario, String... prefixes) {
    return Exploration.ofAllInterleavings(interruptionsMax, scenario, prefixes);
  }

  /** {@return the seed of this schedule} */
  public long seed() {
    return seed;
  }

  /** {@return the time of the threads} */
  public VirtualClock clock() {
    return clock;
  }

  /** {@return a factory of threads that this scheduler runs; any of them may use it} */
  public ThreadFactory threadFactory() {
    return task -> threads.createNumbered("thread-", task).thread();
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
   * @param name the name, for reports
   * @param body the code of the thread
   * @return the thread
   */
  public Thread start(String name, Body body) {
    Thread thread = threads.create(name, asRunnable(name, body)).thread();
    thread.start();
    return thread;
  }

  /**
   * Starts a thread for each body and runs all threads until all bodies have ended and no thread
   * can continue. Advances the clock to the next timer when no thread can run.
   *
   * @param bodies the code of the threads
   * @throws ScheduleFailure if a thread fails, or a body can never end
   */
  public void run(Body... bodies) {
    List<Thread> started = new ArrayList<>();
    for (Body body : bodies) {
      started.add(start(BODY + bodiesMade++, body));
    }
    long timersSinceStep = 0;
    for (runUntilIdle(); started.stream().anyMatch(Thread::isAlive); runUntilIdle()) {
      timersSinceStep = hasProgressed ? 0 : timersSinceStep + 1;
      if (clock.untilNextTimer().isEmpty()
          || (timersSinceStep > TIMERS_WITHOUT_STEP_MAX && sleepersCount == 0)) {
        throw threads.failure("deadlock: no thread can continue.");
      }
      hasProgressed = false;
      fireTimer();
    }
  }

  /**
   * Runs threads and due timers until no thread can continue. Does not advance the clock.
   *
   * @throws ScheduleFailure if a thread fails
   */
  public void runUntilIdle() {
    if (!Thread.currentThread().equals(loopThread)) {
      throw new IllegalStateException("Only " + loopThread + " may run this scheduler.");
    }
    while (true) {
      threads.throwIfFailed();
      if (!step()) {
        threads.requireNoRealWaits();
        requireTimerEnded();
        return;
      }
      if (trace.size() > STEPS_MAX) {
        throw threads.failure("live-lock: too many steps.");
      }
    }
  }

  /**
   * Advances the clock, runs the threads and timers of each time on the way, then runs until idle.
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

  /**
   * Lets time pass for the calling thread, which this scheduler runs: others run meanwhile, and
   * timers on the way fire.
   *
   * @param time how long; zero or more
   * @throws InterruptedException if the thread is interrupted
   */
  public void sleep(Duration time) throws InterruptedException {
    sleep(time, new CountDownLatch(1));
  }

  /**
   * The same, but ends early when a latch opens. Opens the latch at its end.
   *
   * @param time how long at most; zero or more
   * @param over the latch, of count one
   * @throws InterruptedException if the thread is interrupted
   */
  public void sleep(Duration time, CountDownLatch over) throws InterruptedException {
    TimeSource.Timer end = clock.schedule(time.toNanos(), over::countDown);
    sleepersCount++;
    try {
      over.await();
    } finally {
      end.cancel();
      sleepersCount--;
      hasProgressed = true;
    }
  }

  /** {@return the name of the thread that ran at each step so far} */
  public List<String> trace() {
    return List.copyOf(trace);
  }

  /** {@return the threads that have begun and not ended, in order of creation} */
  public List<Thread> liveThreads() {
    return threads.alive();
  }

  /** Lets other threads run at one in {@code period} accesses, in classes loaded for that. */
  void interleave(int period) {
    interleavingPeriod = period;
    InterleavingPoint.beginSchedule();
  }

  private boolean drawsInterleaving() {
    if (interleavingPeriod == 0 || (!choices.mayResumeInterrupted() && threads.readyCount() == 0)) {
      return false;
    }
    interrupted = choices.interrupts(interleavingPeriod);
    return interrupted;
  }

  /** Runs one thread up to its next park, or fires one timer; false if there is neither. */
  private boolean step() {
    int readyCount = threads.readyCount();
    boolean timerIsDue =
        !isTimerFiring() && clock.untilNextTimer().filter(Duration::isZero).isPresent();
    if (readyCount == 0 && !timerIsDue) {
      return false;
    }
    // An interrupted thread is the last of the ready ones.
    boolean leavesLastOut = interrupted && !choices.mayResumeInterrupted();
    interrupted = false;
    int candidates = leavesLastOut ? readyCount - 1 : readyCount;
    int choice = choices.next(timerIsDue ? candidates + 1 : candidates);
    if (choice == candidates) {
      fireTimer();
      return true;
    }
    ScheduledThreads.Ready chosen = threads.takeReady(choice);
    ScheduledThread thread = chosen.thread();
    trace.add(thread.name());
    hasProgressed |= thread.name().startsWith(BODY);
    for (ScheduledThreads.Ready next = chosen; next != null; next = threads.awaitMonitor(thread)) {
      next.continuation().run();
    }
    return true;
  }

  /** Fires the earliest timer on a separate thread, so that others may overtake it. */
  private void fireTimer() {
    ScheduledThread timer = threads.createNumbered("timer-", clock::advanceToNextTimer);
    firingTimer = timer;
    timer.thread().start();
  }

  private boolean isTimerFiring() {
    ScheduledThread timer = firingTimer;
    return timer != null && threads.isLive(timer);
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

  private void requireTimerEnded() {
    ScheduledThread timer = firingTimer;
    if (timer != null && threads.isLive(timer)) {
      throw threads.failure(timer.name() + " is blocked; the task of a timer must not.");
    }
  }
}
