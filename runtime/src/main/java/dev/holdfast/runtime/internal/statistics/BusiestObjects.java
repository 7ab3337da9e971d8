package dev.holdfast.runtime.internal.statistics;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds the objects that were busiest in the last one to two minutes, in bounded memory.
 *
 * <p>Calls are counted with a Space-Saving sketch: an object that is not in the full table takes
 * the place, and the count, of the one with the least. So the table has every object with more than
 * one in {@value #SIZE} of all calls, and a count is too high by at most that share. The other
 * kinds keep the objects with the largest values.
 *
 * <p>A thread that finds a table in use goes on without a record: no call waits here. Thread-safe.
 */
public final class BusiestObjects {

  private static final int SIZE = 128;
  private static final long PERIOD_NANOS = Duration.ofMinutes(1).toNanos();

  private final TimeSource time;
  private final Map<BusyBy, Table> tables = new EnumMap<>(BusyBy.class);

  /**
   * Creates one that knows no objects.
   *
   * @param time the clock
   */
  public BusiestObjects(TimeSource time) {
    this.time = time;
    for (BusyBy each : BusyBy.values()) {
      tables.put(each, new Table());
    }
  }

  private Table table(BusyBy by) {
    Table table = tables.get(by);
    if (table == null) {
      throw new IllegalArgumentException("No table for " + by);
    }
    return table;
  }

  /** Adds calls of an object. */
  void add(ObjectKey object, long calls) {
    Table table = table(BusyBy.CALLS);
    if (table.lock.tryLock()) {
      try {
        table.turnOver(time.monotonicNanos());
        table.current.add(object, calls);
      } finally {
        table.lock.unlock();
      }
    }
  }

  /** Keeps a value of an object if it is among the largest. */
  void offer(BusyBy by, ObjectKey object, long value, long nowNanos, TurnCounts own) {
    Table table = table(by);
    long end = table.periodEnd;
    boolean isOver = nowNanos - end >= 0;
    if ((isOver || (value > table.floor && own.isLargest(by, value, end)))
        && table.lock.tryLock()) {
      try {
        table.turnOver(nowNanos);
        table.current.offer(object, value);
        table.floor = table.current.isFull() ? table.current.least().value : 0;
        own.setLargest(by, value, table.periodEnd);
      } finally {
        table.lock.unlock();
      }
    }
  }

  /**
   * Returns the busiest objects of the last one to two minutes, busiest first.
   *
   * @param count how many at most
   * @param by what to compare
   * @return the objects
   */
  public List<BusyObject> top(int count, BusyBy by) {
    Table table = table(by);
    Counters both = new Counters(2 * SIZE);
    table.lock.lock();
    try {
      table.turnOver(time.monotonicNanos());
      for (Counter each : table.before.all) {
        both.offer(each.object, each.value);
      }
      for (Counter each : table.current.all) {
        if (by == BusyBy.CALLS) {
          both.add(each.object, each.value);
        } else {
          both.offer(each.object, each.value);
        }
      }
    } finally {
      table.lock.unlock();
    }
    return both.all.stream()
        .sorted(Comparator.comparingLong((Counter each) -> each.value).reversed())
        .limit(count)
        .map(each -> busyObject(each.object, each.value))
        .toList();
  }

  private static BusyObject busyObject(ObjectKey object, long value) {
    return new BusyObject(object.namespace(), object.id().toString(), object.id().name(), value);
  }

  /** The values of one kind, of this period and the one before. */
  private final class Table {

    private final ReentrantLock lock = new ReentrantLock();

    /** Values up to this one are not among the largest; read without the lock. */
    private volatile long floor;

    /** Written under the lock. */
    private volatile long periodEnd = time.monotonicNanos() + PERIOD_NANOS;

    // Guarded by the lock.
    private Counters current = new Counters(SIZE);
    private Counters before = new Counters(SIZE);

    private void turnOver(long now) {
      if (now - periodEnd < 0) {
        return;
      }
      before = now - periodEnd < PERIOD_NANOS ? current : new Counters(SIZE);
      current = new Counters(SIZE);
      floor = 0;
      periodEnd = now + PERIOD_NANOS;
    }
  }

  private static final class Counter {
    private ObjectKey object;
    private long value;

    private Counter(ObjectKey object, long value) {
      this.object = object;
      this.value = value;
    }
  }

  /** A bounded number of objects; few enough to be searched one by one. */
  private static final class Counters {

    private final int sizeMax;
    private final List<Counter> all = new ArrayList<>();

    private Counters(int sizeMax) {
      this.sizeMax = sizeMax;
    }

    private boolean isFull() {
      return all.size() == sizeMax;
    }

    private Counter least() {
      Counter least = all.getFirst();
      for (Counter each : all) {
        least = each.value < least.value ? each : least;
      }
      return least;
    }

    /**
     * The counter of an object: its own one, a new one, or the counter of the object with the
     * least.
     */
    private Counter counterOf(ObjectKey object) {
      for (Counter each : all) {
        if (each.object.equals(object)) {
          return each;
        }
      }
      if (isFull()) {
        Counter taken = least();
        taken.object = object;
        return taken;
      }
      Counter added = new Counter(object, 0);
      all.add(added);
      return added;
    }

    private void add(ObjectKey object, long amount) {
      counterOf(object).value += amount;
    }

    private void offer(ObjectKey object, long value) {
      for (Counter each : all) {
        if (each.object.equals(object)) {
          each.value = Math.max(each.value, value);
          return;
        }
      }
      if (!isFull()) {
        all.add(new Counter(object, value));
        return;
      }
      Counter least = least();
      if (value > least.value) {
        least.object = object;
        least.value = value;
      }
    }
  }
}
