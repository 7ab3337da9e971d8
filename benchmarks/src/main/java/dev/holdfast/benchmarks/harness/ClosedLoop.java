package dev.holdfast.benchmarks.harness;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Callers in a closed loop: each makes its next call when the previous one has returned. JMH is not
 * used here because its workers cannot be virtual threads beside platform threads in one run, and
 * because sides with a thousand open files must take turns in one process.
 *
 * <p>Owned by the thread that calls {@link #run}.
 */
public final class ClosedLoop {

  private static final int DIGITS = 3;

  private final Plan plan;
  private final IntFunction<Call> callers;
  private final LongSupplier syncCount;
  private final Histogram latencies;
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch failed = new CountDownLatch(1);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean running = true;

  private ClosedLoop(
      Plan plan, IntFunction<Call> callers, LongSupplier syncCount, Histogram latencies) {
    this.plan = plan;
    this.callers = callers;
    this.syncCount = syncCount;
    this.latencies = latencies;
  }

  /** The kind of thread on which callers run. */
  public enum CallerKind {
    /** A platform thread each. */
    PLATFORM,
    /** A virtual thread each. */
    VIRTUAL
  }

  /**
   * The number of callers, and the sampling of their latencies.
   *
   * @param callers the number of callers
   * @param kind the kind of their threads
   * @param sampleInterval the interval of calls whose latency is measured, a power of two; two
   *     reads of the clock cost as much as a hot call
   */
  public record Plan(int callers, CallerKind kind, int sampleInterval) {}

  /** One caller's call; used by one thread only. */
  @FunctionalInterface
  public interface Call {

    /** Makes one call and waits for its reply. */
    void call() throws Exception;
  }

  /**
   * Runs one round.
   *
   * @param plan the callers
   * @param duration the duration
   * @param callers creates the call of each caller, by number
   * @param syncCount counts the syncs of the side's disk
   * @return the measurements
   * @throws Exception the first failure of a call
   */
  public static Measured run(
      Plan plan, Duration duration, IntFunction<Call> callers, LongSupplier syncCount)
      throws Exception {
    return run(plan, duration, callers, syncCount, new Histogram(DIGITS));
  }

  /**
   * Runs one round and keeps all of its latencies.
   *
   * @param plan the callers
   * @param duration the duration
   * @param callers creates the call of each caller, by number
   * @param syncCount counts the syncs of the side's disk
   * @param latencies takes those that were measured, in nanoseconds
   * @return the measurements
   * @throws Exception the first failure of a call
   */
  public static Measured run(
      Plan plan,
      Duration duration,
      IntFunction<Call> callers,
      LongSupplier syncCount,
      Histogram latencies)
      throws Exception {
    return new ClosedLoop(plan, callers, syncCount, latencies).run(duration);
  }

  private Measured run(Duration duration) throws Exception {
    List<Caller> all = new ArrayList<>();
    for (int number = 0; number < plan.callers(); number++) {
      Caller caller = new Caller(callers.apply(number));
      caller.thread =
          switch (plan.kind()) {
            case PLATFORM -> Thread.ofPlatform().unstarted(caller);
            case VIRTUAL -> Thread.ofVirtual().unstarted(caller);
          };
      all.add(caller);
    }
    all.forEach(each -> each.thread.start());
    long syncsBefore = syncCount.getAsLong();
    long cpuBefore = processCpuNanos();
    long startNanos = System.nanoTime();
    start.countDown();
    boolean broken = failed.await(duration.toNanos(), TimeUnit.NANOSECONDS);
    running = false;
    long elapsedNanos = System.nanoTime() - startNanos;
    long cpuNanos = processCpuNanos() - cpuBefore;
    long syncs = syncCount.getAsLong() - syncsBefore;
    for (Caller each : all) {
      each.thread.join();
    }
    if (broken || failure.get() != null) {
      throw new IllegalStateException("A call failed during the measurement", failure.get());
    }
    long operations = all.stream().mapToLong(each -> each.operations).sum();
    all.forEach(each -> latencies.add(each.own));
    return new Measured(
        operations,
        elapsedNanos,
        cpuNanos,
        syncs,
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99));
  }

  public static long processCpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  /** Its counters are read after its thread has ended. */
  private final class Caller implements Runnable {
    private final Call call;
    private final Histogram own = new Histogram(DIGITS);
    private long operations;
    private Thread thread = Thread.currentThread();

    Caller(Call call) {
      this.call = call;
    }

    @Override
    public void run() {
      try {
        start.await();
        loop();
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
        failed.countDown();
      }
    }

    @SuppressWarnings("ThreadPriorityCheck") // for the yield, see there
    private void loop() throws Exception {
      int unwatched = plan.sampleInterval() - 1;
      while (running) {
        long before = System.nanoTime();
        call.call();
        long nanos = System.nanoTime() - before;
        if (!running) {
          // It ended after the round. In a round on a slow disk, these calls would be a large part.
          return;
        }
        own.recordValue(nanos);
        operations++;
        for (int i = 0; i < unwatched && running; i++) {
          call.call();
          operations++;
        }
        if (unwatched > 0) {
          // Hot calls never block, and virtual threads are not preempted: without this the first
          // callers on the carriers would keep all others from ever running.
          Thread.yield();
        }
      }
    }
  }
}
