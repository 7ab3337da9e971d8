package dev.holdfast.http.internal.zone;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.endpoint.OpenApi;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.MonitorObject;
import dev.holdfast.http.internal.pagemonitor.SeenPage;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.monitor.object.CookieSearch;
import dev.holdfast.http.monitor.object.Detection;
import dev.holdfast.http.monitor.object.DetectionSearch;
import dev.holdfast.http.monitor.object.MonitorPolicy;
import dev.holdfast.http.monitor.object.MonitorSettings;
import dev.holdfast.http.monitor.object.MonitoredCookie;
import dev.holdfast.http.monitor.object.Notice;
import dev.holdfast.http.monitor.object.PolicyChange;
import dev.holdfast.http.monitor.object.PolicyViolation;
import dev.holdfast.http.monitor.object.ScriptVersion;
import dev.holdfast.http.monitor.object.SeenSearch;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The requests for the page monitor of a zone. Items of lists are read and written one at a time,
 * in the turn of the zone, as JSON or as CSV (RFC 4180).
 */
record MonitorRequests(MonitorObject monitor) {

  private static final List<String> VENDOR_NAMES =
      List.of("use_vendor_reporting_endpoint", "use_cloudflare_reporting_endpoint");
  private static final int PAGE_SIZE = 15;
  private static final Set<String> TIMES = Set.of("first_seen_at", "last_seen_at");

  /**
   * A spreadsheet would interpret such a cell as a formula; the sender of a report chooses the
   * names.
   */
  private static final String FORMULA_SIGNS = "=+-@\t";

