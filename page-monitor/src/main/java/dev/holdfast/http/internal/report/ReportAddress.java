package dev.holdfast.http.internal.report;

import dev.holdfast.http.monitor.object.ReportTarget;
import dev.holdfast.http.object.Ids;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The address to which browsers send reports: a path with the zone and the policy in its query. It
 * is signed, so that only addresses that this service has issued reach a zone. Thread-safe.
 */
public final class ReportAddress {

  /** The path of report endpoints, on any host. */
  public static final String PATH = "/cdn-cgi/script_monitor/report";

  private static final String MONITOR = "m";
  private static final int PARAMETERS_MAX = 100;

  /** Copied for each signature: to find the algorithm costs more than to sign. */
  private final Mac keyed;

  /** The targets of genuine queries as {@link #of} writes them: to check one again costs more. */
  private final Map<String, ReportTarget> genuine = new ConcurrentHashMap<>();

  /**
   * Creates the signer.
   *
   * @param key secret
   */
  public ReportAddress(byte[] key) {
    try {
      keyed = Mac.getInstance("HmacSHA256");
      keyed.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  /**
   * {@return the address of a policy's reports}
   *
   * @param base scheme, host and port
   * @param zoneId the zone
   * @param policyId the policy; null for the monitor
   */
  public String of(String base, String zoneId, @Nullable String policyId) {
    String policy = policyId == null ? MONITOR : policyId;
    return base + PATH + "?z=" + zoneId + "&p=" + policy + "&s=" + sign(zoneId, policy);
  }

  /**
   * {@return the target of a report, or null if this service did not issue its address}
   *
   * @param query the query of the address
   * @throws dev.holdfast.http.object.RefusedException if an escape in it is malformed
   */
  public @Nullable ReportTarget read(String query) {
    @Nullable ReportTarget known = genuine.get(query);
    return known == null ? check(query) : known;
  }

  private @Nullable ReportTarget check(String text) {
    String zone = value(text, "z");
    String policy = value(text, "p");
    String signature = value(text, "s");
    if (zone == null
        || policy == null
        || signature == null
        || !Ids.isId(zone)
        || !MessageDigest.isEqual(
            sign(zone, policy).getBytes(StandardCharsets.UTF_8),
            signature.getBytes(StandardCharsets.UTF_8))) {
      return null;
    }
    ReportTarget target = new ReportTarget(zone, policy.equals(MONITOR) ? null : policy);
    // Of the many ways to write a genuine query, one is kept.
    if (of("", zone, target.policyId()).endsWith("?" + text)
        && genuine.size() < MonitorBounds.RATES_MAX) {
      genuine.put(text, target);
    }
    return target;
  }

  /** {@return the last value of a parameter, or null if there is none that can be read} */
  private static @Nullable String value(String query, String name) {
    String found = null;
    for (String pair : query.split("&", PARAMETERS_MAX)) {
      if (pair.startsWith(name + "=")) {
        found = pair.substring(name.length() + 1);
      }
    }
    try {
      return found == null ? null : URLDecoder.decode(found, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private String sign(String zone, String policy) {
    try {
      Mac mac = (Mac) keyed.clone();
      byte[] signature = mac.doFinal((zone + "/" + policy).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(signature, 0, 16);
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("HmacSHA256 of this Java platform cannot be copied", e);
    }
  }
}
