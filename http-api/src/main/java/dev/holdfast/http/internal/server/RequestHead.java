package dev.holdfast.http.internal.server;

import java.util.List;
import java.util.Map;

/**
 * A request without its body. Immutable.
 *
 * @param method the method as it came
 * @param path the path as it came, not decoded
 * @param query what follows the question mark, as it came; empty if there is none
 * @param headers by name in lower case, of each the values in order
 */
public record RequestHead(
    String method, String path, String query, Map<String, List<String>> headers) {}
