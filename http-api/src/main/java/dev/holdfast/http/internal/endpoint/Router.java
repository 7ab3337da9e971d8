package dev.holdfast.http.internal.endpoint;

import static java.util.stream.Collectors.groupingBy;

import dev.holdfast.http.internal.reply.ApiException;
import dev.holdfast.http.object.Ids;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the endpoint of a path. Stateless. */
public final class Router {

  /** Segments of a path; one with more has no endpoint. */
  private static final int SEGMENTS_MAX = 12;

  /** Names that clients of the reference service use for page monitoring. */
  private static final Set<String> PAGE_MONITOR_ALIASES = Set.of("page_shield", "script_monitor");

  /**
   * Endpoints by the number of their segments: a path is compared with a dozen, not with all. Those
   * with fewer identifiers are first.
   */
  private static final Map<Integer, List<Endpoint>> ENDPOINTS =
      Endpoint.all().stream()
          .sorted(Comparator.comparingInt(one -> Collections.frequency(one.segments(), "{}")))
          .collect(groupingBy(one -> one.segments().size()));

  private Router() {}

  /**
   * Finds the endpoint of a request.
   *
   * @param method the HTTP method
   * @param path the path after the version segment, not decoded, such as {@code /zones/.../filters}
   * @return the endpoint and the identifiers
   * @throws ApiException if the path is unknown, or does not support the method
   */
  public static Route route(String method, String path) {
    String[] segments = path.substring(1).split("/", -1);
    if (segments.length > SEGMENTS_MAX) {
      throw ApiException.noRoute(path);
    }
    if (segments.length > 2 && PAGE_MONITOR_ALIASES.contains(segments[2])) {
      segments[2] = "page_monitor";
    }
    Set<String> methods = new TreeSet<>();
    for (Endpoint endpoint : ENDPOINTS.getOrDefault(segments.length, List.of())) {
      List<String> ids = match(endpoint.segments(), segments);
      if (ids != null) {
        if (endpoint.method().equals(method)) {
          return new Route(endpoint, ids);
        }
        methods.add(endpoint.method());
        if (endpoint.method().equals("GET")) {
          methods.add("HEAD");
        }
      }
    }
    if (methods.isEmpty()) {
      throw ApiException.noRoute(path);
    }
    throw notAllowed(String.join(", ", methods));
  }

  /**
   * {@return the error for a method that the path does not support}
   *
   * @param allowed the supported methods
   */
  public static ApiException notAllowed(String allowed) {
    return new ApiException(405, 10405, "Method not allowed").withHeaders(Map.of("Allow", allowed));
  }

  /** {@return the identifiers of a path; null if it is another one} */
  private static @Nullable List<String> match(List<String> template, String[] path) {
    List<String> ids = new ArrayList<>(2);
    for (int i = 0; i < path.length; i++) {
      String segment = template.get(i);
      if (!segment.equals("{}")) {
        if (!segment.equals(path[i])) {
          return null;
        }
      } else if (i == 1 && !Ids.isId(path[i])) {
        return null;
      } else {
        ids.add(path[i]);
      }
    }
    return ids;
  }
}
