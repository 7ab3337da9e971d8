package dev.holdfast.http.internal.call;

import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.endpoint.OpenApi;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.RefusedException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Judges the bodies of requests by their schemas in the OpenAPI document: members, types, words,
 * ranges and lengths at every depth. Knows the keywords of JSON Schema that these schemas have.
 * {@code x-error} is the code and the text of an error for a wrong word. Stateless.
 */
public final class BodySchema {

  private static final int WRONG_BODY = 10002;

  /** Those of the document, so there are few. */
  private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();

  private BodySchema() {}

  /**
   * Reads a body.
   *
   * @param endpoint the operation
   * @param text the body
   * @return its tree
   * @throws ApiException with the first mistake, if it is not JSON or not what the operation takes
   */
  public static JsonNode read(Endpoint endpoint, String text) {
    JsonNode body = Json.readBody(text);
    check(endpoint.bodySchema(), body, "", "");
    return body;
  }

  private static void check(JsonNode reference, JsonNode value, String name, String pointer) {
    JsonNode schema = resolved(reference);
    if (!isOfType(schema.path("type"), value)) {
      String reason = value.isNull() ? missing(name) : expected(schema, name);
      throw RefusedException.invalidJson(reason, pointer);
    }
    checkWord(schema, value, name, pointer);
    if (value.isString()) {
      long lengthMax = schema.path("maxLength").asLong(Long.MAX_VALUE);
      String text = value.stringValue();
      if (text.codePointCount(0, text.length()) > lengthMax) {
        throw RefusedException.invalidJson(
            "\"" + name + "\" is longer than " + lengthMax + " characters", pointer);
      }
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

  private static void checkMembers(JsonNode schema, Fields fields) {
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
  private static JsonNode resolved(JsonNode schema) {
    return schema.has("$ref") ? resolved(OpenApi.part(schema.get("$ref").stringValue())) : schema;
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
