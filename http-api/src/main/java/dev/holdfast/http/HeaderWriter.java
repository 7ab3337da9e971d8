package dev.holdfast.http;

import dev.holdfast.http.internal.report.ReportAddress;
import dev.holdfast.http.object.PagePolicy;
import dev.holdfast.http.url.WebUrl;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes the policies of a page as headers, with the addresses for their reports. Thread-safe. */
final class HeaderWriter {

  private final ReportAddress address;

  /**
   * Creates a writer.
   *
   * @param address signs addresses
   */
  HeaderWriter(ReportAddress address) {
    this.address = address;
  }

  /**
   * {@return the headers, one line each: several policies must never be merged}
   *
   * @param vendorBase scheme, host and port of the vendor's own endpoint; empty if it has none
   * @param zoneId the zone
   * @param page the URL of the page
   * @param policies the policies, in order
   * @param isVendor whether reports go to the vendor's own endpoint, if it has one
   */
  List<Header> write(
      String vendorBase, String zoneId, WebUrl page, List<PagePolicy> policies, boolean isVendor) {
    String base = isVendor && !vendorBase.isEmpty() ? vendorBase : page.origin();
    boolean secure = page.isSecure() && isSecure(base);
    List<Header> lines = new ArrayList<>();
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
          new Header(
              policy.enforced() ? "Content-Security-Policy" : "Content-Security-Policy-Report-Only",
              value));
    }
    if (!endpoints.isEmpty()) {
      List<String> items =
          endpoints.entrySet().stream().map(e -> e.getKey() + "=\"" + e.getValue() + "\"").toList();
      lines.add(new Header("Reporting-Endpoints", String.join(", ", items)));
    }
    return lines;
  }

  private static boolean isSecure(String url) {
    return url.regionMatches(true, 0, "https:", 0, "https:".length());
  }
}
