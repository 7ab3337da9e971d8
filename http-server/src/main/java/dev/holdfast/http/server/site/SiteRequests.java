package dev.holdfast.http.server.site;

import dev.holdfast.http.server.internal.ServerBounds;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Reads requests of Jetty: the firewall and the origin must see the same host and path. */
final class SiteRequests {

  private SiteRequests() {}

  /** {@return the host that the client named, with its port if it named one} */
  static String host(Request request) {
    @Nullable String host = request.getHeaders().get(HttpHeader.HOST);
    if (host != null) {
      return host;
    }
    // HTTP/2 has it in the target.
    @Nullable String authority = request.getHttpURI().getAuthority();
    return authority == null ? Request.getServerName(request) : authority;
  }

  /**
   * {@return the status that refuses a request which the origin could read as another one; 0 if it
   * may pass}
   */
  static int refusal(Request request) {
    if (HttpMethod.CONNECT.is(request.getMethod())) {
      return 501;
    }
    if (Request.unWrap(request).isSecure() && !request.getConnectionMetaData().isSecure()) {
      // An absolute target of https, which says nothing about the connection (RFC 9110, 7.4).
      return 421;
    }
    HttpFields headers = request.getHeaders();
    if (isTooLong(request)) {
      return 431;
    }
    List<String> codings = headers.getCSV(HttpHeader.TRANSFER_ENCODING, false);
    boolean isChunked =
        codings.size() == 1
            && codings.getFirst().equalsIgnoreCase("chunked")
            && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1;
    if (headers.contains(HttpHeader.TRANSFER_ENCODING) && !isChunked) {
      return 400;
    }
    @Nullable String host = headers.get(HttpHeader.HOST);
    @Nullable String authority = request.getHttpURI().getAuthority();
    return host == null || authority == null || sameHost(request, host, authority) ? 0 : 400;
  }

  /**
   * {@return whether the head is longer than the limit, as HTTP/1 would send it} Of HTTP/2, the
   * library accepts a longer one, to answer it; the canonical form may be longer than that of the
   * client.
   */
  static boolean isTooLong(Request request) {
    @Nullable String target = request.getHttpURI().getPathQuery();
    long bytes = target == null ? 0 : target.length();
    for (HttpField field : request.getHeaders()) {
      @Nullable String value = field.getValue();
      bytes += field.getName().length() + (value == null ? 0 : value.length()) + 4;
    }
    return bytes > ServerBounds.HEAD_BYTES_MAX;
  }

  private static boolean sameHost(Request request, String host, String authority) {
    String port = request.isSecure() ? ":443" : ":80";
    return withoutEnd(host, port).equalsIgnoreCase(withoutEnd(authority, port));
  }

  private static String withoutEnd(String text, String end) {
    return text.endsWith(end) ? text.substring(0, text.length() - end.length()) : text;
  }

  /** {@return the URL as the client named it} */
  static String url(Request request) {
    @Nullable String target = request.getHttpURI().getPathQuery();
    boolean isText = request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2;
    return (request.isSecure() ? "https://" : "http://")
        + host(request)
        + (target == null ? "/" : isText ? target : text(target));
  }

  /** The library has a byte of HTTP/2 in each character; what is no UTF-8 is refused later. */
  private static String text(String target) {
    return new String(target.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
