package dev.holdfast.http.firewall.object;

/**
 * A rule that was deleted. Immutable.
 *
 * @param rule the rule
 * @param isFilterDeleted whether its filter was deleted, too
 */
public record DeletedRule(FirewallRule rule, boolean isFilterDeleted) {}
