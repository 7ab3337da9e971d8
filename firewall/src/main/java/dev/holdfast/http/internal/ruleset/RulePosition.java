package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * The position of a rule that is added or changed: {@code before} or {@code after} another one,
 * where an empty id means the beginning or the end, or to an {@code index} from 1.
 */
final class RulePosition {

  static final String FIELD = "position";

  private RulePosition() {}

  /**
   * {@return the rules with one added or moved; without a position, a moved rule stays in place}
   */
  static List<ObjectNode> place(Collection<ObjectNode> rules, ObjectNode rule, Fields fields) {
    Fields position = fields.object(FIELD);
    List<ObjectNode> placed = new ArrayList<>(rules);
    int old = indexOf(placed, rule.get("id").stringValue());
    if (old >= 0) {
      placed.remove(old);
    }
    int same = old < 0 ? placed.size() : old;
    placed.add(position == null ? same : index(placed, position), rule);
    return placed;
  }

  private static int index(List<ObjectNode> others, Fields position) {
    if (position.tree().size() != 1) {
      throw RefusedException.invalidJson(
          "expected one of before, after and index", position.pointer());
    }
    Long index = position.number("index");
    if (index != null && index >= 1 && index <= others.size() + 1L) {
      return (int) (index - 1);
    }
    if (index != null) {
      throw RefusedException.invalidJson(
          "expected a whole number from 1 to " + (others.size() + 1) + " for \"index\"",
          position.at("index"));
    }
    boolean before = position.has("before");
    String name = before ? "before" : "after";
    String id = position.text(name);
    if (id.isEmpty()) {
      return before ? 0 : others.size();
    }
    int other = indexOf(others, id);
    if (other < 0) {
      throw RefusedException.invalidJson("no other rule has the id " + id, position.at(name));
    }
    return before ? other : other + 1;
  }

  private static int indexOf(List<ObjectNode> rules, String id) {
    return rules.stream().map(rule -> rule.get("id").stringValue()).toList().indexOf(id);
  }
}
