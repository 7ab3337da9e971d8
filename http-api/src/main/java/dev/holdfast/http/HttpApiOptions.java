package dev.holdfast.http;

import dev.holdfast.http.analysis.HeuristicScorer;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.analysis.ScriptScorer;
import dev.holdfast.http.firewall.BasicRuleset;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.ZoneChanges;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The options of the API. Immutable; change with the {@code with} methods.
 *
 * @param clock the source of all times that the API stores
 * @param random generates identifiers, tokens and keys, and samples pages; thread-safe, and
 *     unpredictable outside of tests
 * @param reportBase scheme, host and port of the endpoint for browsers' reports, for zones whose
 *     reports do not go to the host of the page; if empty, all do
 * @param sampleRate the share of pages that are monitored, from 0 to 1
 * @param feed the source of malicious hosts and URLs
 * @param scorer scores the scripts that were fetched
 * @param fetcher fetches new scripts; null, the default, to fetch none: their URLs come from
 *     untrusted clients
 * @param requestsMax maximum number of requests of a token or key in five minutes; 0, the default,
 *     for no limit
 * @param managedRulesets the managed rulesets that entry points of zones execute, by ruleset id
 * @param undecided what happens to a request on which a rule cannot be decided
 * @param changes counts the changes of zones; the objects and the API of a runtime share it
 */
public record HttpApiOptions(
    InstantSource clock,
    RandomGenerator random,
    String reportBase,
    double sampleRate,
    ReputationFeed feed,
    ScriptScorer scorer,
    @Nullable ScriptFetcher fetcher,
    int requestsMax,
    Map<String, ManagedRuleset> managedRulesets,
    Undecided undecided,
    ZoneChanges changes) {

  /**
   * The system's clock and its source of secure randomness, reports to port 8787 of this machine,
   * every page, no feed, the heuristic scorer, no fetching, the basic managed ruleset, and a rule
   * that cannot be decided acts as if it matched.
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
          0,
          Map.of(BasicRuleset.ID, new BasicRuleset()),
          Undecided.BLOCK,
          new ZoneChanges());

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if the rate is not from 0 to 1, or the number of requests
   *     negative
   */
  public HttpApiOptions {
    managedRulesets = Map.copyOf(managedRulesets);
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
   * @param other the new clock
   */
  public HttpApiOptions withClock(InstantSource other) {
    return with(draft -> draft.clock = other);
  }

  /**
   * {@return these options with another source of randomness}
   *
   * @param other generates identifiers; thread-safe
   */
  public HttpApiOptions withRandom(RandomGenerator other) {
    return with(draft -> draft.random = other);
  }

  /**
   * {@return these options with another endpoint for reports}
   *
   * @param base scheme, host and port; empty for the host of the page
   */
  public HttpApiOptions withReportBase(String base) {
    return with(draft -> draft.reportBase = base);
  }

  /**
   * {@return these options with another share of monitored pages}
   *
   * @param rate from 0 to 1
   * @throws IllegalArgumentException if the rate is not from 0 to 1
   */
  public HttpApiOptions withSampleRate(double rate) {
    return with(draft -> draft.sampleRate = rate);
  }

  /**
   * {@return these options with another reputation feed}
   *
   * @param other the source of malicious hosts and URLs
   */
  public HttpApiOptions withFeed(ReputationFeed other) {
    return with(draft -> draft.feed = other);
  }

  /**
   * {@return these options with fetching}
   *
   * @param other fetches scripts
   * @param judge scores them
   */
  public HttpApiOptions withFetcher(ScriptFetcher other, ScriptScorer judge) {
    return with(
        draft -> {
          draft.scorer = judge;
          draft.fetcher = other;
        });
  }

  /**
   * {@return these options with another limit of requests}
   *
   * @param max maximum number of requests of a token or key in five minutes; 0 for no limit
   * @throws IllegalArgumentException if the number is negative
   */
  public HttpApiOptions withRequestsMax(int max) {
    return with(draft -> draft.requestsMax = max);
  }

  /**
   * {@return these options with one more managed ruleset}
   *
   * @param id the ruleset id that entry points execute, 32 lower-case hexadecimal digits; a ruleset
   *     that was registered with it is replaced
   * @param ruleset the ruleset
   * @throws IllegalArgumentException if the id is malformed
   */
  public HttpApiOptions withManagedRuleset(String id, ManagedRuleset ruleset) {
    if (!Ids.isId(id)) {
      throw new IllegalArgumentException("a ruleset id is 32 lower-case hexadecimal digits: " + id);
    }
    Map<String, ManagedRuleset> more = new HashMap<>(managedRulesets);
    more.put(id, ruleset);
    return with(draft -> draft.managedRulesets = more);
  }

  /**
   * {@return these options with another way to treat requests on which a rule cannot be decided}
   *
   * @param other what happens to them
   */
  public HttpApiOptions withUndecided(Undecided other) {
    return with(draft -> draft.undecided = other);
  }

  private HttpApiOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that change, one at a time. */
  private static final class Draft {
    private InstantSource clock;
    private RandomGenerator random;
    private String reportBase;
    private double sampleRate;
    private ReputationFeed feed;
    private ScriptScorer scorer;
    private @Nullable ScriptFetcher fetcher;
    private int requestsMax;
    private Map<String, ManagedRuleset> managedRulesets;
    private Undecided undecided;
    private final ZoneChanges changes;

    Draft(HttpApiOptions from) {
      clock = from.clock;
      random = from.random;
      reportBase = from.reportBase;
      sampleRate = from.sampleRate;
      feed = from.feed;
      scorer = from.scorer;
      fetcher = from.fetcher;
      requestsMax = from.requestsMax;
      managedRulesets = from.managedRulesets;
      undecided = from.undecided;
      changes = from.changes;
    }

    HttpApiOptions options() {
      return new HttpApiOptions(
          clock,
          random,
          reportBase,
          sampleRate,
          feed,
          scorer,
          fetcher,
          requestsMax,
          managedRulesets,
          undecided,
          changes);
    }
  }
}
