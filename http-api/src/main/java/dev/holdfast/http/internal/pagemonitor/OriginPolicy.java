package dev.holdfast.http.internal.pagemonitor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The content security policies that a response already has. To add a report address to one of
 * them, it is repeated: a browser that receives the same policy twice blocks the same resources and
 * reports to both addresses, so no header has to be removed or changed.
 */
final class OriginPolicy {

  static final String ENFORCED = "content-security-policy";
  static final String REPORT_ONLY = "content-security-policy-report-only";

  private static final Set<String> REPORTING = Set.of("report-uri", "report-to");

  private OriginPolicy() {}

  /**
   * {@return the policies of a header, in which commas separate them, without their reporting
   * directives; none with characters that would end a header}
   */
  static List<String> read(String header) {
    if (header.chars().anyMatch(c -> c < ' ' || c > '~')) {
      return List.of();
    }
    List<String> policies = new ArrayList<>();
    for (String policy : header.split(",", -1)) {
      List<String> directives = new ArrayList<>();
      for (String directive : policy.split(";", -1)) {
        String name = directive.strip().split(" ", 2)[0].toLowerCase(Locale.ROOT);
        if (!name.isEmpty() && !REPORTING.contains(name)) {
          directives.add(directive.strip());
        }
      }
      if (!directives.isEmpty()) {
        policies.add(String.join("; ", directives));
      }
    }
    return policies;
  }
}
