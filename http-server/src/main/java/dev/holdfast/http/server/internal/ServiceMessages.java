package dev.holdfast.http.server.internal;

import dev.holdfast.http.ApiResponse;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/** Reads requests and writes answers between the library and the services. */
public final class ServiceMessages {

  private ServiceMessages() {}

  /**
   * {@return the values in order, by name in lower case}
   *
   * @param fields the headers of the library
   */
  public static Map<String, List<String>> headers(HttpFields fields) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (HttpField field : fields) {
      @Nullable String value = field.getValue();
      headers
          .computeIfAbsent(field.getLowerCaseName(), name -> new ArrayList<>(1))
          .add(value == null ? "" : text(value));
    }
    return headers;
  }

  /**
   * The library has a byte in each character; the text is that of UTF-8. Bytes that are none stay
   * single characters: they hide no text beside them from a rule.
   */
  private static String text(String value) {
    if (value.chars().allMatch(c -> c < 128)) {
      return value;
    }
    ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1));
    CharBuffer text = CharBuffer.allocate(bytes.remaining());
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CoderResult result = decoder.decode(bytes, text, true);
    while (result.isError()) {
      for (int i = 0; i < result.length(); i++) {
        text.put((char) (bytes.get() & 255));
      }
      result = decoder.decode(bytes, text, true);
    }
    return text.flip().toString();
  }

  /**
   * Writes the head of an answer.
   *
   * @param answer the answer
   * @param body its body
   * @param response the answer of the library
   */
  public static void head(ApiResponse answer, ByteBuffer body, Response response) {
    response.setStatus(answer.status());
    answer.headers().forEach(response.getHeaders()::put);
    if (answer.status() != 204 && answer.status() != 304) {
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
    }
  }
}
