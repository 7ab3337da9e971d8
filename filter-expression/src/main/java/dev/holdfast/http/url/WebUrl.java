package dev.holdfast.http.url;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An absolute URL of http, https, ws or wss, read as browsers read it (the URL Standard of the
 * WHATWG): characters that {@link java.net.URI} refuses are percent-encoded, a backslash is a
 * slash, dot segments are removed, a host is in lower case and ASCII, and a default port is
 * removed. User and fragment are dropped. Hosts are stricter than the standard: letters, digits,
 * hyphen, underscore and dot, or an IP address, so that a URL can be put into a header.
 *
 * <p>Two URLs are equal if their texts are equal. Immutable.
 */
public final class WebUrl {

  private static final Map<String, Integer> DEFAULT_PORTS =
      Map.of("http", 80, "https", 443, "ws", 80, "wss", 443);

  private static final Pattern BREAKS = Pattern.compile("[\t\n\r]");
  private static final Pattern LEADING_ZEROS = Pattern.compile("^0+(?=.)");

  private final String scheme;
  private final String host;
  private final int port;
  private final String path;
  private final @Nullable String query;
  private final boolean hasUser;
  private final String givenPath;
  private final String givenQuery;

  private WebUrl(Authority authority, UrlPath path, @Nullable String query, String given) {
    this.scheme = authority.scheme;
    this.host = authority.host;
    this.port = authority.port;
    this.hasUser = authority.hasUser;
    this.path = path.toString();
    this.query = query == null ? null : PercentEncoding.query(query);
    this.givenPath = given.isEmpty() ? "/" : given;
    this.givenQuery = query == null ? "" : query;
  }

  private record Authority(String scheme, String host, int port, boolean hasUser) {}

  /**
   * Reads a URL.
   *
   * @param text any text
   * @return the URL; empty if the text is not an absolute URL of one of the four schemes
   */
  public static Optional<WebUrl> parse(String text) {
    String clean = clean(text);
    int colon = schemeEnd(clean);
    if (colon < 0) {
      return Optional.empty();
    }
    String scheme = clean.substring(0, colon).toLowerCase(Locale.ROOT);
    return DEFAULT_PORTS.containsKey(scheme)
        ? absolute(scheme, clean.substring(colon + 1))
        : Optional.empty();
  }

  /**
   * Reads a URL that must be valid.
   *
   * @param text a URL
   * @return the URL
   * @throws IllegalArgumentException if the text is not an absolute URL of one of the four schemes
   */
  public static WebUrl of(String text) {
    return parse(text).orElseThrow(() -> new IllegalArgumentException("not a web URL: " + text));
  }

  /**
   * Resolves a reference against this URL, such as the target of a redirect.
   *
   * @param reference any text
   * @return the URL; empty if the reference is malformed, or its scheme is not one of the four
   */
  public Optional<WebUrl> resolve(String reference) {
    String clean = clean(reference);
    int colon = schemeEnd(clean);
    if (colon >= 0) {
      String other = clean.substring(0, colon).toLowerCase(Locale.ROOT);
      String rest = clean.substring(colon + 1);
      if (!other.equals(scheme) || startsWithTwoSlashes(rest)) {
        return parse(clean);
      }
      clean = rest;
    }
    if (startsWithTwoSlashes(clean)) {
      return absolute(scheme, clean);
    }
    Authority same = new Authority(scheme, host, port, hasUser);
    Tail tail = Tail.of(clean);
    UrlPath base = UrlPath.of(path);
    if (tail.path().isEmpty()) {
      String kept = clean.startsWith("?") ? tail.query() : query;
      return Optional.of(new WebUrl(same, base, kept, path));
    }
    boolean rooted = isSlash(tail.path().charAt(0));
    UrlPath joined = rooted ? UrlPath.of(tail.path()) : base.parent().with(tail.path());
    return Optional.of(new WebUrl(same, joined, tail.query(), joined.toString()));
  }

  private static Optional<WebUrl> absolute(String scheme, String text) {
    int start = 0;
    while (start < text.length() && isSlash(text.charAt(start))) {
      start++;
    }
    int end = start;
    while (end < text.length() && !endsAuthority(text.charAt(end))) {
      end++;
    }
    Authority authority = authority(scheme, text.substring(start, end));
    if (authority == null) {
      return Optional.empty();
    }
    Tail tail = Tail.of(text.substring(end));
    return Optional.of(new WebUrl(authority, UrlPath.of(tail.path()), tail.query(), tail.path()));
  }

