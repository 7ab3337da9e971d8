package dev.holdfast.http.firewall;

import dev.holdfast.http.url.WebUrl;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

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
    StringBuilder out = new StringBuilder(text.length());
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c == '%' && isHex(text, i + 1, 2)) {
        i = octet(text, i, out);
      } else if ((c == '%' || c == '\\')
          && i + 1 < text.length()
          && (text.charAt(i + 1) | 32) == 'u'
          && isHex(text, i + 2, 4)) {
        out.append((char) HexFormat.fromHexDigits(text, i + 2, i + 6));
        i += 6;
      } else if (c == '&' && text.startsWith("#", i + 1)) {
        i = reference(text, i, out);
      } else {
        out.append(c);
        i++;
      }
    }
    return out.toString();
  }

  /** An ASCII character that was encoded in two bytes is decoded too: some servers accept it. */
  private static int octet(String text, int at, StringBuilder out) {
    int first = HexFormat.fromHexDigits(text, at + 1, at + 3);
    boolean overlong = (first == 0xC0 || first == 0xC1) && text.startsWith("%", at + 3);
    if (overlong && isHex(text, at + 4, 2)) {
      int second = HexFormat.fromHexDigits(text, at + 4, at + 6);
      out.append((char) (((first & 1) << 6) | (second & 0x3F)));
      return at + 6;
    }
    out.append((char) first);
    return at + 3;
  }

  private static int reference(String text, int at, StringBuilder out) {
    boolean hex = at + 2 < text.length() && (text.charAt(at + 2) | 32) == 'x';
    int start = at + (hex ? 3 : 2);
    int end = start;
    while (end < text.length() && end < start + 7 && isDigit(text.charAt(end), hex)) {
      end++;
    }
    if (end == start) {
      out.append(text.charAt(at));
      return at + 1;
    }
    out.append((char) Integer.parseInt(text, start, end, hex ? 16 : 10));
    return end < text.length() && text.charAt(end) == ';' ? end + 1 : end;
  }

  private static boolean isDigit(char c, boolean hex) {
    return hex ? HexFormat.isHexDigit(c) : c >= '0' && c <= '9';
  }

  private static boolean isHex(String text, int start, int count) {
    if (start + count > text.length()) {
      return false;
    }
    for (int i = start; i < start + count; i++) {
      if (!HexFormat.isHexDigit(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }
}
