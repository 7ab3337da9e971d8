package dev.holdfast.http.internal.call;

import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The members that the body of each request may have, at every depth: those of its schema in the
 * OpenAPI document. Others are refused: a misspelt member would otherwise be left out silently. The
 * types of members are checked where they are read. Stateless.
 */
public final class BodySchema {

  private static final String TEXT = read();
  private static final JsonNode DOCUMENT = Json.read(TEXT);
  private static final Map<Endpoint, JsonNode> SCHEMAS = schemas();

  private BodySchema() {}

  /** {@return the OpenAPI document} */
  public static String document() {
    return TEXT;
  }

  private static String read() {
    try (InputStream document =
        BodySchema.class.getResourceAsStream("/dev/holdfast/http/openapi.json")) {
      return new String(
          Objects.requireNonNull(document, "openapi.json").readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Checks the members of a body.
   *
   * @param endpoint the operation
   * @param body the body
   * @throws dev.holdfast.http.internal.error.ApiException if it has a member that the schema of the
   *     operation does not have
   */
  public static void check(Endpoint endpoint, JsonNode body) {
    JsonNode schema = SCHEMAS.get(endpoint);
    if (schema != null) {
      check(schema, body, "");
    }
  }

  private static void check(JsonNode reference, JsonNode value, String pointer) {
    JsonNode schema = resolved(reference, value);
    JsonNode properties = schema.path("properties");
    if (value instanceof ObjectNode object) {
      Fields fields = new Fields(object, pointer);
      if (schema.has("additionalProperties")) {
        Set<String> known = new HashSet<>(properties.propertyNames());
        fields.refuseUnknown(known);
      }
      for (Map.Entry<String, JsonNode> member : properties.properties()) {
        JsonNode of = object.get(member.getKey());
        if (of != null) {
          check(member.getValue(), of, fields.at(member.getKey()));
        }
      }
    } else if (value.isArray() && schema.has("items")) {
      for (int i = 0; i < value.size(); i++) {
        check(schema.get("items"), value.get(i), pointer + "/" + i);
      }
    }
  }

  /** Follows a reference; of two alternatives, the first is for arrays. */
  private static JsonNode resolved(JsonNode schema, JsonNode value) {
    if (schema.has("$ref")) {
      return resolved(DOCUMENT.at(schema.get("$ref").stringValue().substring(1)), value);
    }
    if (schema.has("oneOf")) {
      return resolved(schema.get("oneOf").get(value.isArray() ? 0 : 1), value);
    }
    return schema;
  }

  private static Map<Endpoint, JsonNode> schemas() {
    Map<String, JsonNode> byName = new HashMap<>();
    for (JsonNode path : DOCUMENT.get("paths")) {
      for (JsonNode operation : path) {
        JsonNode schema = operation.at("/requestBody/content/application~1json/schema");
        if (operation.has("operationId") && !schema.isMissingNode()) {
          byName.put(operation.get("operationId").stringValue().toUpperCase(Locale.ROOT), schema);
        }
      }
    }
    Map<Endpoint, JsonNode> schemas = new EnumMap<>(Endpoint.class);
    for (Endpoint endpoint : Endpoint.values()) {
      JsonNode schema = byName.get(endpoint.name());
      if (schema != null) {
        schemas.put(endpoint, schema);
      }
    }
    return schemas;
  }
}
