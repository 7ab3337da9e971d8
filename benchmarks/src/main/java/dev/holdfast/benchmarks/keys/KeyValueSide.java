package dev.holdfast.benchmarks.keys;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Rounds;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * One side of a comparison of key-value operations; each call runs several of them. Immutable.
 *
 * @param name for the tables
 * @param plan the callers
 * @param operations the number of operations in each call
 * @param syncs counts the syncs of the side's disk
 * @param calls creates the call of each caller, by number
 */
public record KeyValueSide(
    String name, Plan plan, int operations, LongSupplier syncs, IntFunction<Call> calls)
    implements Rounds.Side {

  /** Returns a side of one caller. */
  static KeyValueSide loop(String name, int operations, Call loop) {
    return new KeyValueSide(
        name, new Plan(1, CallerKind.PLATFORM, 1), operations, () -> 0, _ -> loop);
  }

  @Override
  public Measured measure(Duration duration) throws Exception {
    Measured measured = ClosedLoop.run(plan, duration, calls, syncs);
    return new Measured(
        measured.operations() * operations,
        measured.elapsedNanos(),
        measured.cpuNanos(),
        measured.syncs(),
        measured.p50Nanos() / operations,
        measured.p99Nanos() / operations);
  }
}
