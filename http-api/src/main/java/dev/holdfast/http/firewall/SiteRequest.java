package dev.holdfast.http.firewall;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A request to a site, on which the firewall decides. Immutable, if its body is not changed.
 *
 * @param method the HTTP method
 * @param url the absolute URL, with the host that the client named
 * @param headers the values in order, by name in lower case
 * @param client the address of the client, IPv4 or IPv6
 * @param body the body, or its beginning; empty if there is none or it was not read
 * @param bodyCut whether the body is longer than what is given
 */
public record SiteRequest(
    String method,
    String url,
    Map<String, List<String>> headers,
    String client,
    ByteBuffer body,
    boolean bodyCut) {

  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** Names the headers in lower case; those that differ only in case are one. */
  public SiteRequest {
    Map<String, List<String>> lower = LinkedHashMap.newLinkedHashMap(headers.size());
    headers.forEach(
        (name, values) ->
            lower.merge(
                name.toLowerCase(Locale.ROOT),
                List.copyOf(values),
                (first, more) -> Stream.concat(first.stream(), more.stream()).toList()));
    headers = lower;
  }

  /**
   * {@return a request without a body}
   *
   * @param method the HTTP method
   * @param url the absolute URL, with the host that the client named
   * @param headers the values in order, by name
   * @param client the address of the client, IPv4 or IPv6
   */
  public static SiteRequest of(
      String method, String url, Map<String, List<String>> headers, String client) {
    return new SiteRequest(method, url, headers, client, NO_BODY, false);
  }

  /**
   * {@return this request with a body}
   *
   * @param bytes the body, or its beginning; not copied
   * @param isCut whether the body is longer
   */
  public SiteRequest withBody(ByteBuffer bytes, boolean isCut) {
    return new SiteRequest(method, url, headers, client, bytes.asReadOnlyBuffer(), isCut);
  }

  /**
   * {@return the values of a header, empty if there is none}
   *
   * @param name its name in lower case
   */
  public List<String> header(String name) {
    return headers.getOrDefault(name, List.of());
  }
}
