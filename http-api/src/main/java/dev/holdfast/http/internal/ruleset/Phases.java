package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.internal.endpoint.OpenApi;
import java.util.Set;

/**
 * The phases of a request. Phases that do not belong to the firewall are stored and have no effect.
 */
final class Phases {

  static final String FIREWALL_MANAGED = "http_request_firewall_managed";

  private static final Set<String> FIREWALL =
      Set.of("http_request_firewall_custom", FIREWALL_MANAGED, "http_ratelimit");

  private static final Set<String> FIREWALL_ACTIONS =
      Set.of("execute", "skip", "block", "challenge", "js_challenge", "managed_challenge", "log");

  private Phases() {}

  /** {@return whether the document of the API has a phase} */
  static boolean isKnown(String phase) {
    return OpenApi.part("#/components/schemas/RulesetBody/properties/phase/enum")
        .valueStream()
        .anyMatch(known -> known.isString() && known.stringValue().equals(phase));
  }

  /** {@return whether a known action is one of a phase} */
  static boolean allows(String phase, String action) {
    return FIREWALL_ACTIONS.contains(action) || !FIREWALL.contains(phase);
  }
}
