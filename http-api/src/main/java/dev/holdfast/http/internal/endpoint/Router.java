package dev.holdfast.http.internal.endpoint;

import static java.util.stream.Collectors.groupingBy;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.error.ApiException;
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

  /** Names that clients of the reference service use for page monitoring. */
  private static final Set<String> PAGE_MONITOR_ALIASES = Set.of("page_shield", "script_monitor");

  /**
   * Templates by their number of segments: a path is compared with a dozen, not with all. Those
   * with fewer identifiers are first.
   */
  private static final Map<Integer, List<Template>> TEMPLATES =
      Endpoint.all().stream()
          .map(Template::of)
          .sorted(Comparator.comparingInt(t -> Collections.frequency(t.segments(), "{}")))
          .collect(groupingBy(t -> t.segments().size()));

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
    if (segments.length > HttpBounds.SEGMENTS_MAX) {
      throw ApiException.noRoute(path);
    }
    if (segments.length > 2 && PAGE_MONITOR_ALIASES.contains(segments[2])) {
      segments[2] = "page_monitor";
    }
    Set<String> methods = new TreeSet<>();
    for (Template template : TEMPLATES.getOrDefault(segments.length, List.of())) {
      List<String> ids = template.match(segments);
      if (ids != null) {
        if (template.endpoint().method().equals(method)) {
          return new Route(template.endpoint(), ids);
        }
        methods.add(template.endpoint().method());
        if (template.endpoint().method().equals("GET")) {
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
    return new ApiException(405, new ApiError(10405, "Method not allowed"))
        .withHeaders(Map.of("Allow", allowed));
  }

  private record Template(Endpoint endpoint, List<String> segments) {

    static Template of(Endpoint endpoint) {
      return new Template(endpoint, List.of(endpoint.path().substring(1).split("/", -1)));
    }

    @Nullable List<String> match(String[] path) {
      List<String> ids = new ArrayList<>(2);
      for (int i = 0; i < path.length; i++) {
        String segment = segments.get(i);
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
}
