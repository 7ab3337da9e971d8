package dev.holdfast.http.internal.firewall;

import org.jspecify.annotations.Nullable;

/**
 * An expression with an identifier, for rules to share.
 *
 * @param id its identifier
 * @param expression the expression
 * @param paused whether it matches nothing at present
 * @param description for people; null if none was given
 * @param ref the client's own identifier; null if none was given
 */
record Filter(
    String id,
    String expression,
    boolean paused,
    @Nullable String description,
    @Nullable String ref) {}
