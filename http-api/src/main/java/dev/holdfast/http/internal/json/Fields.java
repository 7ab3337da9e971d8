package dev.holdfast.http.internal.json;

import dev.holdfast.http.internal.error.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The members of an object in a request's body. Reading a member that has the wrong type, or is
 * missing, throws an error that points at it.
 *
 * @param tree the object
 * @param pointer its position in the body, as a JSON pointer
 */
public record Fields(ObjectNode tree, String pointer) {

  /**
   * {@return the members of a body}
   *
   * @param body the body
   * @throws ApiException if it is not an object
   */
  public static Fields of(JsonNode body) {
    return of(body, "");
  }

  /**
   * {@return the members of a part of a body}
   *
   * @param node the part
   * @param pointer its position
   * @throws ApiException if it is not an object
   */
  public static Fields of(JsonNode node, String pointer) {
    if (node instanceof ObjectNode object) {
      return new Fields(object, pointer);
    }
    throw ApiException.invalidJson("expected an object", pointer);
  }

  /**
   * Returns the members of each object in an array.
   *
   * @param body an array of objects; a single object counts as an array of one
   * @param itemsMax the maximum number of objects; at least one is required
   * @return the objects in order
   * @throws ApiException if it is something else
   */
  public static List<Fields> listOf(JsonNode body, int itemsMax) {
    if (body instanceof ObjectNode object) {
      return List.of(new Fields(object, ""));
    }
    if (!(body instanceof ArrayNode array)) {
      throw ApiException.invalidJson("expected an array", "");
    }
    if (array.isEmpty() || array.size() > itemsMax) {
      throw ApiException.invalidJson(
          "expected an array of 1 to " + itemsMax + " items, got " + array.size(), "");
    }
    List<Fields> items = new ArrayList<>(array.size());
    for (JsonNode item : array) {
      items.add(of(item, "/" + items.size()));
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
   * @param lengthMax its maximum length
   * @throws ApiException if it is missing, too long or not a string
   */
  public String text(String name, int lengthMax) {
    return asText(required(name), name, lengthMax);
  }

  /**
   * {@return a string, or null if it is missing}
   *
   * @param name the member
   * @param lengthMax its maximum length
   * @throws ApiException if it is too long or not a string
   */
  public @Nullable String optionalText(String name, int lengthMax) {
    JsonNode value = present(name);
    return value == null ? null : asText(value, name, lengthMax);
  }

  /**
   * {@return one of a set of words}
   *
   * @param name the member
   * @param words the permitted words
   * @throws ApiException if it is missing or something else
   */
  public String word(String name, Set<String> words) {
    String word = text(name, 100);
    if (!words.contains(word)) {
      throw ApiException.invalidJson("unknown variant for " + name + ": " + word, at(name));
    }
    return word;
  }

  /**
   * {@return a boolean}
   *
   * @param name the member
   * @param otherwise the value if it is missing
   * @throws ApiException if it is not a boolean
   */
  public boolean flag(String name, boolean otherwise) {
    JsonNode value = present(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isBoolean()) {
      throw ApiException.invalidJson("expected a boolean for \"" + name + "\"", at(name));
    }
    return value.booleanValue();
  }

  /**
   * {@return a whole number, or null if it is missing}
   *
   * @param name the member
   * @param least the minimum
   * @param most the maximum
   * @throws ApiException if it is not a whole number, or out of its range
   */
  public @Nullable Long number(String name, long least, long most) {
    JsonNode value = present(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.longValue() < least
        || value.longValue() > most) {
      throw ApiException.invalidJson(
          "expected a whole number from " + least + " to " + most + " for \"" + name + "\"",
          at(name));
    }
    return value.longValue();
  }

  /**
   * {@return the strings of an array; none if it is missing}
   *
   * @param name the member
   * @param itemsMax the maximum number of items
   * @param lengthMax the maximum length of each
   * @throws ApiException if it is something else
   */
  public List<String> texts(String name, int itemsMax, int lengthMax) {
    JsonNode value = present(name);
    if (value == null) {
      return List.of();
    }
    if (!value.isArray() || value.size() > itemsMax) {
      throw ApiException.invalidJson(
          "expected an array of at most " + itemsMax + " strings for \"" + name + "\"", at(name));
    }
    List<String> texts = new ArrayList<>(value.size());
    for (JsonNode item : value) {
      texts.add(asText(item, name, lengthMax));
    }
    return texts;
  }

  /**
   * {@return the members of an object, or null if it is missing}
   *
   * @param name the member
   * @throws ApiException if it is not an object
   */
  public @Nullable Fields object(String name) {
    JsonNode value = present(name);
    return value == null ? null : of(value, at(name));
  }

  /**
   * {@return the objects of an array; none if it is missing}
   *
   * @param name the member
   * @param itemsMax the maximum number of items
   * @throws ApiException if it is something else
   */
  public List<Fields> objects(String name, int itemsMax) {
    JsonNode value = present(name);
    if (value == null) {
      return List.of();
    }
    if (!value.isArray() || value.size() > itemsMax) {
      throw ApiException.invalidJson(
          "expected an array of at most " + itemsMax + " objects for \"" + name + "\"", at(name));
    }
    List<Fields> objects = new ArrayList<>(value.size());
    for (JsonNode item : value) {
      objects.add(of(item, at(name) + "/" + objects.size()));
    }
    return objects;
  }

  /**
   * Refuses unknown members.
   *
   * @param known the known names
   * @throws ApiException if there is another member
   */
  public void refuseUnknown(Set<String> known) {
    for (String name : tree.propertyNames()) {
      if (!known.contains(name)) {
        throw ApiException.invalidJson("unknown field \"" + name + "\"", at(name));
      }
    }
  }

  /**
   * {@return the JSON pointer of a member}
   *
   * @param name the member
   */
  public String at(String name) {
    return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
  }

  private String asText(JsonNode value, String name, int lengthMax) {
    if (!value.isString()) {
      throw ApiException.invalidJson("expected a string for \"" + name + "\"", at(name));
    }
    String text = value.stringValue();
    if (text.length() > lengthMax) {
      throw ApiException.invalidJson(
          "\"" + name + "\" is longer than " + lengthMax + " characters", at(name));
    }
    return text;
  }
}
