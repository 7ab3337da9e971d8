package dev.holdfast.http.expression;

import dev.holdfast.http.url.RequestTarget;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields that are derived from an HTTP request alone. Each is derived when it is asked for: the
 * rules of a zone read few of them. Immutable, if the headers are not changed.
 */
final class HttpFields {

  private static final String RAW = "raw.";
  private static final String NAMES = ".names";
  private static final String VALUES = ".values";

  private final String method;
  private final WebUrl url;
  private final RequestTarget target;
  private final Map<String, List<String>> headers = new LinkedHashMap<>();
  private final Instant time;

  HttpFields(String method, WebUrl url, Map<String, List<String>> headers, Instant time) {
    this.method = method;
    this.url = url;
    this.target = url.requestTarget();
    this.time = time;
    headers.forEach(
        (name, all) ->
            this.headers.merge(
                name.toLowerCase(Locale.ROOT),
                all,
                (first, more) -> Stream.concat(first.stream(), more.stream()).toList()));
  }

  /** {@return the value of a field, or null if the request alone does not have it} */
  @Nullable Object value(String field) {
    return switch (field) {
      case "http.request.method" -> method;
      case "http.request.timestamp.sec" -> time.getEpochSecond();
      case "http.request.timestamp.msec" -> time.toEpochMilli();
      case "ssl" -> url.isSecure();
      case "http.host" -> url.host();
      case "http.user_agent" -> joined("user-agent", ", ");
      case "http.referer" -> joined("referer", ", ");
      case "http.cookie" -> joined("cookie", "; ");
      case "http.x_forwarded_for" -> joined("x-forwarded-for", ", ");
      case "http.request.body.mime" -> joined("content-type", ", ");
      case "http.request.accepted_languages" -> languages();
      default -> {
        if (field.endsWith(NAMES)) {
          yield names(map(field.substring(0, field.length() - NAMES.length())));
        }
        if (field.endsWith(VALUES)) {
          yield values(map(field.substring(0, field.length() - VALUES.length())));
        }
        @Nullable Object map = map(field);
        yield map != null ? map : uri(field);
      }
    };
  }

  private @Nullable String uri(String field) {
    boolean isRaw = field.startsWith(RAW);
    String path = isRaw ? url.givenPath() : target.path();
    String query = isRaw ? url.givenQuery() : query();
    return switch (isRaw ? field.substring(RAW.length()) : field) {
      case "http.request.full_uri" -> url.scheme() + "://" + url.host() + uri(path, query);
      case "http.request.uri" -> uri(path, query);
      case "http.request.uri.path" -> path;
      case "http.request.uri.path.extension" -> extension(path);
      case "http.request.uri.query" -> query;
      default -> null;
    };
  }

  private String query() {
    return Objects.requireNonNullElse(target.query(), "");
  }

  private static String uri(String path, String query) {
    return query.isEmpty() ? path : path + "?" + query;
  }

  /**
   * Returns the text after the last dot of the last segment, in lower case; a segment whose only
   * dot is its first character has no extension.
   */
  private static String extension(String path) {
    String segment = path.substring(path.lastIndexOf('/') + 1);
    int dot = segment.lastIndexOf('.');
    return dot <= 0 ? "" : segment.substring(dot + 1).toLowerCase(Locale.ROOT);
  }

  /** All lines of a header: a site may read any of them. */
  private @Nullable String joined(String header, String separator) {
    List<String> values = headers.get(header);
    return values == null || values.isEmpty() ? null : String.join(separator, values);
  }

  private List<String> languages() {
    List<String> languages = new ArrayList<>();
    for (String list : headers.getOrDefault("accept-language", List.of())) {
      for (String item : list.split(",", -1)) {
        languages.add(item.split(";", 2)[0].strip());
      }
    }
    return languages;
  }

  /** A map of lists, whose names and values are separate lists. */
  private @Nullable Map<String, List<String>> map(String field) {
    return switch (field) {
      case "http.request.headers" -> headers;
      case "http.request.cookies" ->
          pairs(String.join(";", headers.getOrDefault("cookie", List.of())), ";");
      case "http.request.uri.args" -> pairs(query(), "&");
      case "raw.http.request.uri.args" -> pairs(url.givenQuery(), "&");
      default -> null;
    };
  }

  private static @Nullable List<String> names(@Nullable Map<String, List<String>> map) {
    return map == null
        ? null
        : map.entrySet().stream()
            .flatMap(entry -> entry.getValue().stream().map(value -> entry.getKey()))
            .toList();
  }

  private static @Nullable List<String> values(@Nullable Map<String, List<String>> map) {
    return map == null ? null : map.values().stream().flatMap(List::stream).toList();
  }

  static Map<String, List<String>> pairs(String joined, String separator) {
    Map<String, List<String>> pairs = new LinkedHashMap<>();
    for (String pair : joined.split(separator, -1)) {
      if (!pair.isBlank()) {
        String[] halves = pair.strip().split("=", 2);
        pairs
            .computeIfAbsent(halves[0], name -> new ArrayList<>())
            .add(halves.length == 1 ? "" : halves[1]);
      }
    }
    return pairs;
  }
}
