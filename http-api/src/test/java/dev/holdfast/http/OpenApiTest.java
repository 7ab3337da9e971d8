package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.http.call.ZoneCall;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers are judged by the document in every test that uses {@link ApiFixture}. */
class OpenApiTest {

  private static final Set<String> WITHOUT_CREDENTIAL =
      Set.of(
          "get /healthz",
          "get /metrics",
          "post /cdn-cgi/script_monitor/report",
          "options /cdn-cgi/script_monitor/report");

  private static final int TRIES =
      "long".equals(System.getProperty("holdfast.tests")) ? 5_000 : 100;

  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "'true'",
          "'x'",
          "''",
          "'LONG'",
          "0",
          "-1",
          "3000000000",
          "[]",
          "['x']",
          "[7]",
          "{}",
          "{'id':'x'}",
          "'log'",
          "'block'",
          "'on'",
          "'high'",
          "'023e105f4ecef8ad9ca31a8372d0c353'",
          "[{'id':'023e105f4ecef8ad9ca31a8372d0c353','mode':'on'}]",
          "{'overrides':{'action':'log','rules':[{'id':'x'}]}}",
          "{'overrides':{'categories':[{'category':'a','enabled':true}]}}");

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
  void everyOperationIsAnEndpointOrNeedsNoCredential() {
    Set<String> documented = new TreeSet<>();
    for (Operation operation : operations()) {
      if (!WITHOUT_CREDENTIAL.contains(operation.name())) {
        documented.add(operation.tree().get("operationId").stringValue());
      }
    }

    assertThat(documented)
        .containsExactlyInAnyOrderElementsOf(Endpoint.all().stream().map(Endpoint::name).toList());
    assertThat(Endpoint.of("generate_headers").permission())
        .isEqualTo(Permission.PAGE_MONITOR_EDIT);
    assertThat(Endpoint.of("generate_headers").isForProxies()).isTrue();
    assertThat(Endpoint.all())
        .filteredOn(each -> each.permission() == null)
        .extracting(Endpoint::name)
        .containsExactlyInAnyOrder(
            "list_zones",
            "get_zone",
            "verify_token",
            "validate_expression",
            "validate_expression_of_body");
    assertThat(Endpoint.of("list_zones").isForProxies()).isFalse();
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
  void headersOfCachesAndTracesAreDescribed() {
    for (Operation operation : operations()) {
      JsonNode tree = operation.tree();
      boolean isGet = operation.name().startsWith("get ");
      List<String> parameters = tree.path("parameters").findValuesAsString("$ref");

      assertThat(parameters.contains("#/components/parameters/If-None-Match"))
          .as(operation.name())
          .isEqualTo(isGet);
      assertThat(tree.at("/responses/304/$ref").asString("").endsWith("/NotModified"))
          .as(operation.name())
          .isEqualTo(isGet);
      for (String header : List.of("ETag", "Cache-Control")) {
        assertThat(tree.at("/responses/200/headers").has(header))
            .as(operation.name())
            .isEqualTo(isGet);
      }
      assertThat(parameters.contains("#/components/parameters/traceparent"))
          .as(operation.name())
          .isEqualTo(tree.has("x-permission"));
    }
  }

  @Test
  void unknownMembersAreRefusedAtEveryDepth() {
    assertThat(pointer(Endpoint.of("update_entry_point"), "{'rules':[{'logging':{'on':true}}]}"))
        .isEqualTo("/rules/0/logging/on");
    assertThat(pointer(Endpoint.of("add_ruleset_rule"), "{'ratelimit':{'perriod':1}}"))
        .isEqualTo("/ratelimit/perriod");
    assertThat(
            pointer(
                Endpoint.of("update_ruleset"),
                "{'rules':[{'action_parameters':{'overrides':{'rules':[{'idd':''}]}}}]}"))
        .isEqualTo("/rules/0/action_parameters/overrides/rules/0/idd");
    assertThat(pointer(Endpoint.of("create_rules"), "[{'filter':{'expresion':''}}]"))
        .isEqualTo("/0/filter/expresion");
    // One object is not an array of one.
    assertThat(pointer(Endpoint.of("create_rules"), "{'action':'block'}")).isEqualTo("null");
    read(Endpoint.of("create_rules"), "[{\"action\":\"block\"}]");
  }

  /** Bodies that are examples with a member replaced: the judge agrees with the full validator. */
  @Test
  void theJudgeOfBodiesAgreesWithAFullValidator() {
    long seed = 20261124;
    Random random = new Random(seed);
    int refused = 0;
    int accepted = 0;
    for (Endpoint endpoint : Endpoint.all()) {
      if (endpoint.bodySchema().isMissingNode()) {
        continue;
      }
      Predicate<JsonNode> full = ApiDocument.judge(endpoint.bodySchema());
      String example = Json.write(example(endpoint));
      for (int i = 0; i < TRIES; i++) {
        JsonNode body = changed(Json.read(example), random);
        boolean right = full.test(body);

        assertThat(pointerOf(endpoint, body) == null)
            .as("try %d of seed %d: %s %s", i, seed, endpoint, body)
            .isEqualTo(right);
        refused += right ? 0 : 1;
        accepted += right ? 1 : 0;
      }
    }
    assertThat(refused).isGreaterThan(20 * TRIES);
    assertThat(accepted).isGreaterThan(3 * TRIES);
  }

  private static JsonNode example(Endpoint endpoint) {
    return operations().stream()
        .filter(
            operation -> operation.tree().path("operationId").asString("").equals(endpoint.name()))
        .map(operation -> operation.tree().at("/requestBody/content/application~1json/example"))
        .findFirst()
        .orElseThrow();
  }

  /** A body with a member somewhere set to another value, or removed, or added. */
  private static JsonNode changed(JsonNode body, Random random) {
    List<ObjectNode> objects = new ArrayList<>();
    collect(body, objects);
    if (objects.isEmpty() || random.nextInt(20) == 0) {
      return value(random);
    }
    ObjectNode object = objects.get(random.nextInt(objects.size()));
    List<String> names = new ArrayList<>(object.propertyNames());
    ApiDocument.document()
        .get("components")
        .get("schemas")
        .valueStream()
        .filter(one -> names.stream().allMatch(one.path("properties")::has))
        .forEach(one -> names.addAll(one.path("properties").propertyNames()));
    String name = names.isEmpty() ? "a" : names.get(random.nextInt(names.size()));
    if (random.nextInt(8) == 0) {
      object.remove(name);
    } else {
      object.set(name, value(random));
    }
    return body;
  }

  private static void collect(JsonNode node, List<ObjectNode> objects) {
    if (node instanceof ObjectNode object) {
      objects.add(object);
    }
    node.forEach(child -> collect(child, objects));
  }

  private static JsonNode value(Random random) {
    String value = VALUES.get(random.nextInt(VALUES.size()));
    return Json.read(value.replace("LONG", "x".repeat(1_025)).replace('\'', '"'));
  }

  private static @Nullable String pointer(Endpoint endpoint, String body) {
    return pointerOf(endpoint, Json.read(body.replace('\'', '"')));
  }

  private static @Nullable String pointerOf(Endpoint endpoint, JsonNode body) {
    RefusedException refused =
        catchThrowableOfType(RefusedException.class, () -> read(endpoint, Json.write(body)));
    if (refused == null) {
      return null;
    }
    return pointer(refused.refusals().getFirst());
  }

  private static String pointer(RefusalDetail error) {
    String source = error.place();
    return source.isEmpty() ? "null" : source;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "create_policy | {'action':'forbid'} | /action | unknown variant for action: forbid",
        "create_policy | {'enabled':'yes'} | /enabled | expected true or false for \"enabled\"",
        "create_filters | [{'expression':7}] | /0/expression | expected a string for"
            + " \"expression\"",
        "create_filters | [{'expression':null}] | /0/expression | missing field \"expression\"",
        "create_rules | {'action':'block'} | null | expected an array of 1 to 200 items",
        "create_filters | {'expression':'ssl'} | null | expected an array of 1 to 200 items",
        "update_filter | [] | null | expected an object",
        "update_rules | [] | null | expected an array of 1 to 25 items, got 0",
        "create_rules | [{'priority':-1}] | /0/priority"
            + " | expected a whole number from 0 to 2147483647 for \"priority\"",
        "create_rules | [{'products':['x']}] | /0/products/0 | unknown product, there are bic",
        "create_waf_override | {'urls':[]} | /urls | expected an array of 1 to 1000 items for"
            + " \"urls\"",
        "generate_headers | {'url':'a','headers':{'b':7}} | /headers/b | expected a string for"
            + " \"b\"",
        "update_entry_point | {'rules':[{'ratelimit':{'period':'1'}}]} | /rules/0/ratelimit/period"
            + " | expected a whole number for \"period\"",
        "update_waf_package | {'sensitivity':'fair'} | /sensitivity"
            + " | unknown variant for sensitivity: fair",
      })
  void messageSaysWhatIsExpected(String endpoint, String body, String pointer, String message) {
    RefusedException refused =
        catchThrowableOfType(
            RefusedException.class, () -> read(Endpoint.of(endpoint), body.replace('\'', '"')));

    RefusalDetail error = refused.refusals().getFirst();
    assertThat(error.code()).isEqualTo(10002);
    assertThat(error.message()).startsWith("invalid JSON: " + message);
    assertThat(pointer(error)).isEqualTo(pointer);
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

  private static void read(Endpoint endpoint, String body) {
    new Call(new ZoneCall(endpoint.name(), List.of(), "", body)).body();
  }
}
