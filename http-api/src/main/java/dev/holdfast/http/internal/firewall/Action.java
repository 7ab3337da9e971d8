package dev.holdfast.http.internal.firewall;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The action of a rule, in the order in which rules of one priority are evaluated. */
enum Action {
  LOG(false),
  BYPASS(false),
  ALLOW(true),
  CHALLENGE(true),
  MANAGED_CHALLENGE(true),
  JS_CHALLENGE(true),
  BLOCK(true);

  static final Set<String> WORDS =
      Stream.of(values()).map(Action::word).collect(Collectors.toUnmodifiableSet());

  private final boolean decides;

  Action(boolean decides) {
    this.decides = decides;
  }

  static Action of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether evaluation ends at a matching rule. */
  boolean decides() {
    return decides;
  }
}
