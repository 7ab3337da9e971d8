package dev.holdfast.benchmarks.commits;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.benchmarks.peers.PlainSqlite;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * The sides of the comparison of durable commits: the same upsert of a row of 100 bytes, by a
 * number of callers over a number of objects.
 *
 * <p>Each caller cycles through its own objects if there are at least as many objects as callers,
 * so that no caller waits for a plain database: only the commit is compared.
 */
final class CommitSides {

  private static final int VALUE_BYTES = 100;
  private static final int ROWS_PER_OBJECT = 16;

  private CommitSides() {}

  /** Puts a row into an object. */
  @FunctionalInterface
  private interface Put {
    void put(int object, long id, byte[] value) throws Exception;
  }

  /** A side whose callers put rows. */
  record Side(
      String name, int objects, Plan plan, IntFunction<Call> callers, LongSupplier syncCount)
      implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      Measured measured = ClosedLoop.run(plan, duration, callers, syncCount);
      requireSyncs(measured);
      return measured;
    }

    /**
     * A single caller shares no sync: fewer syncs than commits mean that some commits wrote
     * nothing.
     */
    private void requireSyncs(Measured measured) {
      boolean counted = measured.syncs() > 0;
      // One commit may be in progress at either end of the round.
      if (counted && plan.callers() == 1 && measured.syncs() < measured.operations() - 1) {
        throw new IllegalStateException(
            name + ": " + measured.operations() + " commits, but " + measured.syncs() + " syncs");
      }
    }
  }

  static Side holdfast(List<Entries> objects, int callers, CallerKind kind, MeasuredDisk disk) {
    return side(
        "Holdfast",
        objects.size(),
        new Plan(callers, kind, 1),
        (object, id, value) -> objects.get(object).put(id, value),
        disk::syncCount);
  }

  static Side plain(List<PlainSqlite> databases, int threads, MeasuredDisk disk) {
    return side(
        "plain sqlite-jdbc",
        databases.size(),
        // SQLite blocks in native code: virtual threads would only pin their carriers.
        new Plan(threads, CallerKind.PLATFORM, 1),
        (object, id, value) -> databases.get(object).put(id, value),
        disk::syncCount);
  }

  private static Side side(String who, int objects, Plan plan, Put put, LongSupplier syncCount) {
    String name =
        "%s, %d %s %s"
            .formatted(
                who,
                plan.callers(),
                plan.kind() == CallerKind.VIRTUAL ? "virtual" : "platform",
                plan.callers() == 1 ? "thread" : "threads");
    return new Side(
        name,
        objects,
        plan,
        caller -> puts(new Share(caller, plan.callers(), objects), put),
        syncCount);
  }

  /** The objects through which a caller cycles. */
  private record Share(int caller, int callers, int objects) {

    int first() {
      return caller % objects;
    }

    int after(int object) {
      int next = object + callers;
      return next < objects ? next : first();
    }
  }

  private static Call puts(Share share, Put put) {
    // A separate seed for each round: with the caller's number as the seed, every round would write
    // the values of the previous one, and SQLite does not write equal rows.
    SplittableRandom random = new SplittableRandom();
    return new Call() {
      private int object = share.first();

      @Override
      public void call() throws Exception {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        put.put(object, random.nextInt(ROWS_PER_OBJECT), value);
        object = share.after(object);
      }
    };
  }
}
