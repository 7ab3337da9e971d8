package dev.holdfast.http.object;

import org.jspecify.annotations.Nullable;

/**
 * A content security policy for a response. Immutable.
 *
 * @param policyId the policy it comes from; null for the one that monitors
 * @param enforced whether it blocks, or only reports
 * @param directives its directives, without those that say where to report
 */
public record PagePolicy(@Nullable String policyId, boolean enforced, String directives) {}
