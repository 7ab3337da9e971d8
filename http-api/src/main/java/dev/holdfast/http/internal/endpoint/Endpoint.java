package dev.holdfast.http.internal.endpoint;

import dev.holdfast.http.object.Permission;
import org.jspecify.annotations.Nullable;

/**
 * Every endpoint that requires a credential: method, path after the version segment, and the
 * required permission. {@code {}} stands for an identifier; the first one after {@code /zones} is
 * that of the zone.
 */
public enum Endpoint {
  LIST_ZONES("GET", "/zones", null),
  CREATE_ZONE("POST", "/zones", Permission.OPERATE),
  GET_ZONE("GET", "/zones/{}", null),
  GET_ZONE_PROFILE("GET", "/zones/{}/profile", Permission.OPERATE),
  UPDATE_ZONE_PROFILE("PUT", "/zones/{}/profile", Permission.OPERATE),
  IMPORT_MANAGED_RULES("PUT", "/zones/{}/waf_migration/import", Permission.OPERATE),
  VERIFY_TOKEN("GET", "/user/tokens/verify", null),
  LIST_TOKENS("GET", "/user/tokens", Permission.OPERATE),
  CREATE_TOKEN("POST", "/user/tokens", Permission.OPERATE),
  GET_TOKEN("GET", "/user/tokens/{}", Permission.OPERATE),
  UPDATE_TOKEN("PATCH", "/user/tokens/{}", Permission.OPERATE),
  REVOKE_TOKEN("DELETE", "/user/tokens/{}", Permission.OPERATE),
  ROTATE_TOKEN("PUT", "/user/tokens/{}/value", Permission.OPERATE),
  VALIDATE_EXPRESSION("GET", "/filters/validate-expr", null),
  VALIDATE_EXPRESSION_OF_BODY("POST", "/filters/validate-expr", null),

  GET_SETTINGS("GET", "/zones/{}/page_monitor", Permission.PAGE_MONITOR_READ),
  UPDATE_SETTINGS("PUT", "/zones/{}/page_monitor", Permission.PAGE_MONITOR_EDIT),
  LIST_SCRIPTS("GET", "/zones/{}/page_monitor/scripts", Permission.PAGE_MONITOR_READ),
  GET_SCRIPT("GET", "/zones/{}/page_monitor/scripts/{}", Permission.PAGE_MONITOR_READ),
  LIST_CONNECTIONS("GET", "/zones/{}/page_monitor/connections", Permission.PAGE_MONITOR_READ),
  GET_CONNECTION("GET", "/zones/{}/page_monitor/connections/{}", Permission.PAGE_MONITOR_READ),
  LIST_COOKIES("GET", "/zones/{}/page_monitor/cookies", Permission.PAGE_MONITOR_READ),
  GET_COOKIE("GET", "/zones/{}/page_monitor/cookies/{}", Permission.PAGE_MONITOR_READ),
  LIST_POLICIES("GET", "/zones/{}/page_monitor/policies", Permission.PAGE_MONITOR_READ),
  CREATE_POLICY("POST", "/zones/{}/page_monitor/policies", Permission.PAGE_MONITOR_EDIT),
  GET_POLICY("GET", "/zones/{}/page_monitor/policies/{}", Permission.PAGE_MONITOR_READ),
  UPDATE_POLICY("PUT", "/zones/{}/page_monitor/policies/{}", Permission.PAGE_MONITOR_EDIT),
  DELETE_POLICY("DELETE", "/zones/{}/page_monitor/policies/{}", Permission.PAGE_MONITOR_EDIT),
  LIST_VIOLATIONS(
      "GET", "/zones/{}/page_monitor/policies/{}/violations", Permission.PAGE_MONITOR_READ),
  GENERATE_HEADERS("POST", "/zones/{}/page_monitor/headers", Permission.PAGE_MONITOR_EDIT),

  LIST_FILTERS("GET", "/zones/{}/filters", Permission.FIREWALL_READ),
  CREATE_FILTERS("POST", "/zones/{}/filters", Permission.FIREWALL_EDIT),
  UPDATE_FILTERS("PUT", "/zones/{}/filters", Permission.FIREWALL_EDIT),
  DELETE_FILTERS("DELETE", "/zones/{}/filters", Permission.FIREWALL_EDIT),
  GET_FILTER("GET", "/zones/{}/filters/{}", Permission.FIREWALL_READ),
  UPDATE_FILTER("PUT", "/zones/{}/filters/{}", Permission.FIREWALL_EDIT),
  DELETE_FILTER("DELETE", "/zones/{}/filters/{}", Permission.FIREWALL_EDIT),
  LIST_RULES("GET", "/zones/{}/firewall/rules", Permission.FIREWALL_READ),
  CREATE_RULES("POST", "/zones/{}/firewall/rules", Permission.FIREWALL_EDIT),
  UPDATE_RULES("PUT", "/zones/{}/firewall/rules", Permission.FIREWALL_EDIT),
  UPDATE_RULE_PRIORITIES("PATCH", "/zones/{}/firewall/rules", Permission.FIREWALL_EDIT),
  DELETE_RULES("DELETE", "/zones/{}/firewall/rules", Permission.FIREWALL_EDIT),
  GET_RULE("GET", "/zones/{}/firewall/rules/{}", Permission.FIREWALL_READ),
  UPDATE_RULE("PUT", "/zones/{}/firewall/rules/{}", Permission.FIREWALL_EDIT),
  UPDATE_RULE_PRIORITY("PATCH", "/zones/{}/firewall/rules/{}", Permission.FIREWALL_EDIT),
  DELETE_RULE("DELETE", "/zones/{}/firewall/rules/{}", Permission.FIREWALL_EDIT),
  SIMULATE_FIREWALL("POST", "/zones/{}/firewall/simulate", Permission.FIREWALL_READ),

