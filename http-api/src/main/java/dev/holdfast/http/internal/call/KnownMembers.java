package dev.holdfast.http.internal.call;

import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The members that the body of each request may have: those that the operation reads, those that
 * its answers have, so that an answer can be sent back, and identifiers of the path, which some
 * clients repeat. Others are refused: a misspelt member would otherwise be left out silently.
 * Stateless.
 */
public final class KnownMembers {

  private static final Set<String> OF_THE_PATH = Set.of("zone_id", "account_id", "package_id");

  private static final Set<String> POLICY =
      Set.of("id", "description", "action", "expression", "enabled", "value");
  private static final Set<String> FILTER =
      Set.of("id", "expression", "paused", "description", "ref", "deleted");
  private static final Set<String> RULE =
      Set.of("id", "action", "priority", "paused", "description", "ref", "products", "filter");
  private static final Set<String> RULESET =
      Set.of(
          "id",
          "name",
          "description",
          "kind",
          "version",
          "last_updated",
          "phase",
          "rules",
          "source");
  private static final Set<String> PAGE =
      Set.of("url", "method", "headers", "ip", "fields", "response_headers");
  private static final Set<String> OVERRIDE =
      Set.of(
          "id", "description", "urls", "priority", "groups", "rules", "rewrite_action", "paused");

  private static final Map<Endpoint, Set<String>> KNOWN =
      new EnumMap<>(
          Map.ofEntries(
              Map.entry(
                  Endpoint.UPDATE_SETTINGS,
                  Set.of(
                      "enabled",
                      "updated_at",
                      "use_vendor_reporting_endpoint",
                      "use_cloudflare_reporting_endpoint",
                      "use_connection_url_path")),
              Map.entry(Endpoint.CREATE_POLICY, POLICY),
              Map.entry(Endpoint.UPDATE_POLICY, POLICY),
              Map.entry(Endpoint.GENERATE_HEADERS, PAGE),
              Map.entry(Endpoint.SIMULATE_FIREWALL, PAGE),
              Map.entry(Endpoint.VALIDATE_EXPRESSION_OF_BODY, Set.of("expression")),
              Map.entry(Endpoint.CREATE_FILTERS, FILTER),
              Map.entry(Endpoint.UPDATE_FILTERS, FILTER),
              Map.entry(Endpoint.UPDATE_FILTER, FILTER),
              Map.entry(Endpoint.CREATE_RULES, RULE),
              Map.entry(Endpoint.UPDATE_RULES, RULE),
              Map.entry(Endpoint.UPDATE_RULE, RULE),
              Map.entry(Endpoint.UPDATE_RULE_PRIORITIES, RULE),
              Map.entry(Endpoint.UPDATE_RULE_PRIORITY, RULE),
              Map.entry(Endpoint.DELETE_RULE, Set.of("delete_filter_if_unused")),
              Map.entry(Endpoint.CREATE_RULESET, RULESET),
              Map.entry(Endpoint.UPDATE_RULESET, RULESET),
              Map.entry(Endpoint.UPDATE_ENTRY_POINT, RULESET),
              Map.entry(
                  Endpoint.UPDATE_WAF_PACKAGE,
                  Set.of(
                      "id",
                      "name",
                      "description",
                      "detection_mode",
                      "sensitivity",
                      "action_mode",
                      "status")),
              Map.entry(
                  Endpoint.UPDATE_WAF_GROUP,
                  Set.of(
                      "id",
                      "name",
                      "description",
                      "rules_count",
                      "modified_rules_count",
                      "mode",
                      "allowed_modes")),
              Map.entry(
                  Endpoint.UPDATE_WAF_RULE,
                  Set.of(
                      "id",
                      "description",
                      "priority",
                      "group",
                      "mode",
                      "default_mode",
                      "allowed_modes")),
              Map.entry(Endpoint.CREATE_WAF_OVERRIDE, OVERRIDE),
              Map.entry(Endpoint.UPDATE_WAF_OVERRIDE, OVERRIDE)));

  private KnownMembers() {}

  /**
   * Checks the members of a body: an object, or an array of objects.
   *
   * @param endpoint the operation; the rules of rulesets are checked where they are read
   * @param body the body
   * @throws ApiException if it has a member that the operation does not know
   */
  public static void check(Endpoint endpoint, JsonNode body) {
    Set<String> known = KNOWN.get(endpoint);
    if (known == null) {
      return;
    }
    if (body instanceof ObjectNode object) {
      check(new Fields(object, ""), known);
    } else if (body.isArray()) {
      for (int i = 0; i < body.size(); i++) {
        if (body.get(i) instanceof ObjectNode object) {
          check(new Fields(object, "/" + i), known);
        }
      }
    }
  }

  private static void check(Fields fields, Set<String> known) {
    Set<String> all = new HashSet<>(known);
    all.addAll(OF_THE_PATH);
    fields.refuseUnknown(all);
    @Nullable JsonNode filter = known.equals(RULE) ? fields.tree().get("filter") : null;
    if (filter instanceof ObjectNode object) {
      new Fields(object, fields.at("filter")).refuseUnknown(FILTER);
    }
  }
}
