package dev.holdfast.http;

import dev.holdfast.http.analysis.HeuristicScorer;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.analysis.ScriptScorer;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How the API behaves. Immutable; change with the {@code with} methods.
 *
 * @param clock tells the time of everything that the API stores
 * @param random makes identifiers, tokens and keys, and samples pages; thread-safe, and
 *     unpredictable outside of tests
 * @param reportBase scheme, host and port of the endpoint for browsers' reports, for zones whose
 *     reports do not go to the host of the page
 * @param sampleRate how many of the pages are monitored, from 0 to 1
 * @param feed knows bad hosts and URLs
 * @param scorer judges scripts that were fetched
 * @param fetcher fetches new scripts; null, the default, for none: their URLs come from strangers
 * @param requestsMax how many requests a token or key may make in five minutes; 0, the default, for
 *     any number
 */
public record HttpApiOptions(
    InstantSource clock,
    RandomGenerator random,
    String reportBase,
    double sampleRate,
    ReputationFeed feed,
    ScriptScorer scorer,
    @Nullable ScriptFetcher fetcher,
    int requestsMax) {

  /**
   * The system's clock and its source of secure randomness, reports to port 8787 of this machine,
   * every page, no feed, the heuristic scorer, no fetching.
   */
  public static final HttpApiOptions DEFAULT =
      new HttpApiOptions(
          InstantSource.system(),
          new SecureRandom(),
          "http://127.0.0.1:8787",
          1.0,
          ReputationFeed.EMPTY,
          new HeuristicScorer(),
          null,
          0);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if the rate is not from 0 to 1, or the number of requests
   *     negative
   */
  public HttpApiOptions {
    if (!(sampleRate >= 0 && sampleRate <= 1)) {
      throw new IllegalArgumentException("sampleRate is from 0 to 1: " + sampleRate);
    }
    if (requestsMax < 0) {
      throw new IllegalArgumentException("requestsMax is not negative: " + requestsMax);
    }
  }

  /**
   * {@return these options with another clock}
   *
   * @param other tells the time
   */
  public HttpApiOptions withClock(InstantSource other) {
    return new HttpApiOptions(
        other, random, reportBase, sampleRate, feed, scorer, fetcher, requestsMax);
  }

  /**
   * {@return these options with another source of randomness}
   *
   * @param other makes identifiers; thread-safe
   */
  public HttpApiOptions withRandom(RandomGenerator other) {
    return new HttpApiOptions(
        clock, other, reportBase, sampleRate, feed, scorer, fetcher, requestsMax);
  }

  /**
   * {@return these options with another endpoint for reports}
   *
   * @param base scheme, host and port
   */
  public HttpApiOptions withReportBase(String base) {
    return new HttpApiOptions(clock, random, base, sampleRate, feed, scorer, fetcher, requestsMax);
  }

  /**
   * {@return these options with another share of monitored pages}
   *
   * @param rate from 0 to 1
   * @throws IllegalArgumentException if the rate is not from 0 to 1
   */
  public HttpApiOptions withSampleRate(double rate) {
    return new HttpApiOptions(clock, random, reportBase, rate, feed, scorer, fetcher, requestsMax);
  }

  /**
   * {@return these options with another reputation feed}
   *
   * @param other knows bad hosts and URLs
   */
  public HttpApiOptions withFeed(ReputationFeed other) {
    return new HttpApiOptions(
        clock, random, reportBase, sampleRate, other, scorer, fetcher, requestsMax);
  }

  /**
   * {@return these options with fetching}
   *
   * @param other fetches scripts
   * @param judge judges them
   */
  public HttpApiOptions withFetcher(ScriptFetcher other, ScriptScorer judge) {
    return new HttpApiOptions(
        clock, random, reportBase, sampleRate, feed, judge, other, requestsMax);
  }

  /**
   * {@return these options with another limit of requests}
   *
   * @param max how many requests a token or key may make in five minutes; 0 for any number
   * @throws IllegalArgumentException if the number is negative
   */
  public HttpApiOptions withRequestsMax(int max) {
    return new HttpApiOptions(clock, random, reportBase, sampleRate, feed, scorer, fetcher, max);
  }
}
