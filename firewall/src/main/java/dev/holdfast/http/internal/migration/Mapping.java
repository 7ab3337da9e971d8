package dev.holdfast.http.internal.migration;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.internal.firewall.Rules.Summary;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.migration.LegacyConfiguration.Effect;
import dev.holdfast.http.internal.migration.LegacyConfiguration.PageRule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Maps the previous configuration to an entry point ruleset: a pure function. Numbers in comments
 * are those of the documented mapping rules. Where the documents contradict themselves (rule 4 sets
 * paranoia level 2, the table of rule 1 has level 1 for two rows), the table applies.
 */
final class Mapping {

  static final String MANAGED_RULESET = "efb7b8c949ac4650a09736fc376e9aee";
  static final String CORE_RULESET = "4814384a9e5d4991b9815dcfc25d2f1f";
  static final String CORE_SCORE_RULE = "6179ae15870a4bb7b2d480d4843b323c";

  static final String BYPASS = "Bypassed by a firewall rule";
  private static final String PAGE_RULE = "Switched off by a page rule";
  private static final String OR = " or ";

  private Mapping() {}

  /** {@return whether no rule of a ruleset may have an expression} */
  static boolean isTooLong(String expression) {
    return expression.getBytes(StandardCharsets.UTF_8).length > FilterExpression.LENGTH_BYTES_MAX;
  }

  static ObjectNode entryPoint(LegacyConfiguration old) {
    ObjectNode entryPoint = Json.object().put("name", "default");
    ArrayNode rules = entryPoint.putArray("rules");
    addExceptions(old, rules);
    // 8: there is no global switch; a separate rule deploys each ruleset.
    for (String where : whereOn(old)) {
      if (old.managedEnabled()) {
        rules.add(executeManaged(old, where));
      }
      if (old.sensitivity() != Sensitivity.OFF) {
        rules.add(executeCore(old, where));
      }
    }
    return entryPoint;
  }

  /**
   * 5 and 7: a condition that switched the old rules off becomes an exception, before all other
   * rules.
   */
  private static void addExceptions(LegacyConfiguration old, ArrayNode rules) {
    for (Summary rule : old.firewallRules()) {
      if (rule.bypassesWaf()) {
        rules.add(skip(rule.expression(), BYPASS));
      }
    }
    StringBuilder on = new StringBuilder();
    for (PageRule rule : old.pageRules()) {
      String where = expression(rule.url());
      switch (rule.effect()) {
        case DISABLE_SECURITY -> rules.add(skip(where, PAGE_RULE));
        // Of the page rules that switch the old rules off or on, the first match applies.
        case WAF_OFF ->
            rules.add(skip(on.isEmpty() ? where : where + " and not (" + on + ")", PAGE_RULE));
        case WAF_ON -> {
          // A condition that is too long for an expression is refused unchanged: without this
          // bound, each of thousands of rules would repeat thousands.
          if (on.length() <= FilterExpression.LENGTH_BYTES_MAX) {
            on.append(on.isEmpty() ? "" : OR).append(where);
          }
        }
      }
    }
  }

  /**
   * 5: where the old rules ran: everywhere, or only where page rules had switched them on. Returns
   * as many expressions as needed so that none is too long.
   */
  private static List<String> whereOn(LegacyConfiguration old) {
    if (old.wafEnabled()) {
      return List.of("true");
    }
    List<String> all = new ArrayList<>();
    StringBuilder one = new StringBuilder();
    for (PageRule rule : old.pageRules()) {
      if (rule.effect() == Effect.WAF_ON) {
        String next = expression(rule.url());
        // URLs of page rules are ASCII: one character is one byte.
        if (!one.isEmpty()
            && one.length() + OR.length() + next.length() > FilterExpression.LENGTH_BYTES_MAX) {
          all.add(one.toString());
          one.setLength(0);
        }
        one.append(one.isEmpty() ? "" : OR).append(next);
      }
    }
    if (!one.isEmpty()) {
      all.add(one.toString());
    }
    return all;
  }

  private static ObjectNode executeManaged(LegacyConfiguration old, String where) {
    ObjectNode rule = execute(MANAGED_RULESET, where);
    if (!old.managedModes().isEmpty()) {
      ArrayNode overrides =
          ((ObjectNode) rule.get("action_parameters")).putObject("overrides").putArray("rules");
      for (Map.Entry<String, String> mode : new TreeMap<>(old.managedModes()).entrySet()) {
        ObjectNode override = overrides.addObject().put("id", mode.getKey());
        if (mode.getValue().equals("disable")) {
          override.put("enabled", false);
        } else {
          override.put("action", action(mode.getValue())).put("enabled", true);
        }
      }
    }
    return rule;
  }

  /** 3: overrides of groups and rules of the core rule set are not migrated. 6: some is lost. */
  private static ObjectNode executeCore(LegacyConfiguration old, String where) {
    ObjectNode rule = execute(CORE_RULESET, where);
    ObjectNode overrides = ((ObjectNode) rule.get("action_parameters")).putObject("overrides");
    ArrayNode categories = overrides.putArray("categories");
    // 1 and 4: the paranoia level results from switching off the levels above it.
    for (int level : old.sensitivity().levelsOff()) {
      categories.addObject().put("category", "paranoia-level-" + level).put("enabled", false);
    }
    overrides
        .putArray("rules")
        .addObject()
        .put("id", CORE_SCORE_RULE)
        .put("action", action(old.actionMode()))
        .put("score_threshold", old.sensitivity().scoreThreshold())
        .put("enabled", true);
    return rule;
  }

  /** 2: the action is the same except for one name. */
  private static String action(String old) {
    return old.equals("simulate") ? "log" : old;
  }

  private static ObjectNode execute(String ruleset, String where) {
    ObjectNode rule = rule("execute", where, "");
    rule.putObject("action_parameters").put("id", ruleset);
    return rule;
  }

  private static ObjectNode skip(String where, String description) {
    ObjectNode rule = rule("skip", where, description);
    rule.putObject("action_parameters").put("ruleset", "current");
    return rule;
  }

  private static ObjectNode rule(String action, String where, String description) {
    return Json.object()
        .put("id", "")
        .put("version", "")
        .put("action", action)
        .put("expression", where)
        .put("description", description)
        .put("ref", "")
        .put("enabled", true);
  }

  /**
   * A page rule's URL without a scheme applies to both. A star in the scheme is always replaced: it
   * would match a URL up to a "://" in its query, which an attacker can insert.
   */
  private static String expression(String url) {
    int end = url.indexOf("://");
    boolean hasScheme = end >= 0 && url.substring(0, end).matches("[A-Za-z*]*");
    String scheme = hasScheme ? url.substring(0, end).toLowerCase(Locale.ROOT) : "*";
    String rest = hasScheme ? url.substring(end + 3) : url;
    String schemes = scheme.replaceAll("\\*+", ".*");
    List<String> alternatives = new ArrayList<>();
    for (String one : List.of("http", "https")) {
      if (one.matches(schemes)) {
        alternatives.add("http.request.full_uri wildcard " + quoted(one + "://" + rest));
      }
    }
    return alternatives.isEmpty() ? "false" : "(" + String.join(OR, alternatives) + ")";
  }

  /** Two stars mean the same as one. */
  private static String quoted(String url) {
    String pattern = url.replace("\\", "\\\\").replaceAll("\\*+", "*");
    return "\"" + pattern.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
