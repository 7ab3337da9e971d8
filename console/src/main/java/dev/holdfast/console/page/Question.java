package dev.holdfast.console.page;

import java.util.List;

/**
 * Asks before something is changed. Immutable.
 *
 * @param frame what surrounds it
 * @param action the change
 * @param address which object
 * @param fields what the change is made with
 */
public record Question(
    PageFrame frame, ObjectAction action, OneObject.Address address, List<Field> fields) {

  /**
   * What a change is made with.
   *
   * @param name the name of the argument
   * @param value its value
   */
  public record Field(String name, String value) {

    /** {@return whether a person has typed it, as a text of lines} */
    public boolean isTyped() {
      return name.equals("value") || name.equals("sql");
    }

    /** {@return the name for a person} */
    public String label() {
      return switch (name) {
        case "bookmark" -> "State";
        case "key" -> "Key";
        case "value" -> "Value";
        case "type" -> "Type";
        case "sql" -> "Statement";
        case "alarm" -> "Alarm";
        default -> "Time";
      };
    }
  }

  /**
   * {@return what the change is about as the query of an address: in a form, a browser would change
   * the ends of lines}
   */
  public String query() {
    StringBuilder query = new StringBuilder("action=" + action.verb() + "&" + address.query());
    fields.stream()
        .filter(each -> !each.isTyped())
        .forEach(each -> query.append('&' + each.name() + '=' + Text.query(each.value())));
    return query.toString();
  }
}
