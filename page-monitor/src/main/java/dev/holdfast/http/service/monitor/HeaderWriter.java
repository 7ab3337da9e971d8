package dev.holdfast.http.service.monitor;

import dev.holdfast.http.internal.report.ReportAddress;
import dev.holdfast.http.monitor.object.PageHeader;
import dev.holdfast.http.monitor.object.PagePolicy;
import dev.holdfast.http.url.WebUrl;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the policies of a page as headers, with the addresses for their reports. Only {@code
 * report-uri} names them: where {@code report-to} is, too, browsers use it alone, and send nothing
 * of workers and of frames whose document is an attribute. Thread-safe.
 */
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
  List<PageHeader> write(
      String vendorBase, String zoneId, WebUrl page, List<PagePolicy> policies, boolean isVendor) {
    String base = isVendor && !vendorBase.isEmpty() ? vendorBase : page.origin();
    List<PageHeader> lines = new ArrayList<>();
    for (PagePolicy policy : policies) {
      String directives = policy.directives();
      lines.add(
          new PageHeader(
              policy.enforced() ? "Content-Security-Policy" : "Content-Security-Policy-Report-Only",
              (directives.endsWith(";") ? directives : directives + ";")
                  + " report-uri "
                  + address.of(base, zoneId, policy.policyId())));
    }
    return lines;
  }
}
