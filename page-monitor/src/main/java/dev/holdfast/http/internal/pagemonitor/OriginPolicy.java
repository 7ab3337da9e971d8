package dev.holdfast.http.internal.pagemonitor;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The content security policies that a response already has. To add a report address to one of
 * them, it is repeated: a browser that receives the same policy twice blocks the same resources and
 * reports to both addresses, so no header has to be removed or changed.
 */
final class OriginPolicy {

  private static final String HEADER = "content-security-policy";
  private static final Set<String> REPORTING = Set.of("report-uri", "report-to");

  private OriginPolicy() {}

  /**
   * {@return the policies of a response, of which each header may have several between commas,
   * without their reporting directives; none of headers with characters that would end one}
   *
   * @param response its headers, by name in lower case
   * @param isEnforced whether those that block, or those that only report
   */
  static Stream<String> of(Map<String, List<String>> response, boolean isEnforced) {
    String header = isEnforced ? HEADER : HEADER + "-report-only";
    return response.getOrDefault(header, List.of()).stream()
        .filter(value -> value.chars().allMatch(c -> c >= ' ' && c <= '~'))
        .flatMap(value -> Arrays.stream(value.split(",", -1)))
        .map(OriginPolicy::withoutReporting)
        .filter(policy -> !policy.isEmpty());
  }

  private static String withoutReporting(String policy) {
    return Arrays.stream(policy.split(";", -1))
        .map(String::strip)
        .filter(directive -> !directive.isEmpty() && !REPORTING.contains(name(directive)))
        .collect(joining("; "));
  }

  private static String name(String directive) {
    return directive.split(" ", 2)[0].toLowerCase(Locale.ROOT);
  }
}
