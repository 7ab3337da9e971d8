package dev.holdfast.http.internal.pagemonitor;

import com.shapesecurity.salvation2.Policy.Severity;
import dev.holdfast.http.internal.report.MonitorBounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The directives of a content security policy, as a policy of a zone may have them. */
final class PolicyValue {

  static {
    // Does what a "requires" would do if the library had a stable module name. A class literal
    // would
    // be refused before its module is read.
    try {
      PolicyValue.class
          .getModule()
          .addReads(Class.forName("com.shapesecurity.salvation2.Policy").getModule());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("salvation is missing: add com.shapesecurity:salvation2", e);
    }
  }

  /** Not the reporting directives, which only the service may add. */
  private static final Set<String> DIRECTIVES =
      Set.of(
          """
          script-src script-src-elem script-src-attr connect-src default-src img-src style-src
          font-src object-src media-src child-src form-action worker-src base-uri manifest-src
          frame-src frame-ancestors upgrade-insecure-requests
          """
              .split("\\s+"));

  private PolicyValue() {}

  /** {@return the mistake in the directives, or null} */
  static @Nullable String mistake(String value) {
    if (value.isBlank()) {
      return "value is blank";
    }
    if (value.chars().anyMatch(c -> c < ' ' || c > '~' || c == ',')) {
      // A control character would end the header, a comma would begin another policy.
      return "value has a character that no policy may have";
    }
    int sources = 0;
    for (String directive : value.split(";", -1)) {
      String[] tokens = directive.strip().split(" +", -1);
      String name = tokens[0].toLowerCase(Locale.ROOT);
      if (!name.isEmpty() && !DIRECTIVES.contains(name)) {
        // Also report-uri and report-to, which only the service may add.
        return "directive " + name + " is not supported";
      }
      sources += tokens.length;
      if (sources > MonitorBounds.SOURCES_MAX) {
        return "value has more than " + MonitorBounds.SOURCES_MAX + " directives and sources";
      }
      for (String source : tokens) {
        if (source.length() > MonitorBounds.SOURCE_LENGTH_MAX) {
          return "a source is longer than " + MonitorBounds.SOURCE_LENGTH_MAX + " characters";
        }
        if (source.toLowerCase(Locale.ROOT).startsWith("'nonce-")) {
          return "nonces are not supported: a policy is the same for every response";
        }
      }
    }
    List<String> mistakes = new ArrayList<>();
    com.shapesecurity.salvation2.Policy.parseSerializedCSP(
        value,
        (severity, message, directive, index) -> {
          if (severity != Severity.Info) {
            mistakes.add(message);
          }
        });
    return mistakes.isEmpty() ? null : mistakes.getFirst();
  }
}