  void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("get_settings", call -> Envelope.ok(tree(monitor.settings())));
    operations.put("update_settings", this::updateSettings);
    operations.put("list_scripts", this::listScripts);
    operations.put("get_script", call -> Envelope.ok(script(monitor.script(call.id()))));
    operations.put("list_connections", this::listConnections);
    operations.put(
        "get_connection", call -> Envelope.ok(connection(monitor.connection(call.id()))));
    operations.put("list_cookies", this::listCookies);
    operations.put("get_cookie", call -> Envelope.ok(tree(monitor.monitoredCookie(call.id()))));
    operations.put(
        "list_policies",
        call ->
            Envelope.shortList(
                monitor.policies().stream().map(MonitorRequests::tree), call.query()::pageOfAll));
    operations.put("create_policy", this::createPolicy);
    operations.put("get_policy", call -> Envelope.ok(tree(monitor.policy(call.id()))));
    operations.put(
        "update_policy",
        call -> Envelope.ok(tree(monitor.changePolicy(call.id(), change(call.fields())))));
    operations.put(
        "delete_policy",
        call -> {
          monitor.deletePolicy(call.id());
          return Envelope.deleted(call.id());
        });
    operations.put(
        "list_violations",
        call -> {
          String policy = monitor.policy(call.id()).id();
          PageRange page = call.query().page(1, PAGE_SIZE);
          return Envelope.found(monitor.violations(policy, page), MonitorRequests::tree);
        });
  }

  private static ObjectNode tree(MonitorSettings settings) {
    ObjectNode shown = Json.object().put("enabled", settings.enabled());
    VENDOR_NAMES.forEach(name -> shown.put(name, settings.vendorEndpoint()));
    return shown
        .put("use_connection_url_path", settings.connectionPath())
        .put("updated_at", settings.updatedAt());
  }

  private ZoneReply updateSettings(Call call) {
    Fields fields = call.fields();
    MonitorSettings old = monitor.settings();
    // An answer that is sent back has both names, and the client has changed one of them.
    boolean isOther =
        VENDOR_NAMES.stream()
            .anyMatch(name -> fields.flag(name, old.vendorEndpoint()) != old.vendorEndpoint());
    MonitorSettings changed =
        monitor.changeSettings(
            new MonitorSettings(
                fields.flag("enabled", old.enabled()),
                isOther != old.vendorEndpoint(),
                fields.flag("use_connection_url_path", old.connectionPath()),
                ""));
    // All that the specification of users has; "get" shows the rest.
    return Envelope.ok(
        Json.object().put("enabled", changed.enabled()).put("updated_at", changed.updatedAt()));
  }

  private ZoneReply createPolicy(Call call) {
    Fields fields = call.fields();
    for (String name : List.of("description", "action", "expression", "enabled", "value")) {
      fields.required(name);
    }
    return Envelope.ok(tree(monitor.addPolicy(change(fields).of(MonitorPolicy.of("", "", "")))));
  }

  private static PolicyChange change(Fields fields) {
    // The documented example sends and receives a string; client libraries a boolean.
    JsonNode enabled = fields.present("enabled");
    return new PolicyChange(
        fields.optionalText("description"),
        fields.optionalText("action"),
        fields.optionalText("expression"),
        enabled == null ? null : enabled.asString("").equals("true"),
        enabled != null && enabled.isString(),
        fields.optionalText("value"));
  }

  private static ObjectNode tree(MonitorPolicy policy) {
    ObjectNode tree = Json.tree(policy).without("enabled_as_text");
    return policy.enabledAsText() ? tree.put("enabled", Boolean.toString(policy.enabled())) : tree;
  }

  private static ObjectNode tree(PolicyViolation violation) {
    ObjectNode tree = Json.tree(violation);
    tree.set("host", tree.remove("page_host"));
    return tree.without("policy_id");
  }

  private ZoneReply listScripts(Call call) {
    Query query = call.query();
    SeenPage<Detection> found = monitor.listScripts(detections(query, true), page(query));
    return list(query, found, MonitorRequests::script, "Script", monitor.detectionNotices());
  }

  private ZoneReply listConnections(Call call) {
    Query query = call.query();
    SeenPage<Detection> found = monitor.listConnections(detections(query, false), page(query));
    return list(
        query, found, MonitorRequests::connection, "Connection", monitor.detectionNotices());
  }

  private ZoneReply listCookies(Call call) {
    Query query = call.query();
    CookieSearch wanted =
        new CookieSearch(
            seen(query),
            CookieSearch.names(query.items("name")),
            query.items("page_url"),
            query.flag("secure"),
            query.flag("http_only"),
            query.word("same_site", Set.of("lax", "strict", "none")),
            query.word("type", Set.of("first_party", "unknown")),
            query.text("path"),
            query.text("domain"));
    SeenPage<MonitoredCookie> found = monitor.listCookies(wanted, page(query));
    return list(query, found, MonitorRequests::tree, "Cookie", monitor.cookieNotices());
  }

  private static DetectionSearch detections(Query query, boolean isScript) {
    return new DetectionSearch(
        seen(query),
        query.items("urls"),
        query.items("exclude_urls"),
        query.items("page_url"),
        query.flag("exclude_cdn_cgi", true),
        query.flag("prioritize_malicious", false),
        isScript && query.flag("exclude_duplicates", true));
  }

  private static SeenSearch seen(Query query) {
    return new SeenSearch(
        SeenSearch.statuses(query.items("status")),
        query.items("hosts"),
        query.word("order_by", TIMES, "last_seen_at").equals("first_seen_at"),
        query.word("direction", Set.of("asc", "desc"), "desc").equals("asc"));
  }

  /** {@return the requested page; null for one with all} */
  private static @Nullable PageRange page(Query query) {
    if (isCsv(query)) {
      return null;
    }
    int size = query.number("per_page", 1, 100, PAGE_SIZE);
    return "all".equals(query.text("page"))
        ? null
        : new PageRange(query.number("page", 1, Integer.MAX_VALUE, 1), size);
  }

  private static boolean isCsv(Query query) {
    String export = query.text("export");
    if (export != null && !export.equals("csv")) {
      throw RefusedException.badParameter("export", "csv");
    }
    if (export != null && (query.text("page") != null || query.text("per_page") != null)) {
      throw RefusedException.badParameter("export", "without page and per_page");
    }
    return export != null;
  }

  private static <T> ZoneReply list(
      Query query,
      SeenPage<T> found,
      Function<T, ObjectNode> shown,
      String schema,
      List<Notice> notices) {
    Stream<ObjectNode> items = found.items().map(shown);
    return isCsv(query)
        ? new ZoneReply(200, "text/csv; charset=utf-8", csv(items, schema))
        : Envelope.page(
            items, found.page(), found.totalCount(), Json.array(notices.stream().map(Json::tree)));
  }

  private static String csv(Stream<ObjectNode> items, String schema) {
    JsonNode members = OpenApi.part("#/components/schemas/" + schema + "/x-csv");
    List<String> columns = members.valueStream().map(JsonNode::stringValue).toList();
    StringWriter out = new StringWriter();
    CsvWriter writer = CsvWriter.builder().bufferSize(0).build(out);
    writer.writeRecord(columns);
    items.forEach(
        item ->
            writer.writeRecord(
                columns.stream()
                    .map(column -> item.path(column).asString(""))
                    .map(c -> !c.isEmpty() && FORMULA_SIGNS.indexOf(c.charAt(0)) >= 0 ? "'" + c : c)
                    .toList()));
    return out.toString();
  }

  private static ObjectNode script(Detection script) {
    ObjectNode tree = tree(script);
    ScriptVersion newest = script.newest();
    if (newest != null) {
      tree.setAll(Json.tree(newest));
    }
    return script.urlCategories().isEmpty()
        ? tree
        : add(tree, "malicious_url_categories", script.urlCategories());
  }

  private static ObjectNode connection(Detection connection) {
    ObjectNode tree = tree(connection);
    add(tree, "malicious_domain_categories", connection.domainCategories());
    return add(tree, "malicious_url_categories", connection.urlCategories());
  }

  private static ObjectNode tree(Detection detection) {
    return Json.tree(detection)
        .without(List.of("newest", "domain_categories", "url_categories"))
        .put("domain_reported_malicious", !detection.domainCategories().isEmpty())
        .put("url_reported_malicious", !detection.urlCategories().isEmpty());
  }

  private static ObjectNode add(ObjectNode tree, String name, List<String> categories) {
    categories.forEach(tree.putArray(name)::add);
    return tree;
  }

  private static ObjectNode tree(MonitoredCookie cookie) {
    return Json.tree(cookie).put("max_age_attribute", cookie.maxAgeAttribute());
  }
}
