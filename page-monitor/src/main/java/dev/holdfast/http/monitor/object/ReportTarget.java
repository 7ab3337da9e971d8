package dev.holdfast.http.monitor.object;

import org.jspecify.annotations.Nullable;

/**
 * The target of a report. Immutable.
 *
 * @param zoneId the zone
 * @param policyId the policy; null for the monitor
 */
public record ReportTarget(String zoneId, @Nullable String policyId) {}
