package dev.holdfast.http.site;

import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.firewall.SiteRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Puts the firewall and the page monitor in front of a handler of Jetty.
 *
 * <pre>{@code
 * server.setHandler(new FirewallHandler(api, SiteOptions.DEFAULT, site));
 * }</pre>
 *
 * <p>It answers blocked requests with the status 403, challenges as the options say, and hosts
 * without a zone with 421; it serves the address of reports, and adds the headers of the monitor
 * and of policies to pages. It blocks the thread of the request.
 */
public final class FirewallHandler extends Handler.Wrapper {

  private final SiteGuard guard;

  /**
   * Creates the handler.
   *
   * @param api the API whose zones decide
   * @param options the options
   * @param site answers the requests that pass
   */
  public FirewallHandler(HttpApi api, SiteOptions options, Handler site) {
    super(site);
    this.guard = new SiteGuard(api, options);
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.BLOCKING;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Map<String, List<String>> headers = map(request.getHeaders());
    SiteRequest asked =
        SiteRequest.of(
            request.getMethod(),
            url(request),
            headers,
            guard.client(
                Request.getRemoteAddr(request),
                headers.getOrDefault("x-forwarded-for", List.of())));
    int bodyBytes = guard.bodyBytes(asked);
    Request site = request;
    if (bodyBytes > 0 && request.getLength() != 0) {
      ReplayedRequest replayed = ReplayedRequest.read(request, bodyBytes);
      asked = asked.withBody(replayed.beginning(), replayed.isCut());
      site = replayed;
    }
    Optional<ApiResponse> answer = guard.answer(asked);
    if (answer.isPresent()) {
      send(answer.get(), response, callback);
      return true;
    }
    return super.handle(site, new PageResponse(site, response, asked), callback);
  }

  private static void send(ApiResponse answer, Response response, Callback callback) {
    ByteBuffer body = ByteBuffer.wrap(answer.body().getBytes(StandardCharsets.UTF_8));
    response.setStatus(answer.status());
    answer.headers().forEach(response.getHeaders()::put);
    if (answer.status() != 204) {
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
    }
    response.write(true, body, callback);
  }

  /** The URL as the client named it; the host is that of the header. */
  private static String url(Request request) {
    @Nullable String host = request.getHeaders().get(HttpHeader.HOST);
    @Nullable String target = request.getHttpURI().getPathQuery();
    return (request.isSecure() ? "https://" : "http://")
        + (host == null ? Request.getServerName(request) : host)
        + (target == null ? "/" : target);
  }

  private static Map<String, List<String>> map(HttpFields fields) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (HttpField field : fields) {
      @Nullable String value = field.getValue();
      headers
          .computeIfAbsent(field.getName().toLowerCase(Locale.ROOT), name -> new ArrayList<>(1))
          .add(value == null ? "" : value);
    }
    return headers;
  }

  /** Adds the headers of a page when the site begins to answer. */
  private final class PageResponse extends Response.Wrapper {

    private final SiteRequest asked;
    private boolean isBegun;

    PageResponse(Request request, Response wrapped, SiteRequest asked) {
      super(request, wrapped);
      this.asked = asked;
    }

    @Override
    public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
      if (!isBegun && !isCommitted()) {
        isBegun = true;
        try {
          guard
              .headers(asked, map(getHeaders()))
              .forEach(header -> getHeaders().add(header.name(), header.value()));
        } catch (IllegalArgumentException e) {
          // A page without its policies would allow what they forbid.
          callback.failed(new IOException("the policies of a page are unknown", e));
          return;
        }
      }
      super.write(last, content, callback);
    }
  }
}
