/**
 * The firewall of a zone as a durable object: {@link
 * dev.holdfast.http.firewall.object.FirewallZone} with its filters, rules, rulesets and migration.
 */
@NullMarked
package dev.holdfast.http.firewall.object;

import org.jspecify.annotations.NullMarked;
