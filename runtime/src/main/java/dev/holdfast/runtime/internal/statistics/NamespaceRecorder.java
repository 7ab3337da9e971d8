package dev.holdfast.runtime.internal.statistics;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.statistics.HistogramRecorder;
import dev.holdfast.statistics.AlarmStatistics;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.CallStatistics;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.ResetReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the objects of one namespace do, and times some of it. Thread-safe.
 *
 * <p>What happens in each turn is counted by the turn itself, in a {@link TurnCounts}, and added
 * here when its instance has ended. A snapshot must see each of them once, either there or here: so
 * a lock orders the beginning and the end of instances and the snapshots. No call waits for it.
 *
 * <p>A count needs no memory. A time does; when there is none it is not recorded, because no object
 * and no runtime may end for the sake of a measurement.
 */
public final class NamespaceRecorder {

  /** How many calls a chosen one stands for; a power of two. */
  public static final int SAMPLING_WEIGHT = 64;

  private final TimeSource time;
  private final BusiestObjects busiest;

  /** Begun since the lock was last taken, linked by {@code next}. */
  private final AtomicReference<@Nullable TurnCounts> begun = new AtomicReference<>();

  // Guarded by this.
  private final TurnCounts live = TurnCounts.list();
  private long liveCount;
  private final TurnCounts ended = new TurnCounts();

  private final AtomicLong callsReset = new AtomicLong();
  private final AtomicLong callsTimedOut = new AtomicLong();
  private final AtomicLong callsOverloaded = new AtomicLong();
  private final AtomicLong activations = new AtomicLong();
  private final AtomicLong evictions = new AtomicLong();
  private final Map<ResetReason, AtomicLong> resets = new EnumMap<>(ResetReason.class);
  private final HistogramRecorder activationNanos = new HistogramRecorder();
  private final HistogramRecorder turnNanos = new HistogramRecorder(SAMPLING_WEIGHT);
  private final HistogramRecorder inputGateNanos = new HistogramRecorder(SAMPLING_WEIGHT);
  private final HistogramRecorder outputGateNanos = new HistogramRecorder(SAMPLING_WEIGHT);
  private final AtomicLong alarmsRunning = new AtomicLong();
  private final AtomicLong alarmsRan = new AtomicLong();
  private final AtomicLong alarmsFailed = new AtomicLong();
  private final AtomicLong alarmsGivenUp = new AtomicLong();
  private final HistogramRecorder alarmsLateNanos = new HistogramRecorder();

  /**
   * Creates a recorder without counts.
   *
   * @param time the clock
   * @param busiest finds busy objects of all namespaces
   */
  public NamespaceRecorder(TimeSource time, BusiestObjects busiest) {
    this.time = time;
    this.busiest = busiest;
    for (ResetReason reason : ResetReason.values()) {
      resets.put(reason, new AtomicLong());
    }
  }

  /** {@return the time for durations, in nanoseconds} */
  public long nanos() {
    return time.monotonicNanos();
  }

  // ---- Instances --------------------------------------------------------------------------

  /**
   * Begins the counts of a new instance. Takes no lock: instances are made in a function of a map,
   * under its lock.
   *
   * @return what the instance counts its turns with
   */
  public TurnCounts begin() {
    TurnCounts counts = new TurnCounts();
    TurnCounts before;
    do {
      before = begun.get();
      counts.next = before;
    } while (!begun.compareAndSet(before, counts));
    return counts;
  }

  /** Moves the counts that have begun into the list. */
  private void takeBegun() {
    TurnCounts each = begun.getAndSet(null);
    while (each != null) {
      TurnCounts before = each.next;
      each.linkAfter(live);
      liveCount++;
      each = before;
    }
  }

  /**
   * Takes over what an instance has counted that has ended.
   *
   * @param counts given by {@link #begin}; not used afterwards
   */
  public synchronized void end(TurnCounts counts) {
    takeBegun();
    counts.unlink();
    liveCount--;
    ended.add(counts);
  }

  /**
   * Counts the creation of an instance.
   *
   * @param nanos how long it took
   */
  public void activated(long nanos) {
    activations.incrementAndGet();
    record(activationNanos, nanos, 1);
  }

  /** Counts an instance that was dropped because it was idle. */
  public void evicted() {
    evictions.incrementAndGet();
  }

  /**
   * Counts a reset.
   *
   * @param reason why
   */
  public void reset(ResetReason reason) {
    AtomicLong count = resets.get(reason);
    if (count != null) {
      count.incrementAndGet();
    }
  }

  // ---- Calls ------------------------------------------------------------------------------

  /** Counts a call that a reset has ended. */
  public void callReset() {
    callsReset.incrementAndGet();
  }

  /** Counts a call whose caller gave up. */
  public void callTimedOut() {
    callsTimedOut.incrementAndGet();
  }

