package dev.holdfast.http.internal.json;

import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The members of an object in a document. Reading a member that is missing, or of another type,
 * throws an error that points at it.
 *
 * @param tree the object
 * @param pointer its position in the body, as a JSON pointer
 */
public record Fields(ObjectNode tree, String pointer) {

  /**
   * {@return the members of a document}
   *
   * @param body an object
   * @throws RefusedException if it is something else
   */
  public static Fields of(JsonNode body) {
    if (!body.isObject()) {
      throw RefusedException.invalidJson("expected an object", "");
    }
    return new Fields((ObjectNode) body, "");
  }

  /**
   * {@return the members of each object in an array}
   *
   * @param body an array of objects
   */
  public static List<Fields> listOf(JsonNode body) {
    return listOf(body, "");
  }

  /**
   * {@return the members of each object in an array}
   *
   * @param array an array of objects
   * @param pointer its position in the document, as a JSON pointer
   * @throws RefusedException if it is something else
   */
  public static List<Fields> listOf(JsonNode array, String pointer) {
    if (!array.isArray()) {
      throw RefusedException.invalidJson("expected an array", pointer);
    }
    List<Fields> items = new ArrayList<>(array.size());
    for (JsonNode item : array) {
      String at = pointer + "/" + items.size();
      if (!item.isObject()) {
        throw RefusedException.invalidJson("expected an object", at);
      }
      items.add(new Fields((ObjectNode) item, at));
    }
    return items;
  }

  /**
   * {@return whether a member is present and is not null}
   *
   * @param name the member
   */
  public boolean has(String name) {
    return present(name) != null;
  }

  /**
   * {@return a member, or null if it is missing or is null}
   *
   * @param name the member
   */
  public @Nullable JsonNode present(String name) {
    JsonNode value = tree.get(name);
    return value == null || value.isNull() ? null : value;
  }

  /**
   * {@return a member of any type}
   *
   * @param name the member
   * @throws RefusedException if it is missing
   */
  public JsonNode required(String name) {
    JsonNode value = present(name);
    if (value == null) {
      throw RefusedException.invalidJson("missing field \"" + name + "\"", at(name));
    }
    return value;
  }

  /**
   * {@return a string}
   *
   * @param name the member
   * @throws RefusedException if it is missing
   */
  public String text(String name) {
    required(name);
    return Objects.requireNonNull(optionalText(name));
  }

  /**
   * {@return a string, or null if it is missing}
   *
   * @param name the member
   */
  public @Nullable String optionalText(String name) {
    JsonNode value = present(name);
    return value == null ? null : typed(name, value, value.isString(), "a string").stringValue();
  }

  /**
   * {@return a string}
   *
   * @param name the member
   * @param otherwise the value if it is missing
   */
  public String text(String name, String otherwise) {
    return Objects.requireNonNullElse(optionalText(name), otherwise);
  }

  /**
   * {@return a boolean}
   *
   * @param name the member
   * @param otherwise the value if it is missing
   */
  public boolean flag(String name, boolean otherwise) {
    JsonNode value = present(name);
    return value == null
        ? otherwise
        : typed(name, value, value.isBoolean(), "a boolean").booleanValue();
  }

  /**
   * {@return a whole number, or null if it is missing}
   *
   * @param name the member
   */
  public @Nullable Long number(String name) {
    JsonNode value = present(name);
    return value == null
        ? null
        : (Long) typed(name, value, value.canConvertToLong(), "a whole number").longValue();
  }

  /**
   * {@return the strings of an array; none if it is missing}
   *
   * @param name the member
   */
  public List<String> texts(String name) {
    JsonNode value = present(name);
    return value == null ? List.of() : value.valueStream().map(JsonNode::stringValue).toList();
  }

  /**
   * {@return the members of an object, or null if it is missing}
   *
   * @param name the member
   */
  public @Nullable Fields object(String name) {
    JsonNode value = present(name);
    return value == null
        ? null
        : new Fields((ObjectNode) typed(name, value, value.isObject(), "an object"), at(name));
  }

  /**
   * {@return the objects of an array; none if it is missing}
   *
   * @param name the member
   */
  public List<Fields> objects(String name) {
    JsonNode value = present(name);
    return value == null ? List.of() : listOf(value, at(name));
  }

  private JsonNode typed(String name, JsonNode value, boolean isRight, String type) {
    if (!isRight) {
      throw RefusedException.invalidJson("expected " + type + " for \"" + name + "\"", at(name));
    }
    return value;
  }

  /**
   * {@return the JSON pointer of a member}
   *
   * @param name the member
   */
  public String at(String name) {
    return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
  }
}
