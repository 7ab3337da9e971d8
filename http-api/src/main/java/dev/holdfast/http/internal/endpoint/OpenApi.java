package dev.holdfast.http.internal.endpoint;

import dev.holdfast.http.internal.json.Json;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document of the API: the source of routes, permissions and schemas. Stateless. */
public final class OpenApi {

  private static final String TEXT =
      Json.resource(OpenApi.class.getResourceAsStream("/dev/holdfast/http/openapi.json"));
  private static final JsonNode TREE = Json.read(TEXT);

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
}
