package dev.holdfast.http.internal.server;

import static dev.holdfast.http.internal.server.RefusedRequestException.malformed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads request lines and headers as RFC 9112 has them, without what it allows out of kindness. */
final class HeadReader {

  private static final String TOKEN = "!#$%&'*+-.^_`|~";
  private static final String NOT_IN_TARGET = "\"<>\\^`{|}";

  private HeadReader() {}

  static RequestHead read(ConnectionInput in) throws IOException {
    int rest = Limits.HEAD_BYTES_MAX;
    String line = in.line(rest, 414);
    if (line.isEmpty()) {
      // Some clients end a body with one line break too many.
      line = in.line(rest, 414);
    }
    rest -= line.length() + 2;
    String[] parts = line.split(" ", -1);
    if (parts.length != 3 || !isToken(parts[0])) {
      throw malformed("the request line is not method, target and version");
    }
    if (!parts[2].equals("HTTP/1.1") && !parts[2].equals("HTTP/1.0")) {
      throw parts[2].matches("HTTP/[0-9]\\.[0-9]")
          ? new RefusedRequestException(505, "the version is not HTTP/1.1")
          : malformed("the request line has no version of HTTP");
    }
    String target = target(parts[1]);
    Map<String, List<String>> headers = headers(in, rest);
    int question = target.indexOf('?');
    RequestHead head =
        new RequestHead(
            parts[0],
            question < 0 ? target : target.substring(0, question),
            question < 0 ? "" : target.substring(question + 1),
            parts[2].equals("HTTP/1.0"),
            headers);
    int hosts = headers.getOrDefault("host", List.of()).size();
    if (hosts > 1 || (hosts == 0 && !head.isOld())) {
      throw malformed("not exactly one Host header");
    }
    return head;
  }

  /** {@return path and query: what was sent to a proxy names the host before them} */
  private static String target(String text) throws RefusedRequestException {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c > '~' || NOT_IN_TARGET.indexOf(c) >= 0) {
        throw malformed(
            "the target is no URI: character " + (i + 1) + " has to be percent-encoded");
      }
    }
    if (text.startsWith("/") || text.equals("*")) {
      return text;
    }
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.startsWith("http://") && !lower.startsWith("https://")) {
      throw malformed("the target is neither a path nor a URL");
    }
    int start = text.indexOf('/', text.indexOf("://") + 3);
    int question = text.indexOf('?');
    if (start < 0 || (question >= 0 && question < start)) {
      return "/" + (question < 0 ? "" : text.substring(question));
    }
    return text.substring(start);
  }

  private static Map<String, List<String>> headers(ConnectionInput in, int bytesMax)
      throws IOException {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    int rest = bytesMax;
    for (int count = 0; count <= Limits.HEADERS_MAX; count++) {
      String line = in.line(rest, 431);
      rest -= line.length() + 2;
      if (line.isEmpty()) {
        return headers;
      }
      int colon = line.indexOf(':');
      if (colon < 0 || !isToken(line.substring(0, colon))) {
        throw malformed("a header is not name, colon and value");
      }
      String value = line.substring(colon + 1).strip();
      if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 127)) {
        throw malformed("a header has a control character");
      }
      headers
          .computeIfAbsent(
              line.substring(0, colon).toLowerCase(Locale.ROOT), n -> new ArrayList<>(1))
          .add(value);
    }
    throw new RefusedRequestException(431, "more than " + Limits.HEADERS_MAX + " headers");
  }

  private static boolean isToken(String text) {
    return !text.isEmpty()
        && text.chars()
            .allMatch(
                c ->
                    (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || TOKEN.indexOf(c) >= 0);
  }
}
