package dev.holdfast.http.internal.json;

import dev.holdfast.http.internal.error.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The members of an object in a request's body, whose schema has accepted it. Reading a member that
 * is missing throws an error that points at it.
 *
 * @param tree the object
 * @param pointer its position in the body, as a JSON pointer
 */
public record Fields(ObjectNode tree, String pointer) {

  /**
   * {@return the members of a body}
   *
   * @param body an object
   */
  public static Fields of(JsonNode body) {
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

  private static List<Fields> listOf(JsonNode array, String pointer) {
    List<Fields> items = new ArrayList<>(array.size());
    array.forEach(item -> items.add(new Fields((ObjectNode) item, pointer + "/" + items.size())));
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
   * @throws ApiException if it is missing
   */
  public JsonNode required(String name) {
    JsonNode value = present(name);
    if (value == null) {
      throw ApiException.invalidJson("missing field \"" + name + "\"", at(name));
    }
    return value;
  }

  /**
   * {@return a string}
   *
   * @param name the member
   * @throws ApiException if it is missing
   */
  public String text(String name) {
    return required(name).stringValue();
  }

  /**
   * {@return a string, or null if it is missing}
   *
   * @param name the member
   */
  public @Nullable String optionalText(String name) {
    JsonNode value = present(name);
    return value == null ? null : value.stringValue();
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
    return value == null ? otherwise : value.booleanValue();
  }

  /**
   * {@return a whole number, or null if it is missing}
   *
   * @param name the member
   */
  public @Nullable Long number(String name) {
    JsonNode value = present(name);
    return value == null ? null : value.longValue();
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
    return value == null ? null : new Fields((ObjectNode) value, at(name));
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

  /**
   * {@return the JSON pointer of a member}
   *
   * @param name the member
   */
  public String at(String name) {
    return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
  }
}
