package dev.holdfast.http.server.fetch;

import dev.holdfast.http.server.internal.ServerBounds;
import dev.holdfast.http.url.WebUrl;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The response to one GET on a separate connection, read from an untrusted server. */
final class FetchedResponse {

  private final int status;
  private final String location;
  private final byte[] body;

  private FetchedResponse(int status, String location, byte[] body) {
    this.status = status;
    this.location = location;
    this.body = body;
  }

  int status() {
    return status;
  }

  /** {@return the target of a redirect; empty if it is missing} */
  String location() {
    return location;
  }

  /** {@return the body; empty unless the status is 200} */
  byte[] body() {
    return body;
  }

  boolean isRedirect() {
    return status >= 300 && status < 400;
  }

  static void writeRequest(OutputStream out, WebUrl url) throws IOException {
    String request =
        "GET "
            + url.target()
            + " HTTP/1.1\r\nHost: "
            + url.authority()
            + "\r\nAccept: */*\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n";
    out.write(request.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /**
   * Reads an answer.
   *
   * @throws IOException if it is malformed, or its body longer than allowed
   */
  static FetchedResponse read(InputStream in, int bodyBytesMax) throws IOException {
    int status = status(line(in));
    Map<String, String> headers = headers(in);
    String location = headers.getOrDefault("location", "");
    byte[] body = status == 200 ? body(in, headers, bodyBytesMax) : new byte[0];
    return new FetchedResponse(status, location, body);
  }

  private static int status(String line) throws IOException {
    if (!line.matches("HTTP/1\\.[01] [2-5][0-9]{2}( .*)?")) {
      throw new IOException("not an HTTP/1.1 response");
    }
    return Integer.parseInt(line.substring(9, 12));
  }

  private static Map<String, String> headers(InputStream in) throws IOException {
    Map<String, String> headers = new HashMap<>();
    for (int lines = 0; lines < ServerBounds.RESPONSE_LINES_MAX; lines++) {
      String line = line(in);
      if (line.isEmpty()) {
        return headers;
      }
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
    }
    throw new IOException("more than " + ServerBounds.RESPONSE_LINES_MAX + " headers");
  }

  private static byte[] body(InputStream in, Map<String, String> headers, int bytesMax)
      throws IOException {
    if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      return chunks(in, bytesMax);
    }
    String length = headers.get("content-length");
    if (length == null) {
      byte[] body = in.readNBytes(bytesMax + 1);
      if (body.length > bytesMax) {
        throw tooLong(bytesMax);
      }
      return body;
    }
    int bytes = number(length, 10);
    if (bytes > bytesMax) {
      throw tooLong(bytesMax);
    }
    byte[] body = in.readNBytes(bytes);
    if (body.length < bytes) {
      throw new IOException("the response ends after " + body.length + " of " + bytes + " bytes");
    }
    return body;
  }

  private static byte[] chunks(InputStream in, int bytesMax) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int bytes = number(line(in).split(";", 2)[0].strip(), 16);
      if (bytes == 0) {
        return body.toByteArray();
      }
      if (bytes > bytesMax - body.size()) {
        throw tooLong(bytesMax);
      }
      byte[] chunk = in.readNBytes(bytes);
      if (chunk.length < bytes || !line(in).isEmpty()) {
        throw new IOException("the response ends within a chunk");
      }
      body.write(chunk);
    }
  }

  private static IOException tooLong(int bytesMax) {
    return new IOException("the response is longer than " + bytesMax + " bytes");
  }

  private static int number(String text, int radix) throws IOException {
    // No legitimate length has more digits, and fewer cannot overflow.
    if (!text.matches("[0-9A-Fa-f]{1,7}")) {
      throw new IOException("not a length: " + text.substring(0, Math.min(20, text.length())));
    }
    try {
      return Integer.parseInt(text, radix);
    } catch (NumberFormatException e) {
      throw new IOException("not a length: " + text, e);
    }
  }

  /** A line without its end. */
  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      int next = in.read();
      if (next < 0 || line.size() > ServerBounds.RESPONSE_LINE_BYTES_MAX) {
        throw new IOException(next < 0 ? "the response ends within a line" : "a line is too long");
      }
      if (next == '\n') {
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
      line.write(next);
    }
  }
}
