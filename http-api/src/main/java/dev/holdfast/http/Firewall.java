package dev.holdfast.http;

import dev.holdfast.http.expression.FilterWorkException;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.internal.call.DescribedRequest;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneEntry;
import dev.holdfast.http.service.firewall.FirewallDecisions;
import dev.holdfast.http.service.firewall.FirewallDecisions.Failure;
import dev.holdfast.http.service.firewall.FirewallDecisions.Trial;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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

  private final Accounts accounts;
  private final ZoneChanges changes;
  private final InstantSource clock;
  private final FirewallDecisions decided;
  private volatile Hosts hosts = new Hosts(Long.MIN_VALUE, Map.of());

  /** The zones by their domains, and the count of changes before they were read. */
  private record Hosts(long count, Map<String, String> zones) {}

  Firewall(Accounts accounts, Function<String, ZoneFirewall> zones, HttpApiOptions options) {
    this.accounts = accounts;
    this.changes = options.changes();
    this.clock = options.clock();
    this.decided =
        new FirewallDecisions(
            zones, options.managedRulesets(), options.undecided(), changes, clock);
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
    return decided.readsBody(zoneId);
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
    return decided.decide(zoneId, request);
  }

  /**
   * {@return what would be decided on a request that a body describes, the rules that match, and
   * what has failed} Only the failures are counted: the caller may be a proxy, or an author of
   * rules.
   */
  ObjectNode simulate(String zoneId, Fields description) {
    Instant now = clock.instant();
    DescribedRequest request = DescribedRequest.read(description, now);
    Trial trial = decided.simulate(zoneId, request.site(), request.fields(), now);
    Decision decision = trial.decision();
    boolean isDecided = decision.action() != FirewallAction.NONE;
    ObjectNode result =
        Json.object()
            .put("action", isDecided ? decision.action().word() : null)
            .put("rule_id", decision.ruleId())
            .put("zone_version", decision.zoneVersion());
    result.putArray("matched").addAll(decision.matched().stream().map(Firewall::shown).toList());
    ArrayNode products = result.putArray("bypassed_products");
    decision.bypassedProducts().stream().sorted().forEach(products::add);
    result.putArray("failures").addAll(trial.failures().stream().map(Firewall::shown).toList());
    return result;
  }

  private static ObjectNode shown(MatchedRule match) {
    ObjectNode shown = Json.tree(match);
    return match.score() > 0 ? shown : shown.without("score");
  }

  /** What a ruleset of the application says is for the log, not for a client. */
  private static ObjectNode shown(Failure failure) {
    boolean isOurs = failure.reason() instanceof FilterWorkException;
    return Json.object()
        .put("owner", failure.owner())
        .put("message", isOurs ? failure.reason().getMessage() : "failed, see the log");
  }

  /**
   * {@return the number of decisions since this object was created, by action and by the ids of the
   * rule that decided and of those that log; after 10,000 different ones, new ids are counted as
   * {@code other}}
   */
  public Map<String, Long> decisions() {
    return decided.decisions();
  }

  /** {@return what happens to a request on which a rule cannot be decided} */
  public Undecided undecided() {
    return decided.undecided();
  }

  /** {@return the number of expressions and managed rulesets that failed for a request} */
  public long failures() {
    return decided.failures();
  }
}
