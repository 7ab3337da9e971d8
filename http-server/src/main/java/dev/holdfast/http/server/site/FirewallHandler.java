package dev.holdfast.http.server.site;

import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.server.internal.ServiceMessages;
import dev.holdfast.http.site.SiteGuard;
import dev.holdfast.http.site.SiteGuard.Asked;
import dev.holdfast.http.site.SiteOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
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
 * and of policies to pages. It blocks the thread of the request. When it stops, it has the cookies
 * of pages stored.
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
    int refusal = SiteRequests.refusal(request);
    if (refusal != 0) {
      Response.writeError(request, response, callback, refusal);
      return true;
    }
    Asked asked =
        guard
            .asked(
                request.getMethod(),
                SiteRequests.url(request),
                ServiceMessages.headers(request.getHeaders()),
                Request.getRemoteAddr(request))
            .withVersion(request.getConnectionMetaData().getHttpVersion().asString());
    int bodyBytes = guard.bodyBytes(asked);
    Request site =
        asked.request().refusal().isPresent() ? request : new CanonicalRequest(request, asked);
    if (SiteRequests.isTooLong(site)) {
      Response.writeError(request, response, callback, 431);
      return true;
    }
    if (bodyBytes > 0 && request.getLength() != 0) {
      ReplayedRequest replayed;
      try {
        replayed = ReplayedRequest.read(site, bodyBytes);
      } catch (IOException e) {
        // The client has sent no whole body; it is no failure of the site.
        int status = e.getCause() instanceof TimeoutException ? 408 : 400;
        Response.writeError(request, response, callback, status);
        return true;
      }
      asked =
          guard.withBody(asked, replayed.beginning(bodyBytes), replayed.isLongerThan(bodyBytes));
      site = asked.isDecoded() ? new DecodedRequest(replayed, asked.request().body()) : replayed;
    }
    Optional<ApiResponse> answer = guard.answer(asked);
    if (answer.isPresent()) {
      send(answer.get(), request, response, callback);
      return true;
    }
    return super.handle(site, new PageResponse(site, response, asked), callback);
  }

  @Override
  protected void doStop() throws Exception {
    try {
      super.doStop();
    } finally {
      guard.close();
    }
  }

  private static void send(
      ApiResponse answer, Request request, Response response, Callback callback) {
    ByteBuffer body = ByteBuffer.wrap(answer.body().getBytes(StandardCharsets.UTF_8));
    ServiceMessages.head(answer, body, response);
    if (!request.consumeAvailable()) {
      // The library ends the connection then: its client must send no other request on it.
      response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
    }
    response.write(true, body, callback);
  }

  /** Adds the headers of a page when the site begins to answer. */
  private final class PageResponse extends Response.Wrapper {

    private final Asked asked;
    private boolean isBegun;

    PageResponse(Request request, Response wrapped, Asked asked) {
      super(request, wrapped);
      this.asked = asked;
    }

    @Override
    public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
      HttpFields headers = getHeaders();
      boolean isBeginning = !isBegun && !isCommitted();
      isBegun = true;
      if (isBeginning
          && SiteGuard.mayGetHeaders(
              asked,
              headers.get(HttpHeader.CONTENT_TYPE),
              headers.contains(HttpHeader.SET_COOKIE))) {
        try {
          guard
              .headers(asked, ServiceMessages.headers(headers))
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
