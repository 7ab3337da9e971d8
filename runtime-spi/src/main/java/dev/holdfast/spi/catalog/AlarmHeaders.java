package dev.holdfast.spi.catalog;

import dev.holdfast.filter.Headers;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The headers of an alarm on disk, as {@code docs/formats/catalog.md} describes them. Stateless.
 */
public final class AlarmHeaders {

  private AlarmHeaders() {}

  /**
   * {@return the bytes of headers; none for no headers}
   *
   * @param headers those that an alarm keeps
   */
  public static byte[] encode(Headers headers) {
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    for (Map.Entry<String, String> header : headers.asMap().entrySet()) {
      put(target, header.getKey());
      put(target, header.getValue());
    }
    return target.toByteArray();
  }

  private static void put(ByteArrayOutputStream target, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    target.write(utf8.length >>> 8);
    target.write(utf8.length);
    target.writeBytes(utf8);
  }

  /**
   * Reads headers.
   *
   * @param bytes all of them
   * @return the headers, all marked to be kept
   * @throws IllegalArgumentException if they are not headers of an alarm; the message says why
   */
  public static Headers decode(byte[] bytes) {
    ByteBuffer source = ByteBuffer.wrap(bytes);
    Headers headers = Headers.NONE;
    while (source.hasRemaining()) {
      String name = get(source);
      headers = headers.with(name, get(source)).keep(name);
    }
    return headers;
  }

  private static String get(ByteBuffer source) {
    int length = source.remaining() < Short.BYTES ? -1 : source.getShort() & 0xFFFF;
    if (length < 0 || length > source.remaining()) {
      throw new IllegalArgumentException("headers of an alarm that end too early");
    }
    byte[] utf8 = new byte[length];
    source.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
