package dev.holdfast.benchmarks.http;

import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Requests to the API in this process, and zones with 200 firewall rules of five forms that no page
 * view matches.
 */
record FirewallApi(HttpApi api, String token) {

  static final int RULES = 200;

  FirewallApi(HttpApi api) {
    this(api, api.operator().createToken(List.of(), List.of(Permission.values())));
  }

  static String expression(int rule) {
    return switch (rule % 5) {
      case 0 -> "ip.src in {198.51.100.%d 203.0.113.0/24}".formatted(rule);
      case 1 -> "http.request.uri.path eq \"/admin/%d\"".formatted(rule);
      case 2 -> "http.user_agent contains \"bot-%d\"".formatted(rule);
      case 3 ->
          "http.request.method eq \"POST\" and http.request.uri.query contains \"token%d\""
              .formatted(rule);
      default -> "lower(http.request.uri) contains \"/private/%d\"".formatted(rule);
    };
  }

  /** Creates a zone with the rules, and without what a migration would deploy. */
  String newZone(String domain) {
    String zone = api.operator().createZone(domain, Plan.ENTERPRISE).id();
    api.operator().importLegacy(zone, "{\"waf\":{\"enabled\":false}}");
    addRules(zone);
    return zone;
  }

  void addRules(String zone) {
    StringJoiner rules = new StringJoiner(",", "[", "]");
    for (int i = 0; i < RULES; i++) {
      String expression = expression(i).replace("\"", "\\\"");
      rules.add("{\"filter\":{\"expression\":\"" + expression + "\"},\"action\":\"block\"}");
    }
    send("POST", "/v4/zones/" + zone + "/firewall/rules", "", rules.toString());
  }

  String send(String method, String path, String query, String body) {
    ApiResponse response =
        api.handle(
            new ApiRequest(
                method,
                path,
                query,
                Map.of("authorization", List.of("Bearer " + token)),
                ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))));
    if (response.status() >= 300) {
      throw new IllegalStateException(method + " " + path + " answered " + response);
    }
    return response.body();
  }
}
