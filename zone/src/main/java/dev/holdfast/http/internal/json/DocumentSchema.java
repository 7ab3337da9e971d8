package dev.holdfast.http.internal.json;

import dev.holdfast.http.object.RefusedException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Judges documents by schemas of an OpenAPI document: members, types, words, ranges and lengths at
 * every depth. Knows the keywords of JSON Schema that these schemas have. {@code x-error} is the
 * code and the text of an error for a wrong word. Thread-safe.
 *
 * @param parts returns the part of the OpenAPI document to which a reference leads
 */
public record DocumentSchema(Function<String, JsonNode> parts) {

  private static final int WRONG_BODY = 10002;

  /** The patterns of the OpenAPI document, so there are few. */
  private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();

  /**
   * Checks a document.
   *
   * @param schema its schema
   * @param document the document
   * @throws RefusedException with the first mistake
   */
  public void check(JsonNode schema, JsonNode document) {
    check(schema, document, "", "");
  }

  private void check(JsonNode reference, JsonNode value, String name, String pointer) {
    JsonNode schema = resolved(reference);
    if (!isOfType(schema.path("type"), value)) {
      String reason = value.isNull() ? missing(name) : expected(schema, name);
      throw RefusedException.invalidJson(reason, pointer);
    }
    checkWord(schema, value, name, pointer);
    if (value.isString()) {
      String text = value.stringValue();
      int length = text.codePointCount(0, text.length());
      checkRange(schema, "Length", length, () -> tooLong(schema, name), pointer);
    } else if (value.isNumber()) {
      checkRange(schema, "imum", value.asLong(0), () -> expected(schema, name), pointer);
    } else if (value.isArray()) {
      int size = value.size();
      checkRange(schema, "Items", size, () -> expected(schema, name) + ", got " + size, pointer);
      for (int i = 0; i < value.size(); i++) {
        check(schema.path("items"), value.get(i), name, pointer + "/" + i);
      }
    } else if (value instanceof ObjectNode object) {
      checkMembers(schema, new Fields(object, pointer));
    }
  }

  private void checkMembers(JsonNode schema, Fields fields) {
    JsonNode properties = schema.path("properties");
    JsonNode others = schema.path("additionalProperties");
    for (String name : fields.tree().propertyNames()) {
      if (others.isBoolean() && !properties.has(name)) {
        throw RefusedException.invalidJson("unknown field \"" + name + "\"", fields.at(name));
      }
    }
    for (JsonNode name : schema.path("required")) {
      if (!fields.tree().has(name.stringValue())) {
        throw RefusedException.invalidJson(
            missing(name.stringValue()), fields.at(name.stringValue()));
      }
    }
    int size = fields.tree().size();
    checkRange(schema, "Properties", size, () -> "too many members: " + size, fields.pointer());
    for (Map.Entry<String, JsonNode> member : fields.tree().properties()) {
      String name = member.getKey();
      JsonNode of = properties.has(name) ? properties.get(name) : others;
      check(of, member.getValue(), name, fields.at(name));
    }
  }

  /** Follows a reference. */
  private JsonNode resolved(JsonNode schema) {
    return schema.has("$ref") ? resolved(parts.apply(schema.get("$ref").stringValue())) : schema;
  }

  private static boolean isOfType(JsonNode type, JsonNode value) {
    if (type.isArray()) {
      return type.valueStream().anyMatch(one -> isOfType(one, value));
    }
    return switch (type.asString("")) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isString();
      case "boolean" -> value.isBoolean();
      case "integer" -> value.isIntegralNumber() && value.canConvertToLong();
      case "null" -> value.isNull();
      default -> true;
    };
  }

  private static void checkWord(JsonNode schema, JsonNode value, String name, String pointer) {
    JsonNode words = schema.path("enum");
    boolean isWrong =
        (words.isArray() && words.valueStream().noneMatch(value::equals))
            || (value.isString()
                && schema.has("pattern")
                && !PATTERNS
                    .computeIfAbsent(schema.get("pattern").stringValue(), Pattern::compile)
                    .matcher(value.stringValue())
                    .find());
    if (isWrong) {
      JsonNode error = schema.path("x-error");
      String message =
          error
              .path("message")
              .asString("unknown variant for " + name + ": %s")
              .replace("%s", value.asString(""));
      int code = error.path("code").asInt(WRONG_BODY);
      throw code == WRONG_BODY
          ? RefusedException.invalidJson(message, pointer)
          : RefusedException.wrong(code, message, pointer);
    }
  }

  private static void checkRange(
      JsonNode schema, String of, long value, Supplier<String> reason, String pointer) {
    if (value < schema.path("min" + of).asLong(Long.MIN_VALUE)
        || value > schema.path("max" + of).asLong(Long.MAX_VALUE)) {
      throw RefusedException.invalidJson(reason.get(), pointer);
    }
  }

  private static String missing(String name) {
    return "missing field \"" + name + "\"";
  }

  private static String tooLong(JsonNode schema, String name) {
    return "\"" + name + "\" is longer than " + schema.get("maxLength") + " characters";
  }

  private static String expected(JsonNode schema, String name) {
    JsonNode type = schema.path("type").isArray() ? schema.at("/type/0") : schema.path("type");
    String of = name.isEmpty() ? "" : " for \"" + name + "\"";
    return "expected "
        + switch (type.asString("")) {
          case "array" -> "an array of" + range(schema, " ", "Items") + " items" + of;
          case "integer" -> "a whole number" + range(schema, " from ", "imum") + of;
          case "object" -> "an object";
          default -> "a " + type.asString("") + of;
        };
  }

  private static String range(JsonNode schema, String from, String of) {
    return !schema.has("max" + of)
        ? ""
        : (schema.has("min" + of) ? from + schema.get("min" + of) + " to " : " at most ")
            + schema.get("max" + of);
  }
}
