package dev.holdfast.http.expression;

import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The fields that are derived from an HTTP request alone. */
final class HttpFields {

  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final Map<String, List<String>> headers = new LinkedHashMap<>();

  HttpFields(String method, WebUrl url, Map<String, List<String>> headers, Instant time) {
    headers.forEach((name, all) -> this.headers.put(name.toLowerCase(Locale.ROOT), all));
    fields.put("http.request.method", method);
    fields.put("http.request.timestamp.sec", time.getEpochSecond());
    fields.put("http.request.timestamp.msec", time.toEpochMilli());
    fields.put("ssl", url.isSecure());
    fields.put("http.host", url.host());
    uri("", url, url.path(), url.query());
    uri("raw.", url, url.givenPath(), url.givenQuery());
    headerFields();
  }

  Map<String, Object> all() {
    return fields;
  }

  private void uri(String prefix, WebUrl url, String path, String query) {
    String uri = query.isEmpty() ? path : path + "?" + query;
    fields.put(prefix + "http.request.full_uri", url.scheme() + "://" + url.host() + uri);
    fields.put(prefix + "http.request.uri", uri);
    fields.put(prefix + "http.request.uri.path", path);
    fields.put(prefix + "http.request.uri.path.extension", extension(path));
    fields.put(prefix + "http.request.uri.query", query);
    map(prefix + "http.request.uri.args", pairs(query, "&"));
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

  private void headerFields() {
    first("http.user_agent", "user-agent");
    first("http.referer", "referer");
    first("http.cookie", "cookie");
    first("http.x_forwarded_for", "x-forwarded-for");
    first("http.request.body.mime", "content-type");
    map("http.request.headers", headers);
    List<String> cookies = headers.getOrDefault("cookie", List.of());
    map("http.request.cookies", pairs(String.join(";", cookies), ";"));
    List<String> languages = new ArrayList<>();
    for (String list : headers.getOrDefault("accept-language", List.of())) {
      for (String item : list.split(",", -1)) {
        languages.add(item.split(";", 2)[0].strip());
      }
    }
    fields.put("http.request.accepted_languages", languages);
  }

  private void first(String field, String header) {
    List<String> values = headers.get(header);
    if (values != null && !values.isEmpty()) {
      fields.put(field, values.getFirst());
    }
  }

  /** A map of lists with its names and values as lists of their own. */
  private void map(String field, Map<String, List<String>> values) {
    fields.put(field, values);
    fields.put(
        field + ".names",
        values.entrySet().stream()
            .flatMap(entry -> entry.getValue().stream().map(value -> entry.getKey()))
            .toList());
    fields.put(field + ".values", values.values().stream().flatMap(List::stream).toList());
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
