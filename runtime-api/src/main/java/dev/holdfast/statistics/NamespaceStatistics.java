package dev.holdfast.statistics;

import java.util.EnumMap;
import java.util.Map;

/**
 * What the objects of one namespace do. Counts are exact. The times of a turn and of its gates are
 * taken for every call that queues, commits, activates its object or waits for something else than
 * a call of another object, and for one in 64 of all others, chosen at random: see {@link
 * HistogramSnapshot#samplingWeight}.
 *
 * @param live objects in memory now
 * @param queued calls, tasks and timers that wait for their object now
 * @param calls how calls ended
 * @param turns turns that have begun
 * @param activations instances that were created
 * @param evictions instances that were dropped because they were idle
 * @param resets instances that were reset, by reason; reasons that did not occur are absent
 * @param batches batches that turns have handed to the journal
 * @param batchBytes the size of these batches, in bytes
 * @param activationNanos how long the creation of an instance took: its migrations and its factory
 * @param turnNanos how long turns took. A turn that was not chosen and commits is timed from its
 *     first use of the storage
 * @param inputGateNanos how long calls, tasks and timers waited for their object
 * @param outputGateNanos how long replies waited until what they depend on was durable
 * @param alarms what became of alarms
 */
public record NamespaceStatistics(
    long live,
    long queued,
    CallStatistics calls,
    long turns,
    long activations,
    long evictions,
    Map<ResetReason, Long> resets,
    long batches,
    long batchBytes,
    HistogramSnapshot activationNanos,
    HistogramSnapshot turnNanos,
    HistogramSnapshot inputGateNanos,
    HistogramSnapshot outputGateNanos,
    AlarmStatistics alarms) {

  /** Copies the map. */
  public NamespaceStatistics {
    resets = Map.copyOf(resets);
  }

  /**
   * Returns what happened after an earlier snapshot of the same namespace: counters and histograms
   * are subtracted, all else comes from this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public NamespaceStatistics minus(NamespaceStatistics earlier) {
    Map<ResetReason, Long> since = new EnumMap<>(ResetReason.class);
    resets.forEach(
        (reason, count) -> {
          long rest = count - earlier.resets.getOrDefault(reason, 0L);
          if (rest != 0) {
            since.put(reason, rest);
          }
        });
    return new NamespaceStatistics(
        live,
        queued,
        calls.minus(earlier.calls),
        turns - earlier.turns,
        activations - earlier.activations,
        evictions - earlier.evictions,
        since,
        batches - earlier.batches,
        batchBytes - earlier.batchBytes,
        activationNanos.minus(earlier.activationNanos),
        turnNanos.minus(earlier.turnNanos),
        inputGateNanos.minus(earlier.inputGateNanos),
        outputGateNanos.minus(earlier.outputGateNanos),
        alarms.minus(earlier.alarms));
  }
}
