package dev.holdfast.filter;

import dev.holdfast.filter.HeadersException.Reason;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names and values that travel with a call: through the filters, to the object, and with every call
 * that the object makes on behalf of it, asynchronous ones too. Tasks and timers that the object
 * starts inherit them. A runtime without filters passes no headers on, because nothing reads them.
 *
 * <p>At most {@value #COUNT_MAX} headers of {@value #BYTES_MAX} bytes together: names and values in
 * UTF-8. A name is a token of HTTP in lower case: {@code a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~}.
 * Those that are {@linkplain #keep marked} have at most {@value #KEPT_BYTES_MAX} bytes together: an
 * alarm that is set during the call keeps them, and each of its runs has them.
 *
 * <p>Immutable.
 */
public final class Headers {

  /** How many headers there may be. */
  public static final int COUNT_MAX = 32;

  /** How many bytes the names and values may have together, in UTF-8. */
  public static final int BYTES_MAX = 8 << 10;

  /** How many bytes the names and values that an alarm keeps may have together, in UTF-8. */
  public static final int KEPT_BYTES_MAX = 256;

  /** No headers. */
  public static final Headers NONE = new Headers(Map.of(), Set.of());

  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

  private final Map<String, String> values;
  private final Set<String> kept;

  private Headers(Map<String, String> values, Set<String> kept) {
    this.values = values;
    this.kept = kept;
  }

  private static Headers checked(Map<String, String> values, Set<String> kept) {
    if (values.size() > COUNT_MAX) {
      throw new HeadersException(
          Reason.COUNT, "A call has at most " + COUNT_MAX + " headers, not " + values.size());
    }
    long bytes = 0;
    long keptBytes = 0;
    for (Map.Entry<String, String> header : values.entrySet()) {
      long own = header.getKey().length() + utf8Length(header.getKey(), header.getValue());
      bytes += own;
      if (bytes > BYTES_MAX) {
        throw new HeadersException(
            Reason.BYTES,
            "The headers of a call have at most "
                + BYTES_MAX
                + " bytes; remove or shorten some, such as "
                + header.getKey());
      }
      if (kept.contains(header.getKey())) {
        keptBytes += own;
      }
    }
    if (keptBytes > KEPT_BYTES_MAX) {
      throw new HeadersException(
          Reason.KEPT_BYTES,
          "An alarm keeps at most "
              + KEPT_BYTES_MAX
              + " bytes of headers, not "
              + keptBytes
              + ": "
              + kept);
    }
    return new Headers(Collections.unmodifiableMap(values), Set.copyOf(kept));
  }

  /**
   * {@return one header}
   *
   * @param name a token in lower case
   * @param value its value
   * @throws HeadersException if the name is not a token in lower case, the value is malformed, or
   *     both are too long
   */
  public static Headers of(String name, String value) {
    return NONE.with(name, value);
  }

  /**
   * {@return these headers and one more}
   *
   * @param name a token in lower case
   * @param value its value; replaces the value of a header with the same name, which stays marked
   *     if it was
   * @throws HeadersException if the name is not a token in lower case, the value is malformed, or
   *     the headers exceed a bound
   */
  public Headers with(String name, String value) {
    requireName(name);
    Map<String, String> changed = new LinkedHashMap<>(values);
    changed.put(name, value);
    return checked(changed, kept);
  }

  /**
   * {@return these headers and others, with the marks of both}
   *
   * @param others replace those with the same names
   * @throws HeadersException if the headers exceed a bound
   */
  public Headers withAll(Headers others) {
    if (others.isEmpty()) {
      return this;
    }
    if (isEmpty()) {
      return others;
    }
    Map<String, String> all = new LinkedHashMap<>(values);
    all.putAll(others.values);
    Set<String> marked = new HashSet<>(kept);
    marked.addAll(others.kept);
    return checked(all, marked);
  }

  /**
   * {@return these headers without one}
   *
   * @param name of the header; it may be absent
   */
  public Headers without(String name) {
    if (!values.containsKey(name)) {
      return this;
    }
    Map<String, String> changed = new LinkedHashMap<>(values);
    changed.remove(name);
    Set<String> marked = new HashSet<>(kept);
    marked.remove(name);
    return checked(changed, marked);
  }

  /**
   * Marks a header: an alarm that is set while these are the headers of the current call keeps it.
   * The mark travels with the header.
   *
   * @param name of the header; without one of this name, nothing changes
   * @return these headers with the mark
   * @throws HeadersException if the marked headers exceed their bound
   */
  public Headers keep(String name) {
    if (!values.containsKey(name) || kept.contains(name)) {
      return this;
    }
    Set<String> marked = new HashSet<>(kept);
    marked.add(name);
    return checked(values, marked);
  }

  /** {@return the marked headers: what an alarm keeps} */
  public Headers kept() {
    if (kept.size() == values.size()) {
      return this;
    }
    Map<String, String> marked = new LinkedHashMap<>(values);
    marked.keySet().retainAll(kept);
    return marked.isEmpty() ? NONE : checked(marked, kept);
  }

  /**
   * {@return the value of a header}
   *
   * @param name its name, in lower case
   */
  public Optional<String> get(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** {@return names and values, in the order in which they were added; unmodifiable} */
  public Map<String, String> asMap() {
    return values;
  }

  /** {@return whether there are no headers} */
  public boolean isEmpty() {
    return values.isEmpty();
  }

  private static void requireName(String name) {
    boolean isToken = !name.isEmpty();
    for (int at = 0; at < name.length(); at++) {
      char c = name.charAt(at);
      isToken &= (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || TOKEN_MARKS.indexOf(c) >= 0;
    }
    if (!isToken) {
      throw new HeadersException(
          Reason.NAME, "The name of a header is a token in lower case, such as x-tenant: " + name);
    }
  }

  /** Counts up to the bound of all headers. */
  private static long utf8Length(String name, String value) {
    long bytes = 0;
    for (int at = 0; at < value.length() && bytes <= BYTES_MAX; at++) {
      char c = value.charAt(at);
      if (!Character.isSurrogate(c)) {
        bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
      } else if (Character.isHighSurrogate(c)
          && at + 1 < value.length()
          && Character.isLowSurrogate(value.charAt(at + 1))) {
        at++;
        bytes += 4;
      } else {
        throw new HeadersException(
            Reason.VALUE, "The value of a header has half of a surrogate pair: " + name);
      }
    }
    return bytes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Headers that && values.equals(that.values) && kept.equals(that.kept);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** {@return the names; values may be secret, and logs would show them} */
  @Override
  public String toString() {
    return values.keySet().toString();
  }
}
