package dev.holdfast.http.expression;

import static java.util.stream.Collectors.joining;

import dev.holdfast.http.expression.FieldType.ArrayOf;
import dev.holdfast.http.expression.FieldType.MapOf;
import dev.holdfast.http.expression.FieldType.Scalar;
import dev.holdfast.http.expression.Function.Body;
import dev.holdfast.http.expression.Function.Form;
import dev.holdfast.http.expression.Function.Parameter;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The functions of the language. Positions and lengths count bytes. */
final class Functions {

  private static final FieldType BYTES_LIST = new ArrayOf(Scalar.BYTES);

  private static final Parameter BYTES = parameter(Form.EITHER, Scalar.BYTES);
  private static final Parameter BYTES_FIELD = parameter(Form.FIELD, Scalar.BYTES);
  private static final Parameter BYTES_LITERAL = parameter(Form.LITERAL, Scalar.BYTES);
  private static final Parameter INT = parameter(Form.EITHER, Scalar.INT);
  private static final Parameter INT_LITERAL = parameter(Form.LITERAL, Scalar.INT);
  private static final Parameter KEY = parameter(Form.EITHER, Scalar.BYTES, Scalar.INT);
  private static final Parameter IP_FIELD = parameter(Form.FIELD, Scalar.IP);

  private static final Map<String, Function> ALL = new HashMap<>();

  static {
    fixed("lower", Scalar.BYTES, reads(2, a -> Bytes.lower((String) a[0])), BYTES_FIELD);
    fixed("upper", Scalar.BYTES, reads(2, a -> Bytes.upper((String) a[0])), BYTES_FIELD);
    fixed(
        "len",
        Scalar.INT,
        (a, work) -> length(a),
        parameter(
            Form.FIELD, Scalar.BYTES, BYTES_LIST, new ArrayOf(Scalar.INT), new MapOf(BYTES_LIST)));
    repeated(
        "concat",
        Scalar.BYTES,
        reads(1, Functions::concat),
        2,
        BYTES,
        parameter(Form.EITHER, Scalar.BYTES, Scalar.INT));
    fixed(
        "starts_with",
        Scalar.BOOL,
        reads(1, a -> ((String) a[0]).startsWith((String) a[1])),
        BYTES_FIELD,
        BYTES);
    fixed(
        "ends_with",
        Scalar.BOOL,
        reads(1, a -> ((String) a[0]).endsWith((String) a[1])),
        BYTES_FIELD,
        BYTES);
    optional("substring", Scalar.BYTES, reads(1, Functions::substring), 2, BYTES_FIELD, INT, INT);
    optional("url_decode", Scalar.BYTES, TextFunctions::urlDecode, 1, BYTES_FIELD, BYTES_LITERAL);
    fixed(
        "regex_replace",
        Scalar.BYTES,
        TextFunctions::regexReplace,
        BYTES_FIELD,
        BYTES_LITERAL,
        BYTES_LITERAL);
    optional(
        "wildcard_replace",
        Scalar.BYTES,
        TextFunctions::wildcardReplace,
        3,
        BYTES_FIELD,
        BYTES_LITERAL,
        BYTES_LITERAL,
        BYTES_LITERAL);
    fixed("remove_bytes", Scalar.BYTES, reads(4, TextFunctions::removeBytes), BYTES_FIELD, BYTES);
    repeated(
        "remove_query_args",
        Scalar.BYTES,
        reads(8, TextFunctions::removeQueryArguments),
        2,
        BYTES_FIELD,
        BYTES_LITERAL);
    fixed(
        "split",
        BYTES_LIST,
        Functions::split,
        BYTES_FIELD,
        new Parameter(List.of(Scalar.BYTES), Form.LITERAL, 1, Long.MAX_VALUE),
        number(1, ExpressionBounds.SPLIT_MAX));
    fixed("join", Scalar.BYTES, Functions::join, parameter(Form.FIELD, BYTES_LIST), BYTES);
    fixed(
        "to_string",
        Scalar.BYTES,
        reads(1, a -> String.valueOf(a[0])),
        parameter(Form.FIELD, Scalar.INT, Scalar.BOOL, Scalar.IP));
    repeated(
        "lookup_json_string",
        Scalar.BYTES,
        reads(16, CodecFunctions::jsonString),
        2,
        BYTES_FIELD,
        KEY);
    repeated(
        "lookup_json_integer",
        Scalar.INT,
        reads(16, CodecFunctions::jsonInteger),
        2,
        BYTES_FIELD,
        KEY);
    fixed("cidr", Scalar.IP, reads(1, Functions::cidr), IP_FIELD, number(1, 32), number(1, 128));
    fixed("cidr6", Scalar.IP, reads(1, Functions::cidr6), IP_FIELD, number(1, 128));
    fixed("decode_base64", Scalar.BYTES, reads(4, CodecFunctions::decodeBase64), BYTES_FIELD);
    optional(
        "encode_base64",
        Scalar.BYTES,
        reads(4, CodecFunctions::encodeBase64),
        1,
        BYTES,
        BYTES_LITERAL);
    fixed("sha256", Scalar.BYTES, reads(4, CodecFunctions::sha256), BYTES);
    fixed("uuidv4", Scalar.BYTES, reads(1, CodecFunctions::uuid), BYTES_FIELD);
    fixed(
        "has_key",
        Scalar.BOOL,
        reads(1, a -> ((Map<?, ?>) a[0]).containsKey(a[1])),
        parameter(Form.FIELD, new MapOf(BYTES_LIST)),
        BYTES);
    fixed(
        "has_value",
        Scalar.BOOL,
        reads(1, a -> ((Collection<?>) a[0]).contains(a[1])),
        parameter(Form.FIELD, BYTES_LIST, new ArrayOf(Scalar.INT)),
        KEY);
    optional(
        "is_timed_hmac_valid_v0",
        Scalar.BOOL,
        reads(4, CodecFunctions::isTimedHmacValid),
        4,
        BYTES_LITERAL,
        BYTES_FIELD,
        INT_LITERAL,
        INT,
        INT_LITERAL,
        BYTES_LITERAL);
    fixed(
        "bit_slice",
        Scalar.INT,
        reads(1, CodecFunctions::bitSlice),
        BYTES_FIELD,
        INT_LITERAL,
        INT_LITERAL);
  }

