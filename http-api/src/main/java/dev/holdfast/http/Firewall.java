package dev.holdfast.http;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterWorkException;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.internal.call.DescribedRequest;
import dev.holdfast.http.internal.decision.CompiledZone;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.Zone;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneEntry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Decides on requests to sites: firewall rules first, then the rulesets of the phases {@code
 * http_request_firewall_custom} and {@code http_request_firewall_managed}, then the managed rules
 * that a zone has until its migration has finished. A zone is compiled once for each version of its
 * configuration: a decision calls no object and reads no storage. A write to the zone takes effect
 * before its own answer leaves.
 *
 * <pre>{@code
 * Decision decision = api.firewall().decide(zoneId, SiteRequest.of("GET", url, headers, client));
 * if (decision.action().stops()) {
 *   ... // answer 403
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class Firewall {

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final int COUNTED_MAX = 10_000;
  private static final long LOG_AGAIN_SECONDS = 60;

  private final Accounts accounts;
  private final ZoneChanges changes;
  private final InstantSource clock;
  private final ZoneCache<CompiledZone> compiled;
  private final Undecided undecided;
  private final Map<String, AtomicLong> decided = new ConcurrentHashMap<>();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong loggedAt = new AtomicLong(Long.MIN_VALUE);
  private volatile Hosts hosts = new Hosts(Long.MIN_VALUE, Map.of());

  /** The zones by their domains, and the count of changes before they were read. */
  private record Hosts(long count, Map<String, String> zones) {}

  Firewall(Accounts accounts, ObjectNamespace<Zone> zones, HttpApiOptions options) {
    this.accounts = accounts;
    Map<String, ManagedRuleset> managed = options.managedRulesets();
    this.changes = options.changes();
    this.clock = options.clock();
    this.undecided = options.undecided();
    this.compiled =
        new ZoneCache<>(
            accounts,
            zones,
            changes,
            zone -> new CompiledZone(zone.firewall(), managed, undecided));
  }

  /**
   * {@return the id of the zone that covers a host: the one with the longest domain}
   *
   * @param host a host name without a port
   * @throws dev.holdfast.HoldfastException if the list of zones has changed and cannot be read
   */
  public Optional<String> zoneOf(String host) {
    long count = changes.count(Accounts.NAME);
    Hosts known = hosts;
    if (known.count() != count) {
      Map<String, String> byName = new HashMap<>();
      for (ZoneEntry zone : accounts.zones()) {
        byName.putIfAbsent(zone.name(), zone.id());
      }
      known = new Hosts(count, byName);
      hosts = known;
    }
    String domain = host.toLowerCase(Locale.ROOT);
    while (true) {
      String zone = known.zones().get(domain);
      int dot = domain.indexOf('.');
      if (zone != null || dot < 0) {
        return Optional.ofNullable(zone);
      }
      domain = domain.substring(dot + 1);
    }
  }

  /**
   * {@return whether a decision of a zone can depend on the body of a request, so that it should be
   * read first}
   *
   * @param zoneId the zone
   * @throws IllegalArgumentException if there is no such zone
   * @throws dev.holdfast.HoldfastException if the zone has changed and cannot be read
   */
  public boolean readsBody(String zoneId) {
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
  public Decision decide(String zoneId, SiteRequest request) {
    CompiledZone zone = compiled.get(zoneId);
    Instant now = clock.instant();
    if (request.refusal().isPresent()) {
      throw new IllegalArgumentException("refused: " + request.refusal().get().reason());
    }
    FilterRequest fields =
        FilterRequest.ofHttp(
                request.method(), request.webUrl().orElseThrow(), request.headers(), now)
            .with("ip.src", request.client());
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
   * {@return what would be decided on a request that a body describes, the rules that match, and
   * what has failed} Only the failures are counted: the caller may be a proxy, or an author of
   * rules.
   */
  ObjectNode simulate(String zoneId, Fields description) {
    Instant now = clock.instant();
    DescribedRequest request = DescribedRequest.read(description, now);
    ArrayNode failures = Json.array();
    Decision decision =
        compiled
            .get(zoneId)
            .decide(
                request.fields(),
                request.site(),
                now,
                (owner, failure) -> {
                  failed(zoneId, owner, failure);
                  // What a ruleset of the application says is for the log, not for a client.
                  boolean isOurs = failure instanceof FilterWorkException;
                  failures
                      .addObject()
                      .put("owner", owner)
                      .put("message", isOurs ? failure.getMessage() : "failed, see the log");
                });
    boolean isDecided = decision.action() != FirewallAction.NONE;
    ObjectNode result =
        Json.object()
            .put("action", isDecided ? decision.action().word() : null)
            .put("rule_id", decision.ruleId())
            .put("zone_version", decision.zoneVersion());
    result.putArray("matched").addAll(decision.matched().stream().map(Firewall::shown).toList());
    ArrayNode products = result.putArray("bypassed_products");
    decision.bypassedProducts().stream().sorted().forEach(products::add);
    result.set("failures", failures);
    return result;
  }

  private static ObjectNode shown(MatchedRule match) {
    ObjectNode shown = Json.tree(match);
    return match.score() > 0 ? shown : shown.without("score");
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
  public Map<String, Long> decisions() {
    Map<String, Long> numbers = new LinkedHashMap<>();
    decided.forEach((name, number) -> numbers.put(name, number.get()));
    return numbers;
  }

  /** {@return what happens to a request on which a rule cannot be decided} */
  public Undecided undecided() {
    return undecided;
  }

  /** {@return the number of expressions and managed rulesets that failed for a request} */
  public long failures() {
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
