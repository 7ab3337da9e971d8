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
 */
public record ApiRequest(
    String method, String path, String query, Map<String, List<String>> headers, ByteBuffer body) {

  ApiRequest withBody(ByteBuffer other) {
    return new ApiRequest(method, path, query, headers, other);
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