  private Functions() {}

  static @Nullable Function find(String name) {
    return ALL.get(name);
  }

  private static Parameter parameter(Form form, FieldType... types) {
    return new Parameter(List.of(types), form);
  }

  private static Parameter number(long least, long most) {
    return new Parameter(List.of(Scalar.INT), Form.LITERAL, least, most);
  }

  private static void fixed(String name, FieldType result, Body body, Parameter... parameters) {
    optional(name, result, body, parameters.length, parameters);
  }

  private static void optional(
      String name, FieldType result, Body body, int required, Parameter... parameters) {
    ALL.put(name, new Function(name, List.of(parameters), required, false, result, body));
  }

  private static void repeated(
      String name, FieldType result, Body body, int required, Parameter... parameters) {
    ALL.put(name, new Function(name, List.of(parameters), required, true, result, body));
  }

  /**
   * A body that reads each of its arguments a few times.
   *
   * @param times the number of reads, or the cost of reading relative to copying
   */
  private static Body reads(
      int times, java.util.function.Function<Object[], @Nullable Object> function) {
    return (a, work) -> {
      for (Object argument : a) {
        work.read(size(argument, work) * times);
      }
      return function.apply(a);
    };
  }

  /** Returns the number of characters of an argument; for a list, including its items. */
  private static long size(Object argument, FilterWork work) {
    if (argument instanceof List<?> list) {
      work.charge(list.size());
      long sum = 0;
      for (Object item : list) {
        sum += item instanceof String text ? text.length() : 1;
      }
      return sum;
    }
    return argument instanceof String text ? text.length() : 1;
  }

  private static Object length(Object[] a) {
    return switch (a[0]) {
      case String bytes -> (long) bytes.length();
      case Map<?, ?> map -> (long) map.size();
      default -> (long) ((List<?>) a[0]).size();
    };
  }

  private static Object concat(Object[] a) {
    StringBuilder out = new StringBuilder();
    Arrays.stream(a).forEach(out::append);
    return out.toString();
  }

  /** A negative position counts from the end; a range outside the value is empty. */
  private static Object substring(Object[] a) {
    String bytes = (String) a[0];
    int from = position((Long) a[1], bytes.length());
    int to = a.length == 3 ? position((Long) a[2], bytes.length()) : bytes.length();
    return from < to ? bytes.substring(from, to) : "";
  }

  private static int position(long index, int length) {
    long position = index < 0 ? length + index : index;
    return Math.clamp(position, 0, length);
  }

  private static @Nullable Object split(Object[] a, FilterWork work) {
    String separator = (String) a[1];
    long most = (Long) a[2];
    work.search(((String) a[0]).length(), separator.length());
    if (separator.isEmpty() || most < 1 || most > ExpressionBounds.SPLIT_MAX) {
      return null;
    }
    String quoted = java.util.regex.Pattern.quote(separator);
    return List.of(((String) a[0]).split(quoted, (int) most));
  }

  private static Object join(Object[] a, FilterWork work) {
    List<?> items = (List<?>) a[0];
    work.read(size(items, work) + (long) items.size() * ((String) a[1]).length());
    return items.stream().map(String.class::cast).collect(joining((String) a[1]));
  }

  private static @Nullable Object cidr(Object[] a) {
    IpAddress ip = (IpAddress) a[0];
    return network(ip, (Long) (ip.v6() ? a[2] : a[1]));
  }

  private static @Nullable Object cidr6(Object[] a) {
    IpAddress ip = (IpAddress) a[0];
    return ip.v6() ? network(ip, (Long) a[1]) : ip;
  }

  private static @Nullable Object network(IpAddress ip, long prefix) {
    return prefix < 0 || prefix > ip.bits() ? null : ip.network((int) prefix);
  }
}
