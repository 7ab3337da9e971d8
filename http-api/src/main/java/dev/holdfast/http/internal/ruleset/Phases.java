package dev.holdfast.http.internal.ruleset;

import java.util.Set;

/**
 * The phases of a request. Phases that do not belong to the firewall are stored and have no effect.
 */
final class Phases {

  static final String FIREWALL_MANAGED = "http_request_firewall_managed";

  private static final Set<String> FIREWALL =
      Set.of("http_request_firewall_custom", FIREWALL_MANAGED, "http_ratelimit");

  private static final Set<String> OTHERS =
      Set.of(
          "ddos_l4",
          "ddos_l7",
          "http_config_settings",
          "http_custom_errors",
          "http_log_custom_fields",
          "http_request_cache_settings",
          "http_request_dynamic_redirect",
          "http_request_late_transform",
          "http_request_origin",
          "http_request_redirect",
          "http_request_sanitize",
          "http_request_sbfm",
          "http_request_transform",
          "http_response_cache_settings",
          "http_response_compression",
          "http_response_firewall_managed",
          "http_response_headers_transform",
          "magic_transit",
          "magic_transit_ids_managed",
          "magic_transit_managed",
          "magic_transit_ratelimit");

  private static final Set<String> FIREWALL_ACTIONS =
      Set.of("execute", "skip", "block", "challenge", "js_challenge", "managed_challenge", "log");

  private static final Set<String> OTHER_ACTIONS =
      Set.of(
          "compress_response",
          "ddos_dynamic",
          "force_connection_close",
          "log_custom_field",
          "redirect",
          "rewrite",
          "route",
          "score",
          "serve_error",
          "set_cache_control",
          "set_cache_settings",
          "set_cache_tags",
          "set_config");

  private Phases() {}

  static boolean isKnown(String phase) {
    return FIREWALL.contains(phase) || OTHERS.contains(phase);
  }

  static boolean allows(String phase, String action) {
    return FIREWALL_ACTIONS.contains(action)
        || (!FIREWALL.contains(phase) && OTHER_ACTIONS.contains(action));
  }
}
