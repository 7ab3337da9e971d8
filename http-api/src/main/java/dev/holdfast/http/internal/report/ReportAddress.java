package dev.holdfast.http.internal.report;

import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.object.Ids;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
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

  /** Copied for each signature: to find the algorithm costs more than to sign. */
  private final Mac keyed;

  /**
   * The target of a report.
   *
   * @param zoneId the zone
   * @param policyId the policy; null for the monitor
   */
  public record Target(String zoneId, @Nullable String policyId) {}

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
   */
  public @Nullable Target read(Query query) {
    String zone = query.text("z");
    String policy = query.text("p");
    String signature = query.text("s");
    if (zone == null || policy == null || signature == null || !Ids.isId(zone)) {
      return null;
    }
    boolean genuine =
        MessageDigest.isEqual(
            sign(zone, policy).getBytes(StandardCharsets.UTF_8),
            signature.getBytes(StandardCharsets.UTF_8));
    return genuine ? new Target(zone, policy.equals(MONITOR) ? null : policy) : null;
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
