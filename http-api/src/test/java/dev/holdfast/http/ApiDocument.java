package dev.holdfast.http;

import com.networknt.schema.Error;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.holdfast.http.internal.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI document that is served, as a judge of answers. */
final class ApiDocument {

  private static final JsonNode DOCUMENT = Json.read(HttpApi.openApi());
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
  private static final Map<String, com.networknt.schema.Schema> SCHEMAS = new ConcurrentHashMap<>();

  private ApiDocument() {}

  static JsonNode document() {
    return DOCUMENT;
  }

  /** What is wrong with an answer; empty if nothing is. */
  static List<String> mistakes(String method, String path, int status, String body) {
    String template = template(path);
    JsonNode operation =
        template == null
            ? null
            : DOCUMENT.get("paths").get(template).get(method.toLowerCase(Locale.ROOT));
    JsonNode responses = operation == null ? null : operation.get("responses");
    boolean known = responses != null && responses.has(String.valueOf(status));
    if (status < 300 && !known) {
      return List.of(method + " " + path + " may not answer " + status);
    }
    if (status == 204) {
      return body.isEmpty() ? List.of() : List.of("204 with a body");
    }
    String name = known && status < 300 ? method + template : "failure";
    JsonNode schema =
        responses == null || !known || status >= 300
            ? Json.object().put("$ref", "#/components/schemas/Failure")
            : responses.get(String.valueOf(status)).at("/content/application~1json/schema");
    return SCHEMAS.computeIfAbsent(name, key -> schema(schema)).validate(Json.read(body)).stream()
        .map(Error::toString)
        .toList();
  }

  /** What is wrong with a value of a schema; empty if nothing is. */
  static List<String> mistakesOf(JsonNode schema, JsonNode value) {
    return schema(schema).validate(value).stream().map(Error::toString).toList();
  }

  /** Whether the full validator accepts a value of a schema. */
  static Predicate<JsonNode> judge(JsonNode schema) {
    com.networknt.schema.Schema compiled = schema(schema);
    return value -> compiled.validate(value).isEmpty();
  }

  private static com.networknt.schema.Schema schema(JsonNode schema) {
    ObjectNode root = Json.object();
    root.putArray("allOf").add(schema);
    root.set("components", DOCUMENT.get("components"));
    return REGISTRY.getSchema(root);
  }

  /** The path of the document that a path is one of; null if there is none. */
  private static @Nullable String template(String path) {
    String[] segments =
        path.replaceFirst("\\?.*", "")
            .replace("/page_shield", "/page_monitor")
            .replaceFirst("^.*?/v4/", "/")
            .split("/", -1);
    String found = null;
    for (String candidate : DOCUMENT.get("paths").propertyNames()) {
      // Of two the one with a word where the other has an identifier.
      if (matches(candidate.split("/", -1), segments)
          && (found == null || candidate.indexOf('{', 18) > found.indexOf('{', 18))) {
        found = candidate;
      }
    }
    return found;
  }

  private static boolean matches(String[] template, String[] segments) {
    if (template.length != segments.length) {
      return false;
    }
    for (int i = 0; i < template.length; i++) {
      if (!template[i].startsWith("{") && !template[i].equals(segments[i])) {
        return false;
      }
    }
    return true;
  }
}
