package dev.holdfast.http.internal.endpoint;

import dev.holdfast.http.internal.endpoint.OpenApi.Operation;
import dev.holdfast.http.object.Permission;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Every endpoint that requires a credential: the operations of the {@link OpenApi} document, whose
 * ids are the names of the constants.
 */
public enum Endpoint {
  LIST_ZONES,
  CREATE_ZONE,
  GET_ZONE,
  GET_ZONE_PROFILE,
  UPDATE_ZONE_PROFILE,
  IMPORT_MANAGED_RULES,
  VERIFY_TOKEN,
  LIST_TOKENS,
  CREATE_TOKEN,
  GET_TOKEN,
  UPDATE_TOKEN,
  REVOKE_TOKEN,
  ROTATE_TOKEN,
  VALIDATE_EXPRESSION,
  VALIDATE_EXPRESSION_OF_BODY,
  GET_SETTINGS,
  UPDATE_SETTINGS,
  LIST_SCRIPTS,
  GET_SCRIPT,
  LIST_CONNECTIONS,
  GET_CONNECTION,
  LIST_COOKIES,
  GET_COOKIE,
  LIST_POLICIES,
  CREATE_POLICY,
  GET_POLICY,
  UPDATE_POLICY,
  DELETE_POLICY,
  LIST_VIOLATIONS,
  GENERATE_HEADERS,
  LIST_FILTERS,
  CREATE_FILTERS,
  UPDATE_FILTERS,
  DELETE_FILTERS,
  GET_FILTER,
  UPDATE_FILTER,
  DELETE_FILTER,
  LIST_RULES,
  CREATE_RULES,
  UPDATE_RULES,
  UPDATE_RULE_PRIORITIES,
  DELETE_RULES,
  GET_RULE,
  UPDATE_RULE,
  UPDATE_RULE_PRIORITY,
  DELETE_RULE,
  SIMULATE_FIREWALL,
  GET_ENTRY_POINT,
  UPDATE_ENTRY_POINT,
  LIST_ENTRY_POINT_VERSIONS,
  GET_ENTRY_POINT_VERSION,
  LIST_RULESETS,
  CREATE_RULESET,
  GET_RULESET,
  UPDATE_RULESET,
  DELETE_RULESET,
  ADD_RULESET_RULE,
  UPDATE_RULESET_RULE,
  DELETE_RULESET_RULE,
  LIST_RULESET_VERSIONS,
  GET_RULESET_VERSION,
  DELETE_RULESET_VERSION,
  CHECK_MIGRATION,
  GET_MIGRATED_CONFIGURATION,
  GET_MIGRATION_STATUS,
  LIST_WAF_PACKAGES,
  GET_WAF_PACKAGE,
  UPDATE_WAF_PACKAGE,
  LIST_WAF_GROUPS,
  GET_WAF_GROUP,
  UPDATE_WAF_GROUP,
  LIST_WAF_RULES,
  GET_WAF_RULE,
  UPDATE_WAF_RULE,
  LIST_WAF_OVERRIDES,
  CREATE_WAF_OVERRIDE,
  GET_WAF_OVERRIDE,
  UPDATE_WAF_OVERRIDE,
  DELETE_WAF_OVERRIDE;

  private final @Nullable Permission permission;

  Endpoint() {
    String needed = operation().tree().get("x-permission").asString("").toUpperCase(Locale.ROOT);
    permission = needed.isEmpty() ? null : Permission.valueOf(needed);
  }

  private Operation operation() {
    return OpenApi.operation(name().toLowerCase(Locale.ROOT));
  }

  /** {@return the HTTP method} */
  public String method() {
    return operation().method();
  }

  /**
   * {@return the path after the version segment, with braces for identifiers; the first one after
   * {@code /zones} is that of the zone}
   */
  public String path() {
    return operation().path();
  }

  /** {@return whether {@link Permission#PROXY} is enough} */
  public boolean isForProxies() {
    return operation().tree().has("x-proxy");
  }

  /** {@return the required permission; null if a valid credential is enough} */
  public @Nullable Permission permission() {
    return permission;
  }

  /** {@return the schema of the body; a missing node if there is none} */
  public JsonNode bodySchema() {
    return operation().tree().at("/requestBody/content/application~1json/schema");
  }

  /** {@return whether a client may ask for all checks without the change} */
  public boolean hasDryRun() {
    return operation()
        .tree()
        .path("parameters")
        .valueStream()
        .anyMatch(parameter -> parameter.path("name").asString("").equals("dry_run"));
  }
}
