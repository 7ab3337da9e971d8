package dev.holdfast.http.monitor.object;

import org.jspecify.annotations.Nullable;

/**
 * A content security policy for a response. Immutable.
 *
 * @param policyId the policy from which it is derived; null for the monitoring policy
 * @param enforced whether it blocks, or only reports
 * @param directives its directives, without the reporting directives
 */
public record PagePolicy(@Nullable String policyId, boolean enforced, String directives) {}
