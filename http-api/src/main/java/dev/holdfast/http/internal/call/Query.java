package dev.holdfast.http.internal.call;

import dev.holdfast.http.internal.reply.ApiException;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of a query. Unknown parameters are ignored: clients send some of their own. */
public final class Query {

  private static final int PARAMETERS_MAX = 1_000;

  private final Map<String, List<String>> values;

  private Query(Map<String, List<String>> values) {
    this.values = values;
  }

  /**
   * Reads a query string.
   *
   * @param query the part after the question mark; may be empty
   * @return its parameters
   * @throws ApiException if an escape in it is malformed
   */
  public static Query parse(String query) {
    Map<String, List<String>> values = new HashMap<>();
    if (!query.isEmpty()) {
      String[] pairs = query.split("&", PARAMETERS_MAX + 1);
      if (pairs.length > PARAMETERS_MAX) {
        throw RefusedException.badParameter("the query", "shorter: more than 1,000 parameters");
      }
      for (String pair : pairs) {
        int equals = pair.indexOf('=');
        String name = decode(equals < 0 ? pair : pair.substring(0, equals));
        String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
        values.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
      }
    }
    return new Query(values);
  }

  private static String decode(String escaped) {
    String text;
    try {
      text = URLDecoder.decode(escaped, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw RefusedException.badParameter("the query", "percent-encoded UTF-8");
    }
    if (text.indexOf('\uFFFD') >= 0 || text.indexOf('\0') >= 0) {
      throw RefusedException.badParameter("the query", "percent-encoded UTF-8 without U+0000");
    }
    return text;
  }

  /**
   * {@return a parameter, or null if it is missing or empty}
   *
   * @param name its name
   */
  public @Nullable String text(String name) {
    List<String> all = values.get(name);
    return all == null || all.getLast().isEmpty() ? null : all.getLast();
  }

  /**
   * {@return all values of a parameter that may be repeated}
   *
   * @param name its name
   */
  public List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  /**
   * Returns a parameter that is a list: separated by commas, repeated, or both. Items may be
   * encoded a second time, so that they can contain commas.
   *
   * @param name its name
   * @return its items; none if it is missing
   */
  public List<String> items(String name) {
    List<String> items = new ArrayList<>();
    for (String value : all(name)) {
      for (String item : value.split(",", -1)) {
        if (!item.isEmpty()) {
          items.add(decode(item.replace("+", "%2B")));
        }
      }
    }
    return items;
  }

  /**
   * {@return a parameter that is true or false, or null if it is missing}
   *
   * @param name its name
   * @throws ApiException if it is something else
   */
  public @Nullable Boolean flag(String name) {
    String value = text(name);
    return switch (value) {
      case null -> null;
      case "true" -> true;
      case "false" -> false;
      default -> throw RefusedException.badParameter(name, "true or false");
    };
  }

  /**
   * {@return a parameter that is true or false}
   *
   * @param name its name
   * @param otherwise the value if it is missing
   * @throws ApiException if it is something else
   */
  public boolean flag(String name, boolean otherwise) {
    return Objects.requireNonNullElse(flag(name), otherwise);
  }

  /**
   * {@return a parameter that is one of a set of words, in lower case; null if it is missing}
   *
   * @param name its name
   * @param words the permitted words
   * @throws ApiException if it is something else
   */
  public @Nullable String word(String name, Set<String> words) {
    String value = text(name);
    String word = value == null ? null : value.toLowerCase(Locale.ROOT);
    if (word != null && !words.contains(word)) {
      throw RefusedException.badParameter(
          name, "one of " + String.join(", ", words.stream().sorted().toList()));
    }
    return word;
  }

  /**
   * {@return a parameter that is one of a set of words, in lower case}
   *
   * @param name its name
   * @param words the permitted words
   * @param otherwise the value if it is missing
   * @throws ApiException if it is something else
   */
  public String word(String name, Set<String> words, String otherwise) {
    return Objects.requireNonNullElse(word(name, words), otherwise);
  }

  /**
   * {@return a parameter that is a whole number}
   *
   * @param name its name
   * @param least the minimum
   * @param most the maximum
   * @param otherwise the value if it is missing
   * @throws ApiException if it is something else
   */
  public int number(String name, int least, int most, int otherwise) {
    String value = text(name);
    if (value == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most && Character.isDigit(value.charAt(0))) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Handled below, like a number out of its range.
    }
    throw RefusedException.badParameter(
        name,
        most == Integer.MAX_VALUE
            ? "a whole number of at least " + least
            : "a whole number from " + least + " to " + most);
  }

  /**
   * {@return the requested page}
   *
   * @param sizeLeast the minimum page size
   * @param sizeOtherwise the page size if none is requested
   * @throws ApiException if the page or its size is out of its range
   */
  public PageRange page(int sizeLeast, int sizeOtherwise) {
    return new PageRange(
        number("page", 1, Integer.MAX_VALUE, 1), number("per_page", sizeLeast, 100, sizeOtherwise));
  }

  /**
   * {@return the requested page of a short list, which is one page if no size is requested}
   *
   * @param count the number of its items
   * @throws ApiException if the page or its size is out of its range
   */
  public PageRange pageOfAll(int count) {
    return new PageRange(
        number("page", 1, Integer.MAX_VALUE, 1),
        number("per_page", 1, Integer.MAX_VALUE, Math.max(1, count)));
  }
}