  /**
   * Counts a call that was refused because too many wait.
   *
   * @param object what it called
   * @param counts of its instance
   * @param queueLength how many wait
   */
  public void callOverloaded(ObjectKey object, TurnCounts counts, int queueLength) {
    callsOverloaded.incrementAndGet();
    offer(BusyBy.QUEUE, object, queueLength, nanos(), counts);
  }

  /**
   * Counts a call that was chosen and found its object idle.
   *
   * @param object what it called
   */
  public void sampledCall(ObjectKey object) {
    busiest.add(object, SAMPLING_WEIGHT);
  }

  /**
   * Records a turn.
   *
   * @param object whose turn it was
   * @param counts of its instance
   * @param nanos how long it took
   * @param nowNanos when it ended
   * @param weight how many turns it stands for
   */
  public void turn(ObjectKey object, TurnCounts counts, long nanos, long nowNanos, int weight) {
    record(turnNanos, nanos, weight);
    offer(BusyBy.TURN, object, nanos, nowNanos, counts);
  }

  /**
   * Records a wait for a turn.
   *
   * @param nanos how long
   * @param weight how many such waits it stands for
   */
  public void inputGate(long nanos, int weight) {
    record(inputGateNanos, nanos, weight);
  }

  /**
   * Records how many waited when another one began to wait.
   *
   * @param object what they wait for
   * @param counts of its instance
   * @param length how many
   * @param nowNanos when it began to wait
   */
  public void queue(ObjectKey object, TurnCounts counts, int length, long nowNanos) {
    offer(BusyBy.QUEUE, object, length, nowNanos, counts);
  }

  /**
   * Records a wait for the disk.
   *
   * @param nanos how long
   * @param weight how many such waits it stands for
   */
  public void outputGate(long nanos, int weight) {
    record(outputGateNanos, nanos, weight);
  }

  /**
   * Records a batch; the turn counts it.
   *
   * @param object what it is of
   * @param counts of its instance
   * @param bytes its size
   */
  public void batch(ObjectKey object, TurnCounts counts, long bytes) {
    offer(BusyBy.BATCH, object, bytes, nanos(), counts);
  }

  private static void record(HistogramRecorder times, long nanos, int weight) {
    try {
      times.record(nanos, weight);
    } catch (OutOfMemoryError e) {
      return; // see the class
    }
  }

  private void offer(BusyBy by, ObjectKey object, long value, long nowNanos, TurnCounts counts) {
    try {
      busiest.offer(by, object, value, nowNanos, counts);
    } catch (OutOfMemoryError e) {
      return; // see the class
    }
  }

  // ---- Alarms -----------------------------------------------------------------------------

  /**
   * Records that the handler of an alarm begins.
   *
   * @param lateNanos how long after its time
   */
  public void alarmBegins(long lateNanos) {
    alarmsRunning.incrementAndGet();
    record(alarmsLateNanos, lateNanos, 1);
  }

  /**
   * Records that the handler of an alarm has ended.
   *
   * @param failed whether it threw, or its object was reset
   */
  public void alarmEnds(boolean failed) {
    alarmsRunning.decrementAndGet();
    (failed ? alarmsFailed : alarmsRan).incrementAndGet();
  }

  /** Counts a failed alarm that is not tried again. */
  public void alarmGivenUp() {
    alarmsGivenUp.incrementAndGet();
  }

  // ---- Snapshots --------------------------------------------------------------------------

  /**
   * Returns what was counted so far.
   *
   * @param queued how many wait for objects now
   * @param alarms how many alarms there are now
   * @return the snapshot
   */
  public NamespaceStatistics snapshot(long queued, AlarmService.Counts alarms) {
    TurnCounts sum = new TurnCounts();
    long inMemory;
    synchronized (this) {
      takeBegun();
      for (TurnCounts each = live.after(); each != live; each = each.after()) {
        sum.add(each);
      }
      sum.add(ended);
      inMemory = liveCount;
    }
    Map<ResetReason, Long> byReason = new EnumMap<>(ResetReason.class);
    resets.forEach(
        (reason, count) -> {
          if (count.get() > 0) {
            byReason.put(reason, count.get());
          }
        });
    return new NamespaceStatistics(
        inMemory,
        queued,
        new CallStatistics(
            sum.callsReturned(),
            sum.callsThrown(),
            callsReset.get(),
            callsTimedOut.get(),
            callsOverloaded.get()),
        sum.turns(),
        activations.get(),
        evictions.get(),
        byReason,
        sum.batches(),
        sum.batchBytes(),
        activationNanos.snapshot(),
        turnNanos.snapshot(),
        inputGateNanos.snapshot(),
        outputGateNanos.snapshot(),
        new AlarmStatistics(
            alarms.pending(),
            alarms.due(),
            alarmsRunning.get(),
            alarmsRan.get(),
            alarmsFailed.get(),
            alarmsGivenUp.get(),
            alarmsLateNanos.snapshot()));
  }
}
