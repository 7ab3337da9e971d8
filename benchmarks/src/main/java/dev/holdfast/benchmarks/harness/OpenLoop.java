package dev.holdfast.benchmarks.harness;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Callers that call at a fixed rate, whatever the answers take: the time of a call counts from the
 * moment at which it was due, so no omission has to be corrected afterwards. Each caller is a
 * virtual thread with its share of the moments.
 */
public final class OpenLoop implements AutoCloseable {

  private static final int DIGITS = 3;

  private final int callers;
  private final long intervalNanos;
  private final IntFunction<ClosedLoop.Call> calls;
  private final Recorder latencies = new Recorder(DIGITS);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean running = true;

  /**
   * Creates a loop that does not run yet.
   *
   * @param callers how many calls can wait for their answers at once
   * @param perSecond the rate of all callers together
   * @param calls creates the call of each caller, by number
   */
  public OpenLoop(int callers, double perSecond, IntFunction<ClosedLoop.Call> calls) {
    this.callers = callers;
    this.intervalNanos = (long) (TimeUnit.SECONDS.toNanos(1) * callers / perSecond);
    this.calls = calls;
  }

  /** Starts all callers. */
  public void start() {
    long begin = System.nanoTime();
    for (int i = 0; i < callers; i++) {
      int caller = i;
      threads.execute(() -> run(caller, begin));
    }
  }

  private void run(int caller, long begin) {
    ClosedLoop.Call call = calls.apply(caller);
    long due = begin + intervalNanos * caller / callers;
    try {
      while (running) {
        long early = due - System.nanoTime();
        if (early > 0) {
          LockSupport.parkNanos(early);
          continue;
        }
        call.call();
        latencies.recordValue(Math.max(0, System.nanoTime() - due));
        due += intervalNanos;
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  /**
   * {@return the latencies since the last call, in nanoseconds}
   *
   * @throws IllegalStateException if a call has failed
   */
  public Histogram takeLatencies() {
    Throwable e = failure.get();
    if (e != null) {
      throw new IllegalStateException("A call at its time has failed", e);
    }
    return latencies.getIntervalHistogram();
  }

  @Override
  public void close() {
    running = false;
    threads.close();
  }
}
