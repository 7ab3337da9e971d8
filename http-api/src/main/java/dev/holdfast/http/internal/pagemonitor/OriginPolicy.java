package dev.holdfast.http.internal.pagemonitor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The content security policies that a response has by itself. To add where to report to one of
 * them, it is repeated: a browser that gets the same policy twice blocks what it blocked before,
 * and reports to both, so nobody needs to take a header away or change it.
 */
final class OriginPolicy {

  static final String ENFORCED = "content-security-policy";
  static final String REPORT_ONLY = "content-security-policy-report-only";

  private static final Set<String> REPORTING = Set.of("report-uri", "report-to");

  private OriginPolicy() {}

  /**
   * {@return the policies of a header, which separates them by commas, without what they say of
   * reporting; none with characters that would end a header}
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
