package dev.holdfast.http.firewall.object;

import org.jspecify.annotations.Nullable;

/**
 * What a ruleset becomes. What is null stays as it is, or gets its default in a new ruleset.
 * Immutable.
 *
 * @param name the name, which a new ruleset needs; one that differs from the name of a known
 *     ruleset is refused
 * @param description the description
 * @param rules the rules in their order, as a JSON array
 */
public record RulesetDraft(
    @Nullable String name, @Nullable String description, @Nullable String rules) {}
