package dev.holdfast.http.monitor.object;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A resource that a page loaded or tried to load, as a browser reported it: normalised and bounded,
 * but untrusted input. Immutable.
 *
 * @param isScript whether it is a script; otherwise a connection
 * @param url its URL, without a fragment
 * @param pageHost the host of the page
 * @param pageUrl the page, without query and fragment
 * @param seenAt the time of the report
 * @param policyId the policy that it violates; null if it was only monitored
 * @param blocked whether it was blocked
 * @param source the network of the client that sent the report; empty if it is unknown
 */
public record ReportedUse(
    boolean isScript,
    String url,
    String pageHost,
    String pageUrl,
    Instant seenAt,
    @Nullable String policyId,
    boolean blocked,
    String source) {}
