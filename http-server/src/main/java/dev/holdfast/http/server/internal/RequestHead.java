package dev.holdfast.http.server.internal;

import java.util.List;
import java.util.Map;

/**
 * A request without its body. Immutable.
 *
 * @param method the method as received
 * @param path the path as received, not decoded
 * @param query the text after the question mark, as received; empty if there is none
 * @param headers the values in order, by name in lower case
 */
public record RequestHead(
    String method, String path, String query, Map<String, List<String>> headers) {}
