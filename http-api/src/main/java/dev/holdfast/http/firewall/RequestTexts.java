package dev.holdfast.http.firewall;

import dev.holdfast.http.url.WebUrl;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The texts of a request in which attacks are searched: in lower case, with escapes decoded. */
final class RequestTexts {

  enum Place {
    PATH,
    NAME,
    PARAMETER,
    COOKIE,
    HEADER,
    BODY
  }

  record Text(Place place, String value) {}

  /** Headers that clients choose and sites show or log. */
  private static final List<String> HEADERS =
      List.of("user-agent", "referer", "x-forwarded-for", "x-api-version", "accept-language");

  private static final List<String> TEXT_TYPES = List.of("json", "xml", "text/", "multipart/form");

  /**
   * An ASCII character that was encoded in two bytes, which some servers accept; an octet of a URL;
   * a unit of UTF-16; a reference of HTML.
   */
  private static final Pattern ESCAPE =
      Pattern.compile(
          "(?i)%(?<first>c[01])%(?<second>[0-9a-f]{2})|%(?<octet>[0-9a-f]{2})"
              + "|[%\\\\]u(?<unit>[0-9a-f]{4})|&#(?:x(?<hex>[0-9a-f]{1,7})|(?<decimal>[0-9]{1,7}));?");

  private final Set<Text> texts = new LinkedHashSet<>();

  private RequestTexts() {}

  static Set<Text> of(SiteRequest request) {
    RequestTexts all = new RequestTexts();
    WebUrl url = WebUrl.of(request.url());
    all.add(Place.PATH, url.givenPath());
    all.pairs(url.givenQuery());
    for (String header : request.header("cookie")) {
      for (String pair : header.split(";", -1)) {
        all.add(Place.COOKIE, pair.substring(pair.indexOf('=') + 1));
      }
    }
    for (String name : HEADERS) {
      request.header(name).forEach(value -> all.add(Place.HEADER, value));
    }
    all.body(request);
    return all.texts;
  }

  private void pairs(String joined) {
    for (String pair : joined.split("&", -1)) {
      String text = pair.replace('+', ' ');
      int equals = text.indexOf('=');
      add(Place.NAME, equals < 0 ? text : text.substring(0, equals));
      add(Place.PARAMETER, text.substring(equals + 1));
    }
  }

  private void body(SiteRequest request) {
    if (!request.body().hasRemaining()) {
      return;
    }
    String type =
        request.header("content-type").stream().findFirst().orElse("").toLowerCase(Locale.ROOT);
    String body = StandardCharsets.ISO_8859_1.decode(request.body().duplicate()).toString();
    if (type.contains("x-www-form-urlencoded")) {
      pairs(body);
    } else if (TEXT_TYPES.stream().anyMatch(type::contains)) {
      add(Place.BODY, body);
    }
  }

  /** Adds a text as it is, and decoded once and twice where that differs. */
  private void add(Place place, String text) {
    if (text.isEmpty()) {
      return;
    }
    String once = decode(text);
    String twice = decode(once);
    texts.add(new Text(place, plain(twice)));
    if (!once.equals(twice)) {
      texts.add(new Text(place, plain(once)));
    }
  }

  /** In lower case; a comment within is a blank, as a database reads it. */
  private static String plain(String text) {
    String lower = text.toLowerCase(Locale.ROOT).replace("\0", "");
    StringBuilder out = new StringBuilder();
    int copied = 0;
    int start = lower.indexOf("/*");
    int end = start < 0 ? -1 : lower.indexOf("*/", start + 2);
    while (end >= 0) {
      out.append(lower, copied, start).append(' ');
      copied = end + 2;
      start = lower.indexOf("/*", copied);
      end = start < 0 ? -1 : lower.indexOf("*/", start + 2);
    }
    return copied == 0 ? lower : out.append(lower, copied, lower.length()).toString();
  }

  /** Decodes what URLs, JSON and HTML escape; what is no escape stays. */
  private static String decode(String text) {
    if (text.indexOf('%') < 0 && text.indexOf('\\') < 0 && text.indexOf('&') < 0) {
      return text;
    }
    return ESCAPE
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(decoded(found))));
  }

  private static char decoded(MatchResult found) {
    if (found.group("second") != null) {
      return (char) (((hex(found, "first") & 1) << 6) | (hex(found, "second") & 0x3F));
    }
    for (String group : List.of("octet", "unit", "hex")) {
      if (found.group(group) != null) {
        return (char) hex(found, group);
      }
    }
    return (char) Integer.parseInt(found.group("decimal"));
  }

  private static int hex(MatchResult found, String group) {
    return HexFormat.fromHexDigits(found.group(group));
  }
}
