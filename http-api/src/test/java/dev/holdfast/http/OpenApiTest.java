package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.http.internal.call.BodySchema;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Permission;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Answers are judged by the document in every test that uses {@link ApiFixture}. */
class OpenApiTest {

  private static final Set<String> WITHOUT_CREDENTIAL =
      Set.of(
          "get /healthz",
          "post /cdn-cgi/script_monitor/report",
          "options /cdn-cgi/script_monitor/report");

  private record Operation(String name, JsonNode tree) {}

  private static List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : ApiDocument.document().get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        if (!method.getKey().equals("servers")) {
          operations.add(
              new Operation(
                  method.getKey() + " " + path.getKey().replaceAll("\\{[a-z_]+}", "{}"),
                  method.getValue()));
        }
      }
    }
    return operations;
  }

  @Test
  void theDocumentHasEveryEndpointWithItsPermissionAndNoOther() {
    Map<String, String> documented = new TreeMap<>();
    for (Operation operation : operations()) {
      if (!WITHOUT_CREDENTIAL.contains(operation.name())) {
        documented.put(
            operation.name(),
            operation.tree().get("operationId").stringValue()
                + " "
                + operation.tree().get("x-permission").asString("none")
                + (operation.tree().has("x-proxy") ? " proxy" : ""));
      }
    }
    Map<String, String> served = new TreeMap<>();
    for (Endpoint endpoint : Endpoint.values()) {
      Permission permission = endpoint.permission();
      served.put(
          endpoint.method().toLowerCase(Locale.ROOT) + " " + endpoint.path(),
          endpoint.name().toLowerCase(Locale.ROOT)
              + " "
              + (permission == null ? "none" : permission.name().toLowerCase(Locale.ROOT))
              + (endpoint.isForProxies() ? " proxy" : ""));
    }

    assertThat(documented).isEqualTo(served);
  }

  @Test
  void everyBodyHasAnExampleThatItsSchemaAccepts() {
    List<String> wrong = new ArrayList<>();
    int examples = 0;
    for (Operation operation : operations()) {
      List<JsonNode> bodies = new ArrayList<>();
      operation.tree().path("requestBody").path("content").forEach(bodies::add);
      for (JsonNode response : operation.tree().get("responses")) {
        JsonNode whole =
            response.has("$ref")
                ? ApiDocument.document().at(response.get("$ref").stringValue().substring(1))
                : response;
        whole.path("content").forEach(bodies::add);
      }
      for (JsonNode body : bodies) {
        examples++;
        if (!body.has("example") || !body.get("schema").isObject()) {
          wrong.add(operation.name() + " lacks an example or a schema");
        } else {
          ApiDocument.mistakesOf(body.get("schema"), body.get("example"))
              .forEach(mistake -> wrong.add(operation.name() + ": " + mistake));
        }
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(examples).isGreaterThan(500);
  }

  @Test
  void unknownMembersAreRefusedAtEveryDepth() {
    assertThat(pointer(Endpoint.UPDATE_ENTRY_POINT, "{'rules':[{'logging':{'on':true}}]}"))
        .isEqualTo("/rules/0/logging/on");
    assertThat(pointer(Endpoint.ADD_RULESET_RULE, "{'ratelimit':{'perriod':1}}"))
        .isEqualTo("/ratelimit/perriod");
    assertThat(
            pointer(
                Endpoint.UPDATE_RULESET,
                "{'rules':[{'action_parameters':{'overrides':{'rules':[{'idd':''}]}}}]}"))
        .isEqualTo("/rules/0/action_parameters/overrides/rules/0/idd");
    assertThat(pointer(Endpoint.CREATE_RULES, "[{'filter':{'expresion':''}}]"))
        .isEqualTo("/0/filter/expresion");
    assertThat(pointer(Endpoint.CREATE_RULES, "{'aktion':''}")).isEqualTo("/aktion");
    BodySchema.check(Endpoint.CREATE_RULES, Json.read("[{\"action\":\"block\"}]"));
  }

  private static @Nullable String pointer(Endpoint endpoint, String body) {
    JsonNode tree = Json.read(body.replace('\'', '"'));
    ApiException refused =
        catchThrowableOfType(ApiException.class, () -> BodySchema.check(endpoint, tree));
    return refused.errors().getFirst().pointer();
  }

  @Test
  void aWrongAnswerIsNoticed() {
    String path = "/client/v4/zones/" + "0".repeat(32) + "/page_monitor";
    String right =
        "{\"result\":{\"enabled\":true,\"updated_at\":\"2026-01-01T00:00:00Z\","
            + "\"use_vendor_reporting_endpoint\":true,\"use_cloudflare_reporting_endpoint\":true,"
            + "\"use_connection_url_path\":false},\"success\":true,\"errors\":[],\"messages\":[]}";

    assertThat(ApiDocument.mistakes("GET", path, 200, right)).isEmpty();
    assertThat(ApiDocument.mistakes("GET", path, 200, right.replace("enabled", "on"))).isNotEmpty();
    assertThat(ApiDocument.mistakes("GET", path, 404, "{\"errors\":[]}")).isNotEmpty();
  }
}
