package dev.holdfast.http.internal.endpoint;

import dev.holdfast.http.internal.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document of the API: the source of routes, permissions and schemas. Stateless. */
public final class OpenApi {

  private static final String TEXT = read();
  private static final JsonNode TREE = Json.read(TEXT);
  private static final Map<String, Operation> OPERATIONS = operations();

  /** An operation: the HTTP method, the path with braces for identifiers, and its description. */
  record Operation(String method, String path, JsonNode tree) {}

  private OpenApi() {}

  /** {@return the document} */
  public static String text() {
    return TEXT;
  }

  /**
   * {@return a part of the document}
   *
   * @param reference a reference to it, such as {@code #/components/schemas/Zone}
   */
  public static JsonNode part(String reference) {
    return TREE.at(reference.substring(1));
  }

  static Operation operation(String id) {
    return Objects.requireNonNull(OPERATIONS.get(id), id);
  }

  private static String read() {
    try (InputStream document =
        OpenApi.class.getResourceAsStream("/dev/holdfast/http/openapi.json")) {
      return new String(
          Objects.requireNonNull(document, "openapi.json").readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Operation> operations() {
    Map<String, Operation> operations = new HashMap<>();
    for (Map.Entry<String, JsonNode> path : TREE.get("paths").properties()) {
      String template = path.getKey().replaceAll("\\{\\w+}", "{}");
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        operations.put(
            method.getValue().path("operationId").asString(""),
            new Operation(method.getKey().toUpperCase(Locale.ROOT), template, method.getValue()));
      }
    }
    return operations;
  }
}
