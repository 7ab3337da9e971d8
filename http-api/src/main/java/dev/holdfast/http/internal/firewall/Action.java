package dev.holdfast.http.internal.firewall;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The action of a rule, in the order in which rules of one priority are evaluated. */
enum Action {
  LOG,
  BYPASS,
  ALLOW,
  CHALLENGE,
  MANAGED_CHALLENGE,
  JS_CHALLENGE,
  BLOCK;

  static final Set<String> WORDS =
      Stream.of(values()).map(Action::word).collect(Collectors.toUnmodifiableSet());

  static Action of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
