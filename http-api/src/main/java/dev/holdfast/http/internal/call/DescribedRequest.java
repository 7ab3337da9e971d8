package dev.holdfast.http.internal.call;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.url.WebUrl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * A request that a body describes, for a simulation: {@code url}, and optionally {@code method},
 * {@code headers}, {@code ip} and {@code fields}, which sets any field of the expression language.
 */
public final class DescribedRequest {

  private DescribedRequest() {}

  /**
   * Reads the URL of a description.
   *
   * @param description the description
   * @return an absolute URL of http or https
   * @throws ApiException if it is malformed
   */
  public static WebUrl url(Fields description) {
    return WebUrl.parse(description.text("url"))
        .filter(url -> url.scheme().startsWith("http"))
        .orElseThrow(
            () ->
                ApiException.invalidJson(
                    "expected an absolute http or https URL", description.at("url")));
  }

  /**
   * Reads a description.
   *
   * @param description the description
   * @param now the time of the request
   * @return the request
   * @throws ApiException if it is malformed
   */
  public static FilterRequest read(Fields description, Instant now) {
    WebUrl url = url(description);
    String method = description.optionalText("method");
    FilterRequest request =
        FilterRequest.ofHttp(
            method == null ? "GET" : method, url, headers(description, "headers"), now);
    String ip = description.optionalText("ip");
    if (ip != null) {
      request = with(request, "ip.src", ip, description.at("ip"));
    }
    Fields fields = description.object("fields");
    if (fields != null) {
      for (Map.Entry<String, JsonNode> field : fields.tree().properties()) {
        request = with(request, field.getKey(), value(field.getValue()), fields.at(field.getKey()));
      }
    }
    return request;
  }

  /**
   * Reads a description as managed rulesets read a request. The body is that of the field {@code
   * http.request.body.raw}.
   *
   * @param description the description
   * @return the request
   * @throws ApiException if it is malformed
   */
  public static SiteRequest siteRequest(Fields description) {
    String method = description.optionalText("method");
    String ip = description.optionalText("ip");
    SiteRequest request =
        SiteRequest.of(
            method == null ? "GET" : method,
            description.text("url"),
            headers(description, "headers"),
            ip == null ? "" : ip);
    Fields fields = description.object("fields");
    JsonNode body = fields == null ? null : fields.present("http.request.body.raw");
    return body == null
        ? request
        : request.withBody(
            ByteBuffer.wrap(body.asString("").getBytes(StandardCharsets.UTF_8)), false);
  }

  private static FilterRequest with(
      FilterRequest request, String field, Object value, String pointer) {
    try {
      return request.with(field, value);
    } catch (IllegalArgumentException | ClassCastException e) {
      throw ApiException.invalidJson(String.valueOf(e.getMessage()), pointer);
    }
  }

  /**
   * Reads the headers of a description.
   *
   * @param description the description
   * @param member its member that has them
   * @return the values in order, by name in lower case
   */
  public static Map<String, List<String>> headers(Fields description, String member) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    Fields given = description.object(member);
    if (given == null) {
      return headers;
    }
    for (String name : given.tree().propertyNames()) {
      headers.put(
          name.toLowerCase(Locale.ROOT),
          given.required(name).isArray() ? given.texts(name) : List.of(given.text(name)));
    }
    return headers;
  }

  private static Object value(JsonNode node) {
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return node.longValue();
    }
    if (node.isArray()) {
      List<Object> list = new ArrayList<>();
      node.forEach(item -> list.add(value(item)));
      return list;
    }
    if (node.isObject()) {
      Map<String, Object> map = new LinkedHashMap<>();
      node.properties().forEach(entry -> map.put(entry.getKey(), value(entry.getValue())));
      return map;
    }
    return node.isString() ? node.stringValue() : node.toString();
  }
}
