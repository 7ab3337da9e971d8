package dev.holdfast.http.internal.server;

import java.util.List;
import java.util.Map;

/**
 * A request without its body. Immutable.
 *
 * @param method the method as it came
 * @param path the path as it came, not decoded
 * @param query what follows the question mark, as it came; empty if there is none
 * @param isOld whether it is of HTTP/1.0
 * @param headers by name in lower case, of each the values in order
 */
public record RequestHead(
    String method, String path, String query, boolean isOld, Map<String, List<String>> headers) {

  /** {@return the only value of a header, or "" if there is none or there are several} */
  String header(String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    return values.size() == 1 ? values.getFirst() : "";
  }

  /** {@return whether a header that is a list has a word, in whatever case} */
  boolean lists(String name, String word) {
    return headers.getOrDefault(name, List.of()).stream()
        .flatMap(value -> List.of(value.split(",", -1)).stream())
        .anyMatch(item -> item.strip().equalsIgnoreCase(word));
  }
}
