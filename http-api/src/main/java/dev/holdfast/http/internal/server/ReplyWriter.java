package dev.holdfast.http.internal.server;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** Writes answers, each with one call, so that it is one packet if it is short. Thread-safe. */
final class ReplyWriter {

  private static final Map<Integer, String> REASONS =
      Map.ofEntries(
          Map.entry(200, "OK"),
          Map.entry(204, "No Content"),
          Map.entry(400, "Bad Request"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(410, "Gone"),
          Map.entry(413, "Content Too Large"),
          Map.entry(414, "URI Too Long"),
          Map.entry(417, "Expectation Failed"),
          Map.entry(429, "Too Many Requests"),
          Map.entry(431, "Request Header Fields Too Large"),
          Map.entry(500, "Internal Server Error"),
          Map.entry(501, "Not Implemented"),
          Map.entry(503, "Service Unavailable"),
          Map.entry(505, "HTTP Version Not Supported"));

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final InstantSource clock;

  /** The date as it was last written, which holds for a second. */
  private volatile Written date = new Written(Long.MIN_VALUE, "");

  private record Written(long second, String text) {}

  ReplyWriter(InstantSource clock) {
    this.clock = clock;
  }

  void write(OutputStream out, Reply reply, boolean withoutBody, boolean isLast)
      throws IOException {
    StringBuilder head = new StringBuilder(256);
    head.append("HTTP/1.1 ").append(reply.status()).append(' ');
    head.append(REASONS.getOrDefault(reply.status(), "")).append("\r\nDate: ").append(date());
    reply
        .headers()
        .forEach((name, value) -> head.append("\r\n").append(name).append(": ").append(value));
    if (reply.status() != 204) {
      head.append("\r\nContent-Length: ").append(reply.body().remaining());
    }
    head.append(isLast ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n");
    byte[] first = head.toString().getBytes(StandardCharsets.ISO_8859_1);
    int length = withoutBody || reply.status() == 204 ? 0 : reply.body().remaining();
    byte[] all = Arrays.copyOf(first, first.length + length);
    reply.body().get(all, first.length, length);
    out.write(all);
    out.flush();
  }

  private String date() {
    Instant now = clock.instant();
    Written last = date;
    if (last.second() != now.getEpochSecond()) {
      last = new Written(now.getEpochSecond(), DATE.format(now));
      date = last;
    }
    return last.text();
  }
}
