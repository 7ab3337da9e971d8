package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.RefusedException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads a rule of a ruleset from a body, checks it, and adds missing members. */
final class RuleReader {

  /** The phases of the firewall; others are stored and have no effect. */
  private static final Set<String> FIREWALL =
      Set.of("http_request_firewall_custom", "http_request_firewall_managed", "http_ratelimit");

  private static final Set<String> FIREWALL_ACTIONS =
      Set.of("execute", "skip", "block", "challenge", "js_challenge", "managed_challenge", "log");

  private static final Set<String> WITH_PARAMETERS =
      Set.of("execute", "skip", "redirect", "rewrite", "route", "score", "serve_error");
  private final ZoneStore store;
  private final Expressions expressions;

  RuleReader(ZoneStore store, Expressions expressions) {
    this.store = store;
    this.expressions = expressions;
  }

  /**
   * Reads a rule.
   *
   * @param fields the rule
   * @param phase the phase of its ruleset
   * @param old the rules that the ruleset has, by id
   * @return the rule in its stored form
   */
  ObjectNode read(Fields fields, String phase, Map<String, ObjectNode> old) {
    String action = fields.text("action");
    if (FIREWALL.contains(phase) && !FIREWALL_ACTIONS.contains(action)) {
      throw RefusedException.wrong(
          20119, "unknown variant for action: " + action, fields.at("action"));
    }
    String expression = fields.text("expression");
    checkExpression(expression, fields);
    Fields parameters = fields.object("action_parameters");
    if (parameters == null && WITH_PARAMETERS.contains(action)) {
      throw RefusedException.wrong(
          20113,
          "action parameters are required for the " + action + " action",
          fields.at("action_parameters"));
    }
    if (parameters != null && action.equals("execute") && !Ids.isId(parameters.text("id"))) {
      String wrong = "'" + parameters.text("id") + "' is not a valid ruleset id";
      throw RefusedException.wrong(20015, wrong, parameters.at("id"));
    }
    if (fields.has("logging") && !action.equals("skip")) {
      throw RefusedException.wrong(
          20018, "logging is only for the skip action", fields.at("logging"));
    }
    String given = fields.optionalText("id");
    ObjectNode known = given == null ? null : old.get(given);
    String id = known == null ? store.newId() : String.valueOf(given);
    String ref = fields.optionalText("ref");
    ObjectNode rule =
        Json.object()
            .put("id", id)
            .put("version", "1")
            .put("action", action)
            .put("expression", expression)
            .put("description", fields.text("description", ""))
            .put("ref", ref == null || ref.isEmpty() ? refOf(known, id) : ref)
            .put("enabled", fields.flag("enabled", true));
    for (String name :
        new String[] {"action_parameters", "logging", "ratelimit", "exposed_credential_check"}) {
      Fields object = fields.object(name);
      if (object != null) {
        rule.set(name, object.tree());
      }
    }
    return stamped(rule, known);
  }

  private static String refOf(@Nullable ObjectNode known, String id) {
    return known == null ? id : known.get("ref").stringValue();
  }

  /** A rule keeps its version and its time as long as it is unchanged. */
  private ObjectNode stamped(ObjectNode rule, @Nullable ObjectNode known) {
    if (known != null) {
      ObjectNode comparable = known.deepCopy();
      comparable.remove("last_updated");
      rule.set("version", known.get("version"));
      if (comparable.equals(rule)) {
        return known;
      }
      rule.put("version", String.valueOf(Long.parseLong(known.get("version").stringValue()) + 1));
    }
    return rule.put("last_updated", store.now().toString());
  }

  private void checkExpression(String expression, Fields fields) {
    if (expression.isBlank()) {
      throw RefusedException.wrong(
          20125,
          "'' is not a valid value for expression because the expression cannot be blank",
          fields.at("expression"));
    }
    String mistake = expressions.mistake(expression, false);
    if (mistake != null) {
      String shown = expression.length() > 200 ? expression.substring(0, 200) + "..." : expression;
      String why =
          mistake.startsWith("Filter parsing error")
              ? "could not parse filter expression: " + mistake
              : mistake;
      throw RefusedException.wrong(
          20127,
          "'" + shown + "' is not a valid value for expression because " + why,
          fields.at("expression"));
    }
  }
}
