package dev.holdfast.http.internal.request;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.url.WebUrl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * A request that a body describes. Immutable.
 *
 * @param url its URL, of http or https
 * @param site the request as managed rulesets read it; its body is that of the field {@code
 *     http.request.body.raw}
 * @param fields the request as expressions read it
 */
public record DescribedRequest(WebUrl url, SiteRequest site, FilterRequest fields) {

  /**
   * Reads a description.
   *
   * @param description the description
   * @param now the time of the request
   * @return the request
   * @throws RefusedException if it is malformed
   */
  public static DescribedRequest read(Fields description, Instant now) {
    String given = description.text("url");
    WebUrl url = page(given, description.at("url"));
    String method = description.text("method", "GET");
    String ip = description.text("ip", "");
    Map<String, List<String>> headers = headers(description, "headers");
    SiteRequest site =
        ReceivedRequests.withoutEscapedSlashes(SiteRequest.of(method, given, headers, ip));
    if (site.refusal().isPresent()) {
      throw RefusedException.invalidJson(site.refusal().get().reason(), "");
    }
    FilterRequest request = FilterRequest.ofHttp(method, url, site.headers(), now);
    if (description.has("ip")) {
      request = with(request, "ip.src", ip, description.at("ip"));
    }
    Fields fields = description.object("fields");
    if (fields != null) {
      JsonNode body = fields.present("http.request.body.raw");
      if (body != null) {
        byte[] bytes = body.asString("").getBytes(StandardCharsets.UTF_8);
        site = site.withBody(ByteBuffer.wrap(bytes), false);
        request = request.withBody(site.body(), false);
      }
      for (Map.Entry<String, JsonNode> field : fields.tree().properties()) {
        Object value = Json.value(field.getValue());
        request = with(request, field.getKey(), value, fields.at(field.getKey()));
      }
    }
    return new DescribedRequest(url, site, request);
  }

  /**
   * {@return the URL of a page}
   *
   * @param url absolute
   * @param pointer its position in the body; empty if it is not in one
   * @throws RefusedException if it is no URL of http or https
   */
  public static WebUrl page(String url, String pointer) {
    return WebUrl.parse(url)
        .filter(parsed -> parsed.scheme().startsWith("http"))
        .orElseThrow(
            () -> RefusedException.invalidJson("expected an absolute http or https URL", pointer));
  }

  private static FilterRequest with(
      FilterRequest request, String field, Object value, String pointer) {
    try {
      return request.with(field, value);
    } catch (IllegalArgumentException | ClassCastException e) {
      throw RefusedException.invalidJson(String.valueOf(e.getMessage()), pointer);
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
}
