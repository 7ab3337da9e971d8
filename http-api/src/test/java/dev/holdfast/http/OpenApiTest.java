package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.internal.endpoint.Endpoint;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Answers are judged by the document in every test that uses {@link ApiFixture}. */
class OpenApiTest {

  @Test
  void theDocumentHasEveryEndpointAndNoOther() {
    Set<String> documented = new HashSet<>();
    ApiDocument.document()
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .propertyNames()
                    .forEach(
                        method ->
                            documented.add(
                                method + " " + path.getKey().replaceAll("\\{[a-z_]+}", "{}"))));
    Set<String> served = new HashSet<>();
    for (Endpoint endpoint : Endpoint.values()) {
      served.add(endpoint.method().toLowerCase(Locale.ROOT) + " " + endpoint.path());
    }

    assertThat(documented).isEqualTo(served);
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
