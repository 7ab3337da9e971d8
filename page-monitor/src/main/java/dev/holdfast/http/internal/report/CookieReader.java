package dev.holdfast.http.internal.report;

import dev.holdfast.http.monitor.object.SeenCookie;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cookies of a page: those that its response sets and its browser keeps (RFC 6265bis),
 * and those that its request has sent. What a browser refuses, or deletes because it has expired,
 * is left out. Where browsers differ, the stricter ones are followed. Stateless.
 */
public final class CookieReader {

  private static final Pattern CONTROLS = Pattern.compile("[\\x00-\\x08\\x0A-\\x1F\\x7F]");
  private static final Pattern SECONDS = Pattern.compile("-?[0-9]+");
  private static final Pattern IP_ADDRESS = Pattern.compile("[0-9.]+|.*:.*|\\[.*");

  /** The longest name and value together, and the longest value of an attribute, in bytes. */
  private static final int PAIR_BYTES_MAX = 4_096;

  private static final int ATTRIBUTE_LENGTH_MAX = 1_024;

  private CookieReader() {}

  /**
   * Reads the cookies of a page.
   *
   * @param page the page
   * @param request the headers of its request, by name in lower case
   * @param response the headers of its response, by name in lower case
   * @param now the time
   * @return the cookies
   */
  public static List<SeenCookie> read(
      WebUrl page,
      Map<String, List<String>> request,
      Map<String, List<String>> response,
      Instant now) {
    List<SeenCookie> cookies = new ArrayList<>();
    response.getOrDefault("set-cookie", List.of()).stream()
        .limit(MonitorBounds.COOKIES_MAX)
        .forEach(header -> set(header, page, now).ifPresent(cookies::add));
    for (String header : request.getOrDefault("cookie", List.of())) {
      for (String pair : header.split(";", MonitorBounds.COOKIES_MAX)) {
        String name = halves(pair)[0];
        if (pair.contains("=") && isName(name) && cookies.size() < 2 * MonitorBounds.COOKIES_MAX) {
          cookies.add(new Attributes(Map.of(), page).cookie(name, false, now));
        }
      }
    }
    return cookies;
  }

  /** {@return what is before and after the first equals sign; the second is empty without one} */
  private static String[] halves(String pair) {
    String[] halves = (pair + (pair.contains("=") ? "" : "=")).split("=", 2);
    return new String[] {halves[0].strip(), halves[1].strip()};
  }

  private static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MonitorBounds.COOKIE_NAME_LENGTH_MAX
        && name.chars().allMatch(c -> c > ' ');
  }

  /** {@return the cookie that a header sets; empty if browsers keep none} */
  private static Optional<SeenCookie> set(String header, WebUrl page, Instant now) {
    if (CONTROLS.matcher(header).find()) {
      return Optional.empty();
    }
    String[] parts = header.split(";", MonitorBounds.COOKIE_ATTRIBUTES_MAX);
    String[] first = halves(parts[0]);
    String name = parts[0].contains("=") ? first[0] : "";
    if (!isName(name) || name.length() + first[1].length() > PAIR_BYTES_MAX) {
      return Optional.empty();
    }
    Map<String, String> given = new HashMap<>();
    for (int i = 1; i < parts.length; i++) {
      String[] attribute = halves(parts[i]);
      if (attribute[1].length() <= ATTRIBUTE_LENGTH_MAX) {
        put(given, attribute[0].toLowerCase(Locale.ROOT), attribute[1]);
      }
    }
    Attributes attributes = new Attributes(given, page);
    return attributes.isKept(name, now)
        ? Optional.of(attributes.cookie(name, true, now))
        : Optional.empty();
  }

  /** The last of several counts; one that cannot be read is as if it were missing. */
  private static void put(Map<String, String> given, String attribute, String text) {
    boolean isReadable =
        switch (attribute) {
          case "expires" -> CookieDate.parse(text) != null;
          case "max-age" -> SECONDS.matcher(text).matches();
          default -> true;
        };
    if (isReadable) {
      given.put(attribute, text);
    }
  }

  /** The attributes of a cookie by their names in lower case, and the page that has it. */
  private record Attributes(Map<String, String> given, WebUrl page) {

    boolean isSecure() {
      return given.containsKey("secure");
    }

    String domain() {
      String domain = given.getOrDefault("domain", "").toLowerCase(Locale.ROOT);
      return domain.startsWith(".") ? domain.substring(1) : domain;
    }

    String path() {
      String path = given.getOrDefault("path", "");
      if (path.startsWith("/")) {
        return path;
      }
      int slash = page.path().lastIndexOf('/');
      return slash <= 0 ? "/" : page.path().substring(0, Math.min(slash, ATTRIBUTE_LENGTH_MAX));
    }

    String sameSite() {
      String site = given.getOrDefault("samesite", "").toLowerCase(Locale.ROOT);
      return site.equals("strict") || site.equals("none") ? site : "lax";
    }

    @Nullable Long maxAge() {
      String text = given.get("max-age");
      // More digits than a number has: for ever, or long ago.
      return text == null ? null : (Long) (long) Double.parseDouble(text);
    }

    @Nullable Instant expires() {
      return CookieDate.parse(given.getOrDefault("expires", ""));
    }

    boolean isKept(String name, Instant now) {
      Long maxAge = maxAge();
      Instant expires = expires();
      boolean isExpired = maxAge != null ? maxAge <= 0 : expires != null && !expires.isAfter(now);
      boolean needsSecure =
          isSecure()
              || sameSite().equals("none")
              || given.containsKey("partitioned")
              || isPrefixed(name, "__secure-")
              || isPrefixed(name, "__host-");
      boolean isHostOnly = domain().isEmpty() && "/".equals(given.get("path"));
      return !isExpired
          && (!needsSecure || (isSecure() && isTrustworthy()))
          && (!isPrefixed(name, "__host-") || isHostOnly)
          && isOfDomain(page.host());
    }

    private static boolean isPrefixed(String name, String prefix) {
      return name.regionMatches(true, 0, prefix, 0, prefix.length());
    }

    /** Browsers take cookies with the attribute "Secure" from the machine itself without TLS. */
    private boolean isTrustworthy() {
      return page.isSecure()
          || page.host().equals("localhost")
          || page.host().endsWith(".localhost");
    }

    private boolean isOfDomain(String host) {
      String domain = domain();
      if (domain.isEmpty() || domain.equals(host)) {
        return true;
      }
      // A domain of one label is the end of public names.
      return domain.contains(".")
          && host.endsWith("." + domain)
          && !IP_ADDRESS.matcher(host).matches();
    }

    SeenCookie cookie(String name, boolean isSet, Instant now) {
      String domain = domain();
      return new SeenCookie(
          name,
          page.host(),
          domain.isEmpty() ? page.host() : domain,
          path(),
          expires(),
          maxAge(),
          sameSite(),
          isSecure(),
          given.containsKey("httponly"),
          isSet,
          List.of(page.host() + page.path()),
          now);
    }
  }
}
