package dev.holdfast.http.expression;

import dev.holdfast.http.url.RequestTarget;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
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
  private static final long NANOS_OF_A_MILLISECOND = 1_000_000;
  private static final Pattern WEIGHT =
      Pattern.compile("\\s*[qQ]\\s*=\\s*([01](?:\\.[0-9]{0,3})?)\\s*");

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
      case "http.request.timestamp.msec" -> time.getNano() / NANOS_OF_A_MILLISECOND;
      case "ssl" -> url.isSecure();
      case "http.host" -> url.host();
      case "http.user_agent" -> joined("user-agent", ", ");
      case "http.referer" -> joined("referer", ", ");
      case "http.cookie" -> joined("cookie", "; ");
      case "http.x_forwarded_for" -> joined("x-forwarded-for", ", ");
      case "http.request.body.mime" -> joined("content-type", ", ");
      case "http.request.accepted_languages" -> languages();
      default -> {
        boolean isNames = field.endsWith(NAMES);
        boolean isValues = field.endsWith(VALUES);
        int suffix = isNames ? NAMES.length() : isValues ? VALUES.length() : 0;
        @Nullable NamedValues pairs = pairs(field.substring(0, field.length() - suffix));
        yield pairs == null
            ? uri(field)
            : isNames ? pairs.names() : isValues ? pairs.values() : pairs.byName();
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

  /** All lines of a header: a site may read any of them. Empty if the request has none. */
  private String joined(String header, String separator) {
    return String.join(separator, headers.getOrDefault(header, List.of()));
  }

  private record Language(String tag, double weight) {

    static Language of(String item) {
      String[] parts = item.split(";", 2);
      var weight = WEIGHT.matcher(parts.length == 1 ? "" : parts[1]);
      return new Language(
          parts[0].strip(), weight.matches() ? Double.parseDouble(weight.group(1)) : 1);
    }
  }

  /** The tags of languages, the most wanted first. */
  private List<String> languages() {
    return headers.getOrDefault("accept-language", List.of()).stream()
        .flatMap(line -> Stream.of(line.split(",", -1)))
        .map(Language::of)
        .filter(language -> !language.tag().isEmpty() && !language.tag().equals("*"))
        .sorted(Comparator.comparingDouble(Language::weight).reversed())
        .map(Language::tag)
        .toList();
  }

  /** Names with values, of which the map, the names and the values are separate fields. */
  private @Nullable NamedValues pairs(String field) {
    return switch (field) {
      case "http.request.headers" -> NamedValues.of(headers);
      case "http.request.cookies" ->
          NamedValues.read(String.join(";", headers.getOrDefault("cookie", List.of())), ";")
              .map(HttpFields::decoded, value -> value);
      case "http.request.uri.args" -> NamedValues.read(query(), "&");
      case "raw.http.request.uri.args" -> NamedValues.read(url.givenQuery(), "&");
      default -> null;
    };
  }

  private static String decoded(String name) {
    return Bytes.toText(Bytes.percentDecoded(Bytes.ofText(name)));
  }
}
