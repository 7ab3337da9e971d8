package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A cookie as a response sets it, by the rules of RFC 6265bis.
 *
 * @param name its name
 * @param domain the attribute, or the host
 * @param path the attribute, or the directory of the page
 * @param expires the attribute, or null
 * @param maxAge the attribute in seconds, or null
 * @param sameSite lax, strict or none
 * @param secure whether it has the attribute
 * @param httpOnly whether it has the attribute
 */
record SetCookie(
    String name,
    String domain,
    String path,
    @Nullable Instant expires,
    @Nullable Long maxAge,
    String sameSite,
    boolean secure,
    boolean httpOnly) {

  /** Reads a header; null if there is no cookie in it. */
  static @Nullable SetCookie parse(String header, String host, String pagePath) {
    String[] parts = header.split(";", HttpBounds.COOKIE_ATTRIBUTES_MAX);
    int equals = parts[0].indexOf('=');
    String name = equals < 0 ? "" : parts[0].substring(0, equals).strip();
    if (name.isEmpty()
        || name.length() > HttpBounds.COOKIE_NAME_LENGTH_MAX
        || name.chars().anyMatch(c -> c < 33)) {
      return null;
    }
    SetCookie cookie =
        new SetCookie(name, host, directory(pagePath), null, null, "lax", false, false);
    for (int i = 1; i < parts.length; i++) {
      int sign = parts[i].indexOf('=');
      String attribute = (sign < 0 ? parts[i] : parts[i].substring(0, sign)).strip();
      String value = sign < 0 ? "" : parts[i].substring(sign + 1).strip();
      cookie = cookie.with(attribute.toLowerCase(Locale.ROOT), value);
    }
    return cookie;
  }

  private SetCookie with(String attribute, String value) {
    return switch (attribute) {
      case "domain" ->
          value.isEmpty() || value.length() > HttpBounds.COOKIE_NAME_LENGTH_MAX
              ? this
              : new SetCookie(
                  name, undotted(value), path, expires, maxAge, sameSite, secure, httpOnly);
      case "path" ->
          value.startsWith("/") && value.length() <= HttpBounds.COOKIE_NAME_LENGTH_MAX
              ? new SetCookie(name, domain, value, expires, maxAge, sameSite, secure, httpOnly)
              : this;
      case "expires" -> {
        // An unreadable attribute is ignored, as if it were missing.
        Instant date = CookieDate.parse(value);
        yield date == null
            ? this
            : new SetCookie(name, domain, path, date, maxAge, sameSite, secure, httpOnly);
      }
      case "max-age" ->
          new SetCookie(name, domain, path, expires, seconds(value), sameSite, secure, httpOnly);
      case "samesite" ->
          new SetCookie(name, domain, path, expires, maxAge, site(value), secure, httpOnly);
      case "secure" -> new SetCookie(name, domain, path, expires, maxAge, sameSite, true, httpOnly);
      case "httponly" -> new SetCookie(name, domain, path, expires, maxAge, sameSite, secure, true);
      default -> this;
    };
  }

  private static String undotted(String domain) {
    return (domain.startsWith(".") ? domain.substring(1) : domain).toLowerCase(Locale.ROOT);
  }

  private static String directory(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }

  private static String site(String value) {
    String site = value.toLowerCase(Locale.ROOT);
    return site.equals("strict") || site.equals("none") ? site : "lax";
  }

  private static @Nullable Long seconds(String value) {
    return value.matches("-?[0-9]{1,15}") ? Long.valueOf(value) : null;
  }
}
