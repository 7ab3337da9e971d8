package dev.holdfast.http.server.internal;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Passes requests to the handler, including those that the library refuses. Thread-safe. */
final class RequestAnswers extends Handler.Abstract {

  private static final Logger LOG = System.getLogger("dev.holdfast.http");

  private final RequestHandler handler;
  private final BodyBudget budget;
  private final BodyBudget unread;
  private final long requestMillis;

  RequestAnswers(RequestHandler handler, BodyBudget budget, Limits limits) {
    this.handler = handler;
    this.budget = budget;
    this.unread =
        new BodyBudget(
            Math.clamp(
                (long) limits.bodiesBytes() * ServerBounds.ANSWERS_TIMES_BODIES,
                1,
                Integer.MAX_VALUE));
    this.requestMillis = limits.request().toMillis();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    RequestHead head =
        new RequestHead(request.getMethod(), path(request), query(request), headers(request));
    RequestBody body = new RequestBody(request, budget, requestMillis);
    try {
      Reply reply;
      boolean isLast = false;
      try {
        body.check();
        reply = handler.answer(head, body, client(request));
      } catch (RefusedRequestException refused) {
        reply = handler.refuse(refused, head.method() + " " + head.path(), client(request));
        isLast = true;
      } catch (RuntimeException | Error e) {
        // Its message is for the log, not for a client.
        LOG.log(Level.ERROR, () -> head.method() + " " + head.path() + " failed", e);
        reply = handler.refuse(internalError(), head.method() + " " + head.path(), client(request));
        isLast = true;
      } finally {
        body.release();
      }
      if (isLast || !body.canBeSkipped()) {
        response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
      }
      send(reply, head, request, response);
      body.discard();
      callback.succeeded();
    } catch (IOException gone) {
      // The client is gone, or was too slow; no answer can be sent.
      LOG.log(Level.DEBUG, "connection of {0}: {1}", client(request), gone);
      callback.failed(gone);
    }
    return true;
  }

  /** Holds the answer until the client has read it, if the budget has room. */
  private void send(Reply reply, RequestHead head, Request request, Response response)
      throws IOException {
    int bytes = reply.body().remaining();
    if (bytes <= ServerBounds.SHORT_ANSWER_BYTES_MAX) {
      head(reply, response);
      Content.Sink.write(response, true, reply.body());
    } else if (unread.tryTake(reply.holder(), bytes)) {
      try {
        head(reply, response);
        Content.Sink.write(response, true, reply.body());
      } finally {
        unread.release(reply.holder(), bytes);
      }
    } else if (head.method().equals("GET")) {
      RefusedRequestException refused =
          new RefusedRequestException(429, "too many answers that were not read");
      Reply refusal = handler.refuse(refused, "GET " + head.path(), client(request));
      head(refusal, response);
      Content.Sink.write(response, true, refusal.body());
    } else {
      // The operation was performed: a client that receives a refusal would repeat it.
      request.getConnectionMetaData().getConnection().getEndPoint().close();
      throw new IOException("too many answers that were not read");
    }
  }

  private static RefusedRequestException internalError() {
    return new RefusedRequestException(500, "Internal error");
  }

  private static void head(Reply reply, Response response) {
    response.setStatus(reply.status());
    reply.headers().forEach(response.getHeaders()::put);
    if (reply.status() != 204 && reply.status() != 304) {
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().remaining());
    }
  }

  private static String path(Request request) {
    @Nullable String path = request.getHttpURI().getPath();
    return path == null ? "" : path;
  }

  private static String query(Request request) {
    @Nullable String query = request.getHttpURI().getQuery();
    return query == null ? "" : query;
  }

  private static String client(Request request) {
    return Request.getRemoteAddr(request);
  }

  private static Map<String, List<String>> headers(Request request) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (HttpField field : request.getHeaders()) {
      @Nullable String value = field.getValue();
      headers
          .computeIfAbsent(field.getName().toLowerCase(Locale.ROOT), name -> new ArrayList<>(1))
          .add(value == null ? "" : value);
    }
    return headers;
  }

  /** {@return the handler that answers instead of the library, whose own answers are pages} */
  Request.Handler refusals() {
    return this::refuse;
  }

  private boolean refuse(Request request, Response response, Callback callback) {
    // The library treats an unknown version of HTTP as an upgrade.
    int status = response.getStatus() == 426 ? 505 : response.getStatus();
    String reason = String.valueOf(request.getAttribute(ErrorHandler.ERROR_MESSAGE));
    // The library represents an unreadable request line as a request with this method.
    String line =
        request.getMethod().equals("BAD") ? "- -" : request.getMethod() + " " + path(request);
    RefusedRequestException refused =
        status == 500 ? internalError() : new RefusedRequestException(status, reason);
    Reply reply = handler.refuse(refused, line, client(request));
    head(reply, response);
    response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
    response.write(true, reply.body(), callback);
    return true;
  }
}
