package dev.holdfast.http;

import dev.holdfast.http.expression.FilterWorkException;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.internal.accounts.ZoneHosts;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.request.DescribedRequest;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.service.firewall.FirewallDecisions;
import java.time.Instant;
import java.time.InstantSource;
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
public final class Firewall extends FirewallDecisions {

  private final InstantSource clock;
  private final ZoneHosts hosts;

  Firewall(Accounts accounts, Function<String, ZoneFirewall> zones, HttpApiOptions options) {
    super(
        zones, options.managedRulesets(), options.undecided(), options.changes(), options.clock());
    this.clock = options.clock();
    this.hosts = new ZoneHosts(accounts, options.changes());
  }

  /**
   * {@return the id of the zone that covers a host: the one with the longest domain}
   *
   * @param host a host name without a port
   * @throws dev.holdfast.HoldfastException if the list of zones has changed and cannot be read
   */
  public Optional<String> zoneOf(String host) {
    return hosts.zoneOf(host);
  }

  /**
   * {@return what would be decided on a request that a body describes, the rules that match, and
   * what has failed} Only the failures are counted: the caller may be a proxy, or an author of
   * rules.
   */
  ObjectNode simulate(String zoneId, Fields description) {
    Instant now = clock.instant();
    DescribedRequest request = DescribedRequest.read(description, now);
    Trial trial = simulate(zoneId, request.site(), request.fields(), now);
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
}
