package dev.holdfast.http.service.monitor;

import dev.holdfast.http.analysis.HeuristicScorer;
import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.analysis.ScriptScorer;
import dev.holdfast.http.object.ZoneChanges;
import java.time.InstantSource;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How pages are monitored. Immutable.
 *
 * @param clock the source of the time
 * @param random chooses the pages that are monitored
 * @param sampleRate the share of pages that are monitored, from 0 to 1
 * @param scorer scores scripts
 * @param fetcher fetches scripts to be scored; null if none are
 * @param changes counts the changes of zones
 */
public record ReportingOptions(
    InstantSource clock,
    RandomGenerator random,
    double sampleRate,
    ScriptScorer scorer,
    @Nullable ScriptFetcher fetcher,
    ZoneChanges changes) {

  /**
   * {@return options for all pages, without scores}
   *
   * @param clock the source of the time
   * @param random of no importance if all pages are monitored
   * @param changes counts the changes of zones
   */
  public static ReportingOptions of(
      InstantSource clock, RandomGenerator random, ZoneChanges changes) {
    return new ReportingOptions(clock, random, 1, new HeuristicScorer(), null, changes);
  }
}
