package dev.holdfast.http.monitor.object;

/**
 * What a policy has blocked or reported, by its place. Immutable.
 *
 * @param policyId the policy
 * @param url the URL
 * @param pageHost the host of the page
 * @param resourceType {@code script} or {@code connection}
 * @param pageUrl the newest page
 * @param action {@code allow} if it was blocked, {@code log} if it was reported
 * @param count how often
 * @param lastSeenAt the time of the last report, as a text
 */
public record PolicyViolation(
    String policyId,
    String url,
    String pageHost,
    String resourceType,
    String pageUrl,
    String action,
    long count,
    String lastSeenAt) {}
