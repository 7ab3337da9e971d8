package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.objects.Entries;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * Callers that write to, or read from, one side of a comparison. Each goes around its own objects.
 *
 * @param name the side
 * @param plan the callers
 * @param callers the call of each
 * @param cpuNanos the processor time of other processes that work for it
 */
record CallSide(String name, Plan plan, IntFunction<Call> callers, LongSupplier cpuNanos)
    implements Rounds.Side {

  private static final int ROWS_PER_OBJECT = 16;

  /** Until the compiler has done with most of a side; peers in Go and C need no such time. */
  private static final Duration COMPILED = Duration.ofSeconds(15);

  /** Writes a value. */
  @FunctionalInterface
  interface Put {

    /**
     * Writes, and returns when that is durable.
     *
     * @param caller the number of the caller
     * @param object the number of the object
     * @param row the number of the row in it
     * @param value the value
     */
    void put(int caller, int object, long row, byte[] value) throws Exception;
  }

  /** What is written. */
  record Work(int callers, int objects, int valueBytes) {}

  /** {@return a side that puts values} */
  static CallSide puts(String name, Work work, CallerKind kind, Put put, LongSupplier cpuNanos) {
    return new CallSide(
        name, new Plan(work.callers(), kind, 1), caller -> putting(work, caller, put), cpuNanos);
  }

  /** {@return a side that puts rows into objects} */
  static CallSide puts(String name, Work work, List<Entries> objects) {
    return puts(
        name,
        work,
        // A platform thread that finds the journal idle commits itself, as in an application with
        // one caller.
        kindOf(work.callers()),
        (_, object, row, value) -> objects.get(object).put(row, value),
        () -> 0);
  }

  /** {@return a side that reads rows of objects} */
  static CallSide reads(String name, Work work, List<Entries> objects) {
    return calls(
        name,
        work,
        caller ->
            new Call() {
              private int object = caller % work.objects();

              @Override
              public void call() {
                objects.get(object).size(0);
                object = next(work, caller, object);
              }
            });
  }

  /** {@return a side whose callers make separate calls} */
  static CallSide calls(String name, Work work, IntFunction<Call> callers) {
    return new CallSide(
        name, new Plan(work.callers(), kindOf(work.callers()), 1), callers, () -> 0);
  }

  private static CallerKind kindOf(int callers) {
    return callers == 1 ? CallerKind.PLATFORM : CallerKind.VIRTUAL;
  }

  private static Call putting(Work work, int caller, Put put) {
    // Another seed in each round: SQLite does not write equal rows.
    SplittableRandom random = new SplittableRandom();
    return new Call() {
      private int object = caller % work.objects();

      @Override
      public void call() throws Exception {
        byte[] value = new byte[work.valueBytes()];
        random.nextBytes(value);
        put.put(caller, object, random.nextInt(ROWS_PER_OBJECT), value);
        object = next(work, caller, object);
      }
    };
  }

  private static int next(Work work, int caller, int object) {
    int next = object + work.callers();
    return next < work.objects() ? next : caller % work.objects();
  }

  @Override
  public void warmUp(Duration round) throws Exception {
    measure(warmUpFor(round));
  }

  /** {@return how long the discarded round is} */
  static Duration warmUpFor(Duration round) {
    Duration three = round.multipliedBy(3);
    return three.compareTo(COMPILED) < 0 ? COMPILED : three;
  }

  @Override
  public Measured measure(Duration duration) throws Exception {
    long cpuBefore = cpuNanos.getAsLong();
    Measured measured = ClosedLoop.run(plan, duration, callers, () -> 0);
    return new Measured(
        measured.operations(),
        measured.elapsedNanos(),
        measured.cpuNanos() + cpuNanos.getAsLong() - cpuBefore,
        0,
        measured.p50Nanos(),
        measured.p99Nanos());
  }
}
