package dev.holdfast.http.internal.report;

import dev.holdfast.http.object.PagePolicy;
import dev.holdfast.http.url.WebUrl;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes the policies of a page as headers, with the addresses for their reports. Thread-safe. */
public final class HeaderWriter {

  private final ReportAddress address;
  private final String vendorBase;

  /**
   * Creates a writer.
   *
   * @param address signs addresses
   * @param vendorBase scheme, host and port of the vendor's own endpoint; empty if it has none
   */
  public HeaderWriter(ReportAddress address, String vendorBase) {
    this.address = address;
    this.vendorBase = vendorBase;
  }

  /**
   * {@return names and values of the headers, one line each: several policies must never be merged}
   *
   * @param zoneId the zone
   * @param page the URL of the page
   * @param policies the policies, in order
   * @param isVendor whether reports go to the vendor's own endpoint, if it has one
   */
  public List<Map.Entry<String, String>> write(
      String zoneId, WebUrl page, List<PagePolicy> policies, boolean isVendor) {
    String base = isVendor && !vendorBase.isEmpty() ? vendorBase : page.origin();
    boolean secure = page.isSecure() && isSecure(base);
    List<Map.Entry<String, String>> lines = new ArrayList<>();
    Map<String, String> endpoints = new LinkedHashMap<>();
    for (PagePolicy policy : policies) {
      String url = address.of(base, zoneId, policy.policyId());
      String directives = policy.directives();
      String value =
          (directives.endsWith(";") ? directives : directives + ";") + " report-uri " + url;
      if (secure) {
        // On a page without TLS, or with an endpoint without it, a browser that sees report-to
        // ignores report-uri and sends nothing.
        String name = policy.policyId() == null ? "monitor" : "p" + policy.policyId();
        endpoints.put(name, url);
        value += "; report-to " + name;
      }
      lines.add(
          Map.entry(
              policy.enforced() ? "Content-Security-Policy" : "Content-Security-Policy-Report-Only",
              value));
    }
    if (!endpoints.isEmpty()) {
      List<String> items =
          endpoints.entrySet().stream().map(e -> e.getKey() + "=\"" + e.getValue() + "\"").toList();
      lines.add(Map.entry("Reporting-Endpoints", String.join(", ", items)));
    }
    return lines;
  }

  private static boolean isSecure(String url) {
    return url.regionMatches(true, 0, "https:", 0, "https:".length());
  }
}
