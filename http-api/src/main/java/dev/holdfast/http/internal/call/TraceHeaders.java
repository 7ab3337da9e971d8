package dev.holdfast.http.internal.call;

import dev.holdfast.filter.Headers;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a request that become headers of its calls: those of W3C Trace Context and W3C
 * Baggage, and no other. So a client cannot set what filters of the application decide by. A value
 * that is malformed or too long is left out: it must not make the request fail. Stateless.
 */
public final class TraceHeaders {

  private static final String PARENT = "traceparent";
  private static final String STATE = "tracestate";
  private static final String BAGGAGE = "baggage";

  /** Together. Leaves room for the headers of filters. */
  private static final int LENGTH_MAX = Headers.BYTES_MAX * 3 / 4;

  private TraceHeaders() {}

  /**
   * {@return the headers of the calls of a request}
   *
   * @param request the values of its headers in order, by name in lower case
   */
  public static Headers of(Map<String, List<String>> request) {
    Headers headers = Headers.NONE;
    List<String> parents = request.getOrDefault(PARENT, List.of());
    if (parents.size() == 1) {
      // The state means nothing without the parent that it belongs to.
      headers = with(with(headers, PARENT, parents), STATE, request.get(STATE));
    }
    return with(headers, BAGGAGE, request.get(BAGGAGE));
  }

  /** Lists may be spread over several lines. */
  private static Headers with(Headers headers, String name, @Nullable List<String> lines) {
    if (lines == null || lines.isEmpty()) {
      return headers;
    }
    String value = String.join(",", lines);
    int present = headers.asMap().values().stream().mapToInt(String::length).sum();
    return present + value.length() <= LENGTH_MAX
            && value.chars().allMatch(c -> c >= ' ' && c <= '~')
        ? headers.with(name, value)
        : headers;
  }
}
