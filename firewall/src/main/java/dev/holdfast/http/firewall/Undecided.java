package dev.holdfast.http.firewall;

import java.util.Locale;

/**
 * What happens to a request on which a rule cannot be decided: its expression would take more work
 * than is allowed, or the body that it reads has an unknown coding.
 */
public enum Undecided {
  /** A rule that blocks, challenges or executes a ruleset acts as if it matched; others do not. */
  BLOCK,
  /** No rule acts; one that would block, challenge or execute is reported as one that logs. */
  LOG,
  /** No rule acts; failures are counted only. */
  SKIP;

  /** {@return the name in lower case} */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
