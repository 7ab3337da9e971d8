package dev.holdfast.http.expression;

import dev.holdfast.http.expression.FieldType.ArrayOf;
import dev.holdfast.http.expression.FieldType.MapOf;
import dev.holdfast.http.expression.FieldType.Scalar;
import dev.holdfast.http.url.WebUrl;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The values of fields for which expressions are evaluated. A field without a value is missing, and
 * every comparison of a missing field is false. Immutable and thread-safe.
 */
public final class FilterRequest {

  /** A request without any field values. */
  public static final FilterRequest EMPTY = new FilterRequest(Map.of(), null);

  /** Some sites end the type of a body where others do not. */
  private static final Pattern END_OF_TYPE = Pattern.compile("[;,\\s]");

  private final Map<String, Object> values;

  /** Has the other fields; null if there are none. */
  private final @Nullable HttpFields source;

  /** The fields that were asked for; empty if the request does not have them. */
  private final Map<String, Optional<Object>> derived = new ConcurrentHashMap<>();

  private FilterRequest(Map<String, Object> values, @Nullable HttpFields source) {
    this.values = values;
    this.source = source;
  }

  /**
   * Returns the fields that are derived from an HTTP request alone: host, URI with its parts and
   * arguments, method, headers, cookies, time, and whether it came over TLS. The fields that begin
   * with {@code raw.} have the URI as received, the others its {@linkplain WebUrl#requestTarget
   * canonical form}. The fields of single headers have all lines of the header, joined; of a header
   * that the request lacks, they are empty.
   *
   * @param method the method
   * @param url the URL
   * @param headers the values in order, by name
   * @param time the time of the request
   * @return a request
   * @throws IllegalArgumentException if the URL has no canonical form
   */
  public static FilterRequest ofHttp(
      String method, WebUrl url, Map<String, List<String>> headers, Instant time) {
    return new FilterRequest(Map.of(), new HttpFields(method, url, headers, time));
  }

  /**
   * Returns this request with one more field.
   *
   * @param field the name of a field
   * @param value a {@code String} for Bytes and for Ip, a {@code Number} for Int, a {@code
   *     Boolean}, a {@code List} or a {@code Map} of these, as the type of the field requires
   * @return another request
   * @throws IllegalArgumentException if there is no such field, or the value is not of its type
   */
  public FilterRequest with(String field, Object value) {
    FieldType type = FieldTypes.type(field);
    if (type == null) {
      throw new IllegalArgumentException("there is no field " + field);
    }
    Map<String, Object> more = new HashMap<>(values);
    more.put(field, convert(field, type, value));
    return new FilterRequest(more, source);
  }

  /**
   * Returns this request with the fields of its body. Fields of a form have values if the request
   * has the type {@code application/x-www-form-urlencoded}. The size of a cut body is the length
   * that the request states, if it states one.
   *
   * @param body the body, or its beginning
   * @param isCut whether the body is longer
   * @return another request
   */
  public FilterRequest withBody(ByteBuffer body, boolean isCut) {
    byte[] bytes = new byte[body.remaining()];
    body.duplicate().get(bytes);
    String raw = Bytes.ofArray(bytes);
    Map<String, Object> more = new HashMap<>(values);
    more.put("http.request.body.raw", raw);
    more.put("http.request.body.size", isCut ? statedSize(bytes.length) : bytes.length);
    more.put("http.request.body.truncated", isCut);
    if (value("http.request.body.mime") instanceof String mime
        && END_OF_TYPE.split(mime.strip(), 2)[0].equalsIgnoreCase(
            "application/x-www-form-urlencoded")) {
      NamedValues form =
          NamedValues.read(raw.replace('+', ' '), "&")
              .map(Bytes::percentDecoded, Bytes::percentDecoded);
      more.put("http.request.body.form", form.byName());
      more.put("http.request.body.form.names", form.names());
      more.put("http.request.body.form.values", form.values());
    }
    return new FilterRequest(more, source);
  }

  /** The length that the request states, of a body that is longer than what is known of it. */
  private long statedSize(long known) {
    Object stated =
        value("http.request.headers") instanceof Map<?, ?> headers
            ? headers.get("content-length")
            : null;
    try {
      return stated instanceof List<?> lines && !lines.isEmpty()
          ? Math.max(known, Long.parseLong((String) lines.getFirst()))
          : known;
    } catch (NumberFormatException e) {
      return known;
    }
  }

  @Nullable Object value(String field) {
    @Nullable Object given = values.get(field);
    if (given != null || source == null) {
      return given;
    }
    return derived.computeIfAbsent(field, name -> derive(source, name)).orElse(null);
  }

  private static Optional<Object> derive(HttpFields source, String field) {
    @Nullable Object value = source.value(field);
    return value == null
        ? Optional.empty()
        : Optional.of(convert(field, Objects.requireNonNull(FieldTypes.type(field), field), value));
  }

  private static Object convert(String field, FieldType type, Object value) {
    return switch (type) {
      case ArrayOf(FieldType item) when value instanceof List<?> list ->
          list.stream().map(part -> convert(field, item, part)).toList();
      case MapOf(FieldType item) when value instanceof Map<?, ?> map -> {
        Map<String, Object> converted = new LinkedHashMap<>();
        map.forEach(
            (key, part) -> converted.put(Bytes.ofText((String) key), convert(field, item, part)));
        yield converted;
      }
      case Scalar scalar -> convertScalar(field, scalar, value);
      default -> throw new IllegalArgumentException(field + " is of type " + type + ": " + value);
    };
  }

  private static Object convertScalar(String field, Scalar type, Object value) {
    Object converted =
        switch (type) {
          case BYTES -> value instanceof String text ? Bytes.ofText(text) : null;
          case INT -> value instanceof Number number ? number.longValue() : null;
          case BOOL -> value instanceof Boolean flag ? flag : null;
          case IP -> value instanceof String text ? IpAddress.parse(text) : null;
        };
    if (converted == null) {
      throw new IllegalArgumentException(field + " is of type " + type + ": " + value);
    }
    return converted;
  }
}
