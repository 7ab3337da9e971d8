package dev.holdfast.http.firewall;

import dev.holdfast.http.url.WebUrl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
    AGENT,
    BODY
  }

  record Text(Place place, String value) {}

  /** Headers that clients choose and sites show or log. */
  private static final List<String> HEADERS =
      List.of("user-agent", "referer", "x-forwarded-for", "x-api-version", "accept-language");

  /**
   * How many characters are searched: each may take a signature several hundred nanoseconds, and
   * the client chooses how many there are.
   */
  static final int LENGTH_MAX = 32 * 1_024;

  /** What a text costs in addition, in characters. */
  private static final int TEXT_COST = 16;

  private static final List<String> TEXT_TYPES = List.of("json", "xml", "text/", "multipart/form");

  /**
   * An ASCII character that was encoded in two bytes, which some servers accept (groups 1 and 2);
   * an octet of a URL (3); a unit of UTF-16 (4); a reference of HTML, in hex (5) or decimal (6).
   */
  private static final Pattern ESCAPE =
      Pattern.compile(
          "%(?:([cC][01])%([0-9a-fA-F]{2})|([0-9a-fA-F]{2}))|[%\\\\][uU]([0-9a-fA-F]{4})"
              + "|&#(?:[xX]([0-9a-fA-F]{1,7})|([0-9]{1,7}));?");

  private final Set<Text> texts = new LinkedHashSet<>();

  /** How many characters may still be added. */
  private int left = LENGTH_MAX;

  private RequestTexts() {}

  static Set<Text> of(SiteRequest request) {
    RequestTexts all = new RequestTexts();
    // As received: the canonical form has no dot segments, which a scanner sends.
    WebUrl url = WebUrl.of(request.receivedUrl());
    // First what a long query or body must not crowd out.
    request.header("user-agent").forEach(value -> all.add(Place.AGENT, value));
    all.add(Place.PATH, url.givenPath());
    for (String name : HEADERS) {
      request.header(name).forEach(value -> all.add(Place.HEADER, value));
    }
    for (String header : request.header("cookie")) {
      for (String pair : header.split(";", -1)) {
        all.add(Place.COOKIE, pair.substring(pair.indexOf('=') + 1));
      }
    }
    all.pairs(url.givenQuery());
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
    String type = String.join(",", request.header("content-type")).toLowerCase(Locale.ROOT);
    ByteBuffer beginning = request.body().duplicate();
    beginning.limit(beginning.position() + Math.min(beginning.remaining(), LENGTH_MAX));
    String body = StandardCharsets.ISO_8859_1.decode(beginning).toString();
    if (type.contains("x-www-form-urlencoded")) {
      pairs(body);
    } else if (TEXT_TYPES.stream().anyMatch(type::contains)) {
      add(Place.BODY, body);
    }
  }

  /** Adds the beginning of a text, decoded twice, and decoded once where that differs. */
  private void add(Place place, String text) {
    if (text.isEmpty() || left <= 0) {
      return;
    }
    String once = decode(text.substring(0, Math.min(text.length(), left)));
    String twice = decode(once);
    add(new Text(place, plain(twice)));
    if (!once.equals(twice)) {
      add(new Text(place, plain(once)));
    }
  }

  private void add(Text text) {
    if (texts.add(text)) {
      left -= text.value().length() + TEXT_COST;
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
    Matcher found = ESCAPE.matcher(text);
    StringBuilder out = new StringBuilder();
    int copied = 0;
    while (found.find()) {
      out.append(text, copied, found.start()).append(decoded(text, found));
      copied = found.end();
    }
    return copied == 0 ? text : out.append(text, copied, text.length()).toString();
  }

  /** Makes no strings: an attacker chooses how many escapes there are. */
  private static char decoded(String text, Matcher found) {
    if (found.start(1) >= 0) {
      return (char) (((hex(text, found, 1) & 1) << 6) | (hex(text, found, 2) & 0x3F));
    }
    for (int group = 3; group <= 5; group++) {
      if (found.start(group) >= 0) {
        return (char) hex(text, found, group);
      }
    }
    return (char) Integer.parseInt(text, found.start(6), found.end(6), 10);
  }

  private static int hex(String text, Matcher found, int group) {
    return HexFormat.fromHexDigits(text, found.start(group), found.end(group));
  }
}
