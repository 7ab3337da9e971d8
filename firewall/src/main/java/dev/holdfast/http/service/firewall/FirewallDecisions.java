package dev.holdfast.http.service.firewall;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.internal.decision.CompiledZone;
import dev.holdfast.http.internal.store.ZoneCache;
import dev.holdfast.http.object.ZoneChanges;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Decides on requests to sites: firewall rules first, then the rulesets of the phases {@code
 * http_request_firewall_custom} and {@code http_request_firewall_managed}, then the managed rules
 * that a zone has until its migration has finished. A zone is compiled once for each version of its
 * configuration: a decision calls no object and reads no storage. A write to the zone takes effect
 * before its own answer leaves. Thread-safe.
 */
public class FirewallDecisions {

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final int COUNTED_MAX = 10_000;
  private static final long LOG_AGAIN_SECONDS = 60;

  private final InstantSource clock;
  private final ZoneCache<CompiledZone> compiled;
  private final Undecided undecided;
  private final Map<String, AtomicLong> decided = new ConcurrentHashMap<>();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong loggedAt = new AtomicLong(Long.MIN_VALUE);

  /**
   * An expression or a managed ruleset that failed. Immutable.
   *
   * @param owner the filter, rule or ruleset
   * @param reason what has failed
   */
  public record Failure(String owner, RuntimeException reason) {}

  /**
   * A decision that was only tried. Immutable.
   *
   * @param decision the decision
   * @param failures what has failed
   */
  public record Trial(Decision decision, List<Failure> failures) {

    /** Copies the list. */
    public Trial {
      failures = List.copyOf(failures);
    }
  }

  /**
   * Creates an object that decides for all zones.
   *
   * @param zones returns what the firewall of a zone decides with, by the id of the zone
   * @param managed the managed rulesets by their ids
   * @param undecided what happens to a request on which a rule cannot be decided
   * @param changes counts the changes of zones
   * @param clock the source of the time
   */
  public FirewallDecisions(
      Function<String, ZoneFirewall> zones,
      Map<String, ManagedRuleset> managed,
      Undecided undecided,
      ZoneChanges changes,
      InstantSource clock) {
    Map<String, ManagedRuleset> rulesets = Map.copyOf(managed);
    this.clock = clock;
    this.undecided = undecided;
    this.compiled =
        new ZoneCache<>(changes, zone -> new CompiledZone(zones.apply(zone), rulesets, undecided));
  }

  /**
   * {@return whether a decision of a zone can depend on the body of a request, so that it should be
   * read first}
   *
   * @param zoneId the zone
   * @throws IllegalArgumentException if there is no such zone
   * @throws dev.holdfast.HoldfastException if the zone has changed and cannot be read
   */
  public final boolean readsBody(String zoneId) {
    return compiled.get(zoneId).readsBody();
  }

  /**
   * Decides on a request. An expression that would take too much work is {@link Undecided}; a
   * managed ruleset that fails does not match. Both are counted, and logged once a minute.
   *
   * @param zoneId the zone
   * @param request the request
   * @return the decision
   * @throws IllegalArgumentException if there is no such zone, the request is refused, or the
   *     client has no address
   * @throws dev.holdfast.HoldfastException if the zone has changed and cannot be read
   */
  public final Decision decide(String zoneId, SiteRequest request) {
    CompiledZone zone = compiled.get(zoneId);
    Instant now = clock.instant();
    if (request.refusal().isPresent()) {
      throw new IllegalArgumentException("refused: " + request.refusal().get().reason());
    }
    FilterRequest fields =
        FilterRequest.ofHttp(
                request.method(), request.webUrl().orElseThrow(), request.headers(), now)
            .with("ip.src", request.client());
    if (!request.version().isEmpty()) {
      fields = fields.with("http.request.version", request.version());
    }
    if (zone.readsBody()) {
      fields = fields.withBody(request.body(), request.bodyCut());
    }
    Decision decision =
        zone.decide(fields, request, now, (owner, failure) -> failed(zoneId, owner, failure));
    if (decision.ruleId() != null) {
      count(decision.ruleId());
    }
    for (MatchedRule match : decision.matched()) {
      if (match.action() == FirewallAction.LOG) {
        count(match.ruleId());
      }
    }
    count(decision.action().word());
    return decision;
  }

  /**
   * Tries a decision. Only the failures are counted: the caller may be a proxy, or an author of
   * rules.
   *
   * @param zoneId the zone
   * @param request the request
   * @param fields its fields
   * @param now its time
   * @return what would be decided, and what has failed
   */
  public final Trial simulate(
      String zoneId, SiteRequest request, FilterRequest fields, Instant now) {
    List<Failure> failures = new ArrayList<>();
    Decision decision =
        compiled
            .get(zoneId)
            .decide(
                fields,
                request,
                now,
                (owner, failure) -> {
                  failed(zoneId, owner, failure);
                  failures.add(new Failure(owner, failure));
                });
    return new Trial(decision, failures);
  }

  private void count(String name) {
    AtomicLong counter = decided.get(name);
    if (counter == null) {
      // The map is bounded: the rules of a zone are replaced again and again.
      String counted = decided.size() < COUNTED_MAX ? name : "other";
      counter = decided.computeIfAbsent(counted, x -> new AtomicLong());
    }
    counter.incrementAndGet();
  }

  /**
   * {@return the number of decisions since this object was created, by action and by the ids of the
   * rule that decided and of those that log; after 10,000 different ones, new ids are counted as
   * {@code other}}
   */
  public final Map<String, Long> decisions() {
    Map<String, Long> numbers = new LinkedHashMap<>();
    decided.forEach((name, number) -> numbers.put(name, number.get()));
    return numbers;
  }

  /** {@return what happens to a request on which a rule cannot be decided} */
  public final Undecided undecided() {
    return undecided;
  }

  /** {@return the number of expressions and managed rulesets that failed for a request} */
  public final long failures() {
    return failed.get();
  }

  private void failed(String zoneId, String owner, RuntimeException failure) {
    long number = failed.incrementAndGet();
    long now = clock.instant().getEpochSecond();
    long last = loggedAt.get();
    if ((last == Long.MIN_VALUE || now - last >= LOG_AGAIN_SECONDS)
        && loggedAt.compareAndSet(last, now)) {
      LOG.log(
          Level.WARNING,
          owner + " of zone " + zoneId + " failed and was not decided; failures so far: " + number,
          failure);
    }
  }
}