  GET_ENTRY_POINT("GET", "/zones/{}/rulesets/phases/{}/entrypoint", Permission.RULESETS_READ),
  UPDATE_ENTRY_POINT("PUT", "/zones/{}/rulesets/phases/{}/entrypoint", Permission.RULESETS_EDIT),
  LIST_ENTRY_POINT_VERSIONS(
      "GET", "/zones/{}/rulesets/phases/{}/entrypoint/versions", Permission.RULESETS_READ),
  GET_ENTRY_POINT_VERSION(
      "GET", "/zones/{}/rulesets/phases/{}/entrypoint/versions/{}", Permission.RULESETS_READ),
  LIST_RULESETS("GET", "/zones/{}/rulesets", Permission.RULESETS_READ),
  CREATE_RULESET("POST", "/zones/{}/rulesets", Permission.RULESETS_EDIT),
  GET_RULESET("GET", "/zones/{}/rulesets/{}", Permission.RULESETS_READ),
  UPDATE_RULESET("PUT", "/zones/{}/rulesets/{}", Permission.RULESETS_EDIT),
  DELETE_RULESET("DELETE", "/zones/{}/rulesets/{}", Permission.RULESETS_EDIT),
  ADD_RULESET_RULE("POST", "/zones/{}/rulesets/{}/rules", Permission.RULESETS_EDIT),
  UPDATE_RULESET_RULE("PATCH", "/zones/{}/rulesets/{}/rules/{}", Permission.RULESETS_EDIT),
  DELETE_RULESET_RULE("DELETE", "/zones/{}/rulesets/{}/rules/{}", Permission.RULESETS_EDIT),
  LIST_RULESET_VERSIONS("GET", "/zones/{}/rulesets/{}/versions", Permission.RULESETS_READ),
  GET_RULESET_VERSION("GET", "/zones/{}/rulesets/{}/versions/{}", Permission.RULESETS_READ),
  DELETE_RULESET_VERSION("DELETE", "/zones/{}/rulesets/{}/versions/{}", Permission.RULESETS_EDIT),
  CHECK_MIGRATION("GET", "/zones/{}/waf_migration/check", Permission.RULESETS_READ),
  GET_MIGRATED_CONFIGURATION("GET", "/zones/{}/waf_migration/config", Permission.RULESETS_READ),
  GET_MIGRATION_STATUS("GET", "/zones/{}/waf_migration/status", Permission.RULESETS_READ),
  LIST_WAF_PACKAGES("GET", "/zones/{}/firewall/waf/packages", Permission.FIREWALL_READ),
  GET_WAF_PACKAGE("GET", "/zones/{}/firewall/waf/packages/{}", Permission.FIREWALL_READ),
  UPDATE_WAF_PACKAGE("PATCH", "/zones/{}/firewall/waf/packages/{}", Permission.FIREWALL_EDIT),
  LIST_WAF_GROUPS("GET", "/zones/{}/firewall/waf/packages/{}/groups", Permission.FIREWALL_READ),
  GET_WAF_GROUP("GET", "/zones/{}/firewall/waf/packages/{}/groups/{}", Permission.FIREWALL_READ),
  UPDATE_WAF_GROUP(
      "PATCH", "/zones/{}/firewall/waf/packages/{}/groups/{}", Permission.FIREWALL_EDIT),
  LIST_WAF_RULES("GET", "/zones/{}/firewall/waf/packages/{}/rules", Permission.FIREWALL_READ),
  GET_WAF_RULE("GET", "/zones/{}/firewall/waf/packages/{}/rules/{}", Permission.FIREWALL_READ),
  UPDATE_WAF_RULE("PATCH", "/zones/{}/firewall/waf/packages/{}/rules/{}", Permission.FIREWALL_EDIT),
  LIST_WAF_OVERRIDES("GET", "/zones/{}/firewall/waf/overrides", Permission.FIREWALL_READ),
  CREATE_WAF_OVERRIDE("POST", "/zones/{}/firewall/waf/overrides", Permission.FIREWALL_EDIT),
  GET_WAF_OVERRIDE("GET", "/zones/{}/firewall/waf/overrides/{}", Permission.FIREWALL_READ),
  UPDATE_WAF_OVERRIDE("PUT", "/zones/{}/firewall/waf/overrides/{}", Permission.FIREWALL_EDIT),
  DELETE_WAF_OVERRIDE("DELETE", "/zones/{}/firewall/waf/overrides/{}", Permission.FIREWALL_EDIT);

  private final String method;
  private final String path;
  private final @Nullable Permission permission;

  Endpoint(String method, String path, @Nullable Permission permission) {
    this.method = method;
    this.path = path;
    this.permission = permission;
  }

  /** {@return the HTTP method} */
  public String method() {
    return method;
  }

  /** {@return the path after the version segment, with braces for identifiers} */
  public String path() {
    return path;
  }

  /** {@return whether {@link Permission#PROXY} is enough} */
  public boolean isForProxies() {
    return this == GENERATE_HEADERS || this == SIMULATE_FIREWALL;
  }

  /** {@return the required permission; null if a valid credential is enough} */
  public @Nullable Permission permission() {
    return permission;
  }
}
