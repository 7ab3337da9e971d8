package dev.holdfast.http.server.internal;

import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.site.SiteGuard;
import java.nio.ByteBuffer;
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
          .add(value == null ? "" : SiteGuard.headerText(value));
    }
    return headers;
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
