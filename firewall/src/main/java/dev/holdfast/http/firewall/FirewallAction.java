package dev.holdfast.http.firewall;

import java.util.Locale;

/** The action of a rule that matched, and of a decision. */
public enum FirewallAction {
  /** No rule decides: the request passes. */
  NONE(false),
  /** The match is logged, and evaluation goes on. */
  LOG(false),
  /** The rule of a managed ruleset adds to the score of the request. */
  SCORE(false),
  /** The named products of the rule do not apply to the request, and evaluation goes on. */
  BYPASS(false),
  /** The rules and phases that the rule names are left out, and evaluation goes on. */
  SKIP(false),
  /** The remaining firewall rules are left out; rulesets are still evaluated. */
  ALLOW(false),
  /** The client must solve a challenge first. */
  CHALLENGE(true),
  /** The same; the host chooses the challenge. */
  MANAGED_CHALLENGE(true),
  /** The same; a script in the page solves it without interaction. */
  JS_CHALLENGE(true),
  /** The request is refused. */
  BLOCK(true);

  private final boolean stops;

  FirewallAction(boolean stops) {
    this.stops = stops;
  }

  /** {@return whether the request does not pass, at least not without a challenge} */
  public boolean stops() {
    return stops;
  }

  /** {@return the name as in the API, in lower case} */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * {@return the action with a name}
   *
   * @param word the name as in the API
   * @throws IllegalArgumentException if there is no such action
   */
  public static FirewallAction of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
