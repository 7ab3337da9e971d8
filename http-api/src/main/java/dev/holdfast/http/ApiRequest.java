package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request, independent of the server that received it.
 *
 * @param method the HTTP method in upper case
 * @param path the path as received, not decoded, including everything before the version segment
 * @param query the query string as received; empty if there is none
 * @param headers the values in order, by name in lower case
 * @param body the body; read once, not copied
 * @param client the IP address of the client; empty if it is unknown
 */
public record ApiRequest(
    String method,
    String path,
    String query,
    Map<String, List<String>> headers,
    ByteBuffer body,
    String client) {

  /**
   * Creates a request of an unknown client.
   *
   * @param method the HTTP method in upper case
   * @param path the path as received, not decoded
   * @param query the query string as received; empty if there is none
   * @param headers the values in order, by name in lower case
   * @param body the body; read once, not copied
   */
  public ApiRequest(
      String method,
      String path,
      String query,
      Map<String, List<String>> headers,
      ByteBuffer body) {
    this(method, path, query, headers, body, "");
  }

  /**
   * {@return this request with another body}
   *
   * @param other the body; read once, not copied
   */
  public ApiRequest withBody(ByteBuffer other) {
    return new ApiRequest(method, path, query, headers, other, client);
  }

  ApiRequest withMethod(String other) {
    return new ApiRequest(other, path, query, headers, body, client);
  }

  /**
   * {@return this request with the address of its client}
   *
   * @param address an IP address; reports are limited by it
   */
  public ApiRequest withClient(String address) {
    return new ApiRequest(method, path, query, headers, body, address);
  }

  /**
   * {@return the first value of a header}
   *
   * @param name its name
   */
  public Optional<String> header(String name) {
    List<String> values = headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    return values.stream().findFirst();
  }
}
