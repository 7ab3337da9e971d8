package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.internal.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The document knows all that the published client can send. */
class ClientRequestsTest {

  private static Map<String, JsonNode> operations() {
    Map<String, JsonNode> operations = new HashMap<>();
    for (JsonNode path : ApiDocument.document().get("paths")) {
      for (JsonNode method : path) {
        operations.put(method.path("operationId").asString(""), method);
      }
    }
    return operations;
  }

  @Test
  void everyMemberOfTheRequestTypesOfThePublishedClientIsKnown() {
    Map<String, JsonNode> operations = operations();
    List<String> unknown = new ArrayList<>();
    List<String> targets = List.of();
    int checked = 0;
    String requests =
        Json.resource(ClientRequestsTest.class.getResourceAsStream("client-requests.txt"));
    for (String line : requests.lines().toList()) {
      if (line.startsWith("[")) {
        targets = List.of(line.substring(1, line.length() - 1).split(", ", -1));
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        for (String target : targets) {
          String[] parts = target.split("/", 2);
          JsonNode operation = operations.get(parts[0]);
          checked++;
          if (!isKnown(operation, line, parts.length == 1 ? "" : "/" + parts[1])) {
            unknown.add(target + " " + line);
          }
        }
      }
    }

    assertThat(unknown).isEmpty();
    assertThat(checked).isGreaterThan(1_000);
  }

  private static boolean isKnown(JsonNode operation, String line, String place) {
    if (line.startsWith("?")) {
      return operation
          .path("parameters")
          .valueStream()
          .anyMatch(one -> one.path("name").asString("").equals(line.substring(1)));
    }
    JsonNode schema = operation.at("/requestBody/content/application~1json/schema");
    String[] members = (place + line).substring(1).split("/", -1);
    return isKnown(schema, List.of(members));
  }

  private static boolean isKnown(JsonNode schema, List<String> members) {
    if (schema.has("$ref")) {
      String reference = schema.get("$ref").stringValue();
      return isKnown(ApiDocument.document().at(reference.substring(1)), members);
    }
    if (members.isEmpty()) {
      return true;
    }
    String name = members.getFirst();
    List<String> rest = members.subList(1, members.size());
    if (name.equals("[]")) {
      return schema.has("items") ? isKnown(schema.get("items"), rest) : isOpen(schema, "array");
    }
    if (schema.has("items")) {
      // The types of the client have one object where the documentation has an array of them.
      return isKnown(schema.get("items"), members);
    }
    if (schema.path("properties").has(name)) {
      return isKnown(schema.get("properties").get(name), rest);
    }
    JsonNode others = schema.path("additionalProperties");
    return others.isObject()
        ? isKnown(others, rest)
        : others.asBoolean(true) && isOpen(schema, "object");
  }

  /** Whether a value of a type may have any content. */
  private static boolean isOpen(JsonNode schema, String type) {
    JsonNode types = schema.path("type");
    return types.isMissingNode()
        || types.asString("").equals(type)
        || types.valueStream().anyMatch(one -> one.stringValue().equals(type));
  }
}
