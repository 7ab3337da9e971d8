/**
 * The firewall of a zone in an application, without HTTP: its object, and decisions on requests.
 *
 * <pre>{@code
 * ZoneChanges changes = new ZoneChanges();
 * Holdfast.open(directory, objects -> Firewalls.register(objects, clock, random, changes));
 *
 * var zones = runtime.namespace(FirewallZone.NAMESPACE, FirewallZone.class);
 * FirewallZone shop = zones.getByName(id);
 * shop.configure(ZoneProfile.of(id, "shop.example.com", Plan.PRO));
 * shop.addRules(List.of(FirewallRule.of(BLOCK, "http.request.uri.path contains \"/.git\"")));
 *
 * var decisions = new FirewallDecisions(
 *     zone -> zones.getByName(zone).firewall(), Map.of(), Undecided.BLOCK, changes, clock);
 * Decision decision = decisions.decide(id, SiteRequest.of("GET", url, headers, client));
 * }</pre>
 */
@NullMarked
package dev.holdfast.http.service.firewall;

import org.jspecify.annotations.NullMarked;
