package dev.holdfast.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class DeterministicSchedulerTest {

  private final List<String> log = new ArrayList<>();

  @Test
  void equalSeedsGiveEqualSchedules() {
    for (long seed = 0; seed < 50; seed++) {
      assertThat(scheduleOf(seed)).isEqualTo(scheduleOf(seed));
    }
  }

  @Test
  void differentSeedsGiveDifferentSchedules() {
    Set<List<String>> schedules = new HashSet<>();
    for (long seed = 0; seed < 100; seed++) {
      schedules.add(scheduleOf(seed));
    }
    // Out of hundreds of thousands of possible orders; a scheduler without random choices gives
    // one.
    assertThat(schedules).hasSizeGreaterThan(90);
  }

  @Test
  void everyOrderOfTwoThreadsOccurs() {
    Set<List<String>> orders = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      List<String> order = new ArrayList<>();
      new DeterministicScheduler(seed).run(() -> order.add("a"), () -> order.add("b"));
      orders.add(order);
    }
    assertThat(orders).containsExactlyInAnyOrder(List.of("a", "b"), List.of("b", "a"));
  }

  @Test
  void runWaitsForThreadsThatBodiesStart() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);

    scheduler.run(
        () -> scheduler.threadFactory().newThread(() -> log.add("from the factory")).start(),
        () -> Thread.ofVirtual().start(() -> log.add("inherited")));

    assertThat(log).containsExactlyInAnyOrder("from the factory", "inherited");
    assertThat(scheduler.liveThreads()).isEmpty();
  }

  @Test
  void clockMovesOnlyWhenNothingElseCanHappen() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    VirtualClock clock = scheduler.clock();
    CountDownLatch rung = new CountDownLatch(1);
    clock.schedule(Duration.ofHours(1).toNanos(), rung::countDown);

    scheduler.run(
        () -> {
          Thread.yield();
          log.add("before " + clock.monotonicNanos());
        },
        () -> {
          rung.await();
          log.add("after " + clock.monotonicNanos());
        });

    assertThat(log).containsExactly("before 0", "after 3600000000000");
  }

  @Test
  void runUntilIdleLeavesParkedThreadsAndTheClockAlone() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    CountDownLatch latch = new CountDownLatch(1);
    scheduler.clock().schedule(1, () -> log.add("timer"));
    Thread waiting = scheduler.start("waiting", latch::await);

    scheduler.runUntilIdle();

    assertThat(scheduler.liveThreads()).containsExactly(waiting);
    assertThat(log).isEmpty();
    latch.countDown();
    scheduler.runUntilIdle();
    assertThat(scheduler.liveThreads()).isEmpty();
  }

  @Test
  void advanceRunsThreadsAtEachTimeOnTheWay() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    VirtualClock clock = scheduler.clock();
    for (int second = 1; second <= 3; second++) {
      CountDownLatch rung = new CountDownLatch(1);
      clock.schedule(Duration.ofSeconds(second).toNanos(), rung::countDown);
      scheduler.start(
          "waiter",
          () -> {
            rung.await();
            log.add("at " + Duration.ofNanos(clock.monotonicNanos()));
          });
    }

    scheduler.advance(Duration.ofMillis(2500));

    assertThat(log).containsExactly("at PT1S", "at PT2S");
    assertThat(clock.monotonicNanos()).isEqualTo(Duration.ofMillis(2500).toNanos());
  }

  @Test
  void timersThatAreDueRaceWithThreads() {
    Set<List<String>> orders = new HashSet<>();
    for (long seed = 0; seed < 50; seed++) {
      DeterministicScheduler scheduler = new DeterministicScheduler(seed);
      List<String> order = new ArrayList<>();
      scheduler.clock().schedule(0, () -> order.add("timer"));
      scheduler.run(() -> order.add("thread"));
      orders.add(order);
    }
    assertThat(orders).contains(List.of("timer", "thread"), List.of("thread", "timer"));
  }

  @Test
  void deadlockIsReportedWithTheStacksOfAllThreads() {
    ReentrantLock left = new ReentrantLock();
    ReentrantLock right = new ReentrantLock();

    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(
            () ->
                DeterministicScheduler.explore(
                    100,
                    scheduler ->
                        scheduler.run(() -> lockBoth(left, right), () -> lockBoth(right, left))))
        .withMessageContaining("deadlock")
        .withMessageContaining("body-0 is WAITING")
        .withMessageContaining("body-1 is WAITING")
        .withMessageContaining("lockBoth");
  }

  @Test
  void deadlockIsFoundAlsoWhenATimerTicksForEver() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    CountDownLatch never = new CountDownLatch(1);
    tick(scheduler.clock());

    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(() -> scheduler.run(never::await))
        .withMessageContaining("deadlock");
  }

  @Test
  void longSleepIsNoDeadlockAlsoWhenATimerTicks() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    CountDownLatch over = new CountDownLatch(1);
    tick(scheduler.clock());
    Thread sleeper = sleeper(scheduler, over);

    scheduler.run(sleeper::start, over::await);
    assertThat(scheduler.clock().monotonicNanos()).isEqualTo(Duration.ofHours(2).toNanos());
  }

  /** Not a body: its steps are not progress. */
  private static Thread sleeper(DeterministicScheduler scheduler, CountDownLatch over) {
    return scheduler
        .threadFactory()
        .newThread(
            () -> {
              try {
                scheduler.sleep(Duration.ofHours(2));
              } catch (InterruptedException e) {
                throw new AssertionError("No thread interrupts this one", e);
              }
              over.countDown();
            });
  }

  private static void tick(VirtualClock clock) {
    clock.schedule(Duration.ofSeconds(1).toNanos(), () -> tick(clock));
  }

  @Test
  void failureOfAThreadFailsTheScheduleAndNamesTheSeed() {
    DeterministicScheduler scheduler = new DeterministicScheduler(42);

    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(
            () ->
                scheduler.run(
                    () -> {
                      throw new IOException("broken");
                    }))
        .withMessageContaining("Seed 42")
        .withMessageContaining("broken")
        .satisfies(failure -> assertThat(failure.seed()).isEqualTo(42));
  }

  @Test
  void waitForRealTimeIsReported() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);

    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(() -> scheduler.run(() -> LockSupport.parkNanos(TimeUnit.DAYS.toNanos(1))))
        .withMessageContaining("real time");
  }

  @Test
  void wakeUpByAForeignThreadIsReported() throws InterruptedException {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    CompletableFuture<String> future = new CompletableFuture<>();
    scheduler.start("waiting", future::join);
    scheduler.runUntilIdle();
    Thread foreign = Thread.ofPlatform().start(() -> future.complete("now"));
    foreign.join();

    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(scheduler::runUntilIdle)
        .withMessageContaining("waiting was woken by");
  }

  /** As of the JDK's list of open files. */
  @Test
  void monitorOfAForeignThreadLeavesTheScheduleAsItIs() throws InterruptedException {
    Object monitor = new Object();
    DeterministicScheduler alone = new DeterministicScheduler(1);
    startEntering(alone, monitor);
    alone.runUntilIdle();

    DeterministicScheduler beside = new DeterministicScheduler(1);
    Thread entering = startEntering(beside, monitor);
    CountDownLatch held = new CountDownLatch(1);
    Thread foreign =
        Thread.ofPlatform()
            .start(
                () -> {
                  synchronized (monitor) {
                    held.countDown();
                    while (entering.getState() != Thread.State.BLOCKED) {
                      Thread.onSpinWait();
                    }
                  }
                });
    held.await();
    beside.runUntilIdle();
    foreign.join();

    assertThat(entering.isAlive()).isFalse();
    assertThat(beside.trace()).isEqualTo(alone.trace());
  }

  private static Thread startEntering(DeterministicScheduler scheduler, Object monitor) {
    Thread entering =
        scheduler.start(
            "entering",
            () -> {
              Thread.yield();
              synchronized (monitor) {
                Thread.yield();
              }
            });
    scheduler.start("other", Thread::yield);
    return entering;
  }

  @Test
  void blockedTimerIsReported() {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    CountDownLatch never = new CountDownLatch(1);
    scheduler
        .clock()
        .schedule(
            0,
            () -> {
              try {
                never.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });

    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(scheduler::runUntilIdle)
        .withMessageContaining("must not");
  }

  @Test
  void onlyItsOwnThreadRunsIt() throws InterruptedException {
    DeterministicScheduler scheduler = new DeterministicScheduler(1);
    List<Throwable> thrown = new ArrayList<>();
    Thread other =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((_, e) -> thrown.add(e))
            .start(scheduler::runUntilIdle);
    other.join();

    assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
  }

  @Test
  void schedulerNeedsAPlatformThread() throws InterruptedException {
    List<Throwable> thrown = new ArrayList<>();
    Thread virtual =
        Thread.ofVirtual()
            .uncaughtExceptionHandler((_, e) -> thrown.add(e))
            .start(() -> new DeterministicScheduler(1));
    virtual.join();

    assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
  }

  @Test
  void exploreStopsAtTheFirstSeedThatFailsAndThatSeedReplaysIt() {
    DeterministicScheduler.Scenario race = new LostUpdate()::scenario;
    ScheduleFailure first =
        catchThrowableOfType(
            ScheduleFailure.class, () -> DeterministicScheduler.explore(1000, race));

    for (int replay = 0; replay < 5; replay++) {
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(() -> race.run(new DeterministicScheduler(first.seed())))
          .withMessageContaining("two increments gave 1");
    }
  }

  /** Four threads of four steps each, some of which wait for each other. */
  private static List<String> scheduleOf(long seed) {
    DeterministicScheduler scheduler = new DeterministicScheduler(seed);
    ReentrantLock lock = new ReentrantLock();
    CountDownLatch both = new CountDownLatch(2);
    DeterministicScheduler.Body body =
        () -> {
          Thread.yield();
          lock.lock();
          try {
            Thread.yield();
            both.countDown();
          } finally {
            lock.unlock();
          }
          both.await();
          scheduler.threadFactory().newThread(Thread::yield).start();
        };
    scheduler.run(body, body, body, body);
    return scheduler.trace();
  }

  private static void lockBoth(ReentrantLock first, ReentrantLock second) {
    first.lock();
    try {
      Thread.yield();
      second.lock();
      second.unlock();
    } finally {
      first.unlock();
    }
  }
}