  private static @Nullable Authority authority(String scheme, String text) {
    int at = text.lastIndexOf('@');
    String hostAndPort = text.substring(at + 1);
    int colon = hostAndPort.indexOf(':', Math.max(0, hostAndPort.lastIndexOf(']')));
    String host = UrlHost.parse(colon < 0 ? hostAndPort : hostAndPort.substring(0, colon));
    int port = colon < 0 ? -1 : port(hostAndPort.substring(colon + 1));
    if (host == null || port < -1) {
      return null;
    }
    boolean isDefault = Objects.equals(DEFAULT_PORTS.get(scheme), port);
    return new Authority(scheme, host, isDefault ? -1 : port, at >= 0);
  }

  /** {@return a port, -1 if it is empty, or -2 if it is not a port} */
  private static int port(String digits) {
    String number = LEADING_ZEROS.matcher(digits).replaceFirst("");
    if (number.isEmpty()) {
      return -1;
    }
    if (number.length() > 5 || !number.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -2;
    }
    int port = Integer.parseInt(number);
    return port <= 65_535 ? port : -2;
  }

  /** The part after the host, not encoded and without the fragment. */
  private record Tail(String path, @Nullable String query) {
    static Tail of(String text) {
      int fragment = text.indexOf('#');
      String rest = fragment < 0 ? text : text.substring(0, fragment);
      int question = rest.indexOf('?');
      return question < 0
          ? new Tail(rest, null)
          : new Tail(rest.substring(0, question), rest.substring(question + 1));
    }
  }

  /** Removes surrounding whitespace, and line breaks and tabs, which are never intended. */
  private static String clean(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && text.charAt(start) <= ' ') {
      start++;
    }
    while (end > start && text.charAt(end - 1) <= ' ') {
      end--;
    }
    return BREAKS.matcher(text.substring(start, end)).replaceAll("");
  }

  /** {@return the index of the colon of a scheme, or -1} */
  private static int schemeEnd(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (c == ':') {
        return i == 0 ? -1 : i;
      }
      if (!letter && (i == 0 || !((c >= '0' && c <= '9') || "+-.".indexOf(c) >= 0))) {
        return -1;
      }
    }
    return -1;
  }

  private static boolean endsAuthority(char c) {
    return isSlash(c) || c == '?' || c == '#';
  }

  private static boolean startsWithTwoSlashes(String text) {
    return text.length() > 1 && isSlash(text.charAt(0)) && isSlash(text.charAt(1));
  }

  static boolean isSlash(char c) {
    return c == '/' || c == '\\';
  }

  /** {@return http, https, ws or wss} */
  public String scheme() {
    return scheme;
  }

  /** {@return whether it is of https or wss} */
  public boolean isSecure() {
    return scheme.endsWith("s") && !scheme.equals("ws");
  }

  /** {@return the host in lower case; an IPv6 address in brackets} */
  public String host() {
    return host;
  }

  /** {@return the port to connect to} */
  public int port() {
    return port >= 0 ? port : Objects.requireNonNull(DEFAULT_PORTS.get(scheme));
  }

  /** {@return the host, and the port unless it is the scheme's own} */
  public String authority() {
    return port < 0 ? host : host + ":" + port;
  }

  /** {@return scheme, host, and the port unless it is the scheme's own} */
  public String origin() {
    return scheme + "://" + authority();
  }

  /** {@return the path, which begins with a slash; percent-encoded} */
  public String path() {
    return path;
  }

  /** {@return the query without the question mark, percent-encoded; empty if there is none} */
  public String query() {
    return query == null ? "" : query;
  }

  /** {@return the path as it was given: neither encoded nor shortened; "/" if there was none} */
  public String givenPath() {
    return givenPath;
  }

  /** {@return the query as it was given, without the question mark} */
  public String givenQuery() {
    return givenQuery;
  }

  /**
   * {@return path and query in the form in which a site receives them, which is stricter than in
   * browsers}
   *
   * @throws IllegalArgumentException if servers could read the path differently
   */
  public RequestTarget requestTarget() {
    return RequestTarget.of(givenPath, query == null ? null : givenQuery);
  }

  /** {@return whether it was given with a user, which is not shown} */
  public boolean hasUser() {
    return hasUser;
  }

  /** {@return path and query, as in a request line} */
  public String target() {
    return query == null ? path : path + "?" + query;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WebUrl that && toString().equals(that.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /** {@return the URL, without user and fragment} */
  @Override
  public String toString() {
    return origin() + target();
  }
}
