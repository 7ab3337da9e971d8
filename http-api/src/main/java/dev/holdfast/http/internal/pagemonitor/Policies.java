package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneMonitor.StoredPolicy;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The content security policies of a zone. */
final class Policies {

  private final ZoneStore store;
  private final Expressions expressions;
  private final Violations violations;

  /** A policy with its directives as sent; so is whether it is enabled: as a text or not. */
  private record Policy(
      String id,
      String description,
      String action,
      String expression,
      boolean enabled,
      boolean enabledAsText,
      String value) {

    ObjectNode toJson() {
      ObjectNode tree = Json.tree(this).without("enabled_as_text");
      return enabledAsText ? tree.put("enabled", Boolean.toString(enabled)) : tree;
    }
  }

  Policies(ZoneStore store, Expressions expressions, Violations violations) {
    this.store = store;
    this.expressions = expressions;
    this.violations = violations;
  }

  /** {@return the enabled policies, in the order of their creation} */
  List<StoredPolicy> enabled() {
    return store.list("SELECT * FROM policy WHERE enabled ORDER BY seq", StoredPolicy.class);
  }

  ZoneReply list(Call call) {
    return Envelope.wholeList(
        store.rows("SELECT * FROM policy ORDER BY seq", Policy.class).map(Policy::toJson));
  }

  ZoneReply get(Call call) {
    return Envelope.ok(find(call.id()).toJson());
  }

  ZoneReply create(Call call) {
    Fields fields = call.fields();
    for (String name : List.of("description", "action", "expression", "enabled", "value")) {
      fields.required(name);
    }
    Policy policy = merge(fields, new Policy(store.newId(), "", "", "", false, false, ""));
    int max = store.profile().policiesMax();
    if (store.count("SELECT count(*) AS n FROM policy") >= max) {
      throw new ApiException(
          400,
          10103,
          "1 validation errors: exceeded the maximum number of rules in the phase"
              + " http_response_page_shield: %d out of %d".formatted(max + 1, max));
    }
    return put(policy);
  }

  ZoneReply update(Call call) {
    return put(merge(call.fields(), find(call.id())));
  }

  private ZoneReply put(Policy policy) {
    store.put("policy", "id", policy);
    return Envelope.ok(policy.toJson());
  }

  ZoneReply delete(Call call) {
    find(call.id());
    store.exec("DELETE FROM policy WHERE id = ?", call.id());
    violations.forget(call.id());
    return Envelope.ok(Json.object().put("id", call.id()));
  }

  boolean exists(String id) {
    return store.exec("SELECT 1 FROM policy WHERE id = ?", id).hasNext();
  }

  private Policy find(String id) {
    String query = "SELECT * FROM policy WHERE id = ?";
    return store.get("Could not find Policy", query, Policy.class, id);
  }

  ZoneReply listViolations(Call call) {
    find(call.id());
    return violations.list(call);
  }

  private Policy merge(Fields fields, Policy old) {
    // The documented example sends and receives a string; client libraries a boolean.
    JsonNode enabled = fields.present("enabled");
    return new Policy(
        old.id(),
        fields.text("description", old.description()),
        fields.text("action", old.action()),
        fields.has("expression") ? expression(fields) : old.expression(),
        enabled == null ? old.enabled() : enabled.asString("").equals("true"),
        enabled == null ? old.enabledAsText() : enabled.isString(),
        fields.has("value") ? value(fields) : old.value());
  }

  private String expression(Fields fields) {
    String expression = fields.text("expression");
    expressions.check(expression, true, "", 10101, fields.at("expression"));
    return expression;
  }

  private static String value(Fields fields) {
    String value = fields.text("value");
    String mistake = PolicyValue.mistake(value);
    if (mistake != null) {
      throw ApiException.wrong(10105, mistake, fields.at("value"));
    }
    return value;
  }
}
