package dev.holdfast.http.internal.endpoint;

import dev.holdfast.http.object.Permission;
import org.jspecify.annotations.Nullable;

/**
 * Every endpoint behind a credential: method, path behind the version segment, and what the
 * credential must allow. {@code {}} stands for an identifier; the first one is that of the zone.
 */
public enum Endpoint {
  LIST_ZONES("GET", "/zones", null),
  GET_ZONE("GET", "/zones/{}", null),
  VERIFY_TOKEN("GET", "/user/tokens/verify", null),
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
  DELETE_POLICY("DELETE", "/zones/{}/page_monitor/policies/{}", Permission.PAGE_MONITOR_EDIT);

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

  /** {@return the path behind the version segment, with braces for identifiers} */
  public String path() {
    return path;
  }

  /** {@return what a credential must allow; null if being valid is enough} */
  public @Nullable Permission permission() {
    return permission;
  }
}
