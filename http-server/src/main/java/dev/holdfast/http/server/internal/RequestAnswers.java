package dev.holdfast.http.server.internal;

import dev.holdfast.http.Admission;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests: first checks the caller and the operation, then reads the body; also answers
 * those that the library refuses. Thread-safe.
 */
final class RequestAnswers extends Handler.Abstract {

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);
  private static final String INTERNAL_ERROR = "Internal error";
  private static final String TOO_MANY_ANSWERS = "too many answers that were not read";

  private final Function<ApiRequest, Admission> admission;
  private final Consumer<String> requestLog;
  private final BodyBudget budget;
  private final BodyBudget unread;
  private final Limits limits;

  /** An answer, with the holder to which it is charged until the client has read it. */
  private record Answer(ApiResponse response, ByteBuffer body, String holder) {}

  RequestAnswers(
      Function<ApiRequest, Admission> admission,
      Consumer<String> requestLog,
      BodyBudget budget,
      Limits limits) {
    this.admission = admission;
    this.requestLog = requestLog;
    this.budget = budget;
    this.unread =
        new BodyBudget(
            Math.clamp(
                (long) limits.bodiesBytes() * ServerBounds.ANSWERS_TIMES_BODIES,
                1,
                Integer.MAX_VALUE));
    this.limits = limits;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    ApiRequest head =
        new ApiRequest(
            request.getMethod(),
            path(request),
            Objects.requireNonNullElse(request.getHttpURI().getQuery(), ""),
            ServiceMessages.headers(request.getHeaders()),
            NO_BODY,
            Request.getRemoteAddr(request));
    RequestBody body = new RequestBody(request, budget, limits.request().toMillis());
    try {
      Answer answer;
      boolean isLast = false;
      try {
        body.check();
        answer = answer(head, body);
      } catch (HttpException.RuntimeException refused) {
        answer = refusal(refused.getCode(), refused.getReason(), line(head), head.client());
        isLast = true;
      } catch (RuntimeException | Error e) {
        // Its message is for the log, not for a client.
        LOG.log(Level.ERROR, () -> line(head) + " failed", e);
        answer = refusal(500, INTERNAL_ERROR, line(head), head.client());
        isLast = true;
      } finally {
        body.release();
      }
      if (isLast || !body.canBeSkipped()) {
        response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
      }
      send(answer, head, request, response);
      body.discard();
      callback.succeeded();
    } catch (IOException | HttpException.RuntimeException gone) {
      // The client is gone, or was too slow; no answer can be sent.
      LOG.log(Level.DEBUG, "connection of {0}: {1}", head.client(), gone);
      callback.failed(gone);
    }
    return true;
  }

  private Answer answer(ApiRequest head, RequestBody body) throws IOException {
    return switch (admission.apply(head)) {
      case Admission.Answered answered ->
          answer(line(head), head.client(), validated(head, answered.response()), "");
      case Admission.Admitted admitted -> {
        int bytesMax = Math.min(limits.bodyBytes(), admitted.bodyBytesMax());
        byte[] read = body.read(bytesMax, admitted.holder());
        ApiResponse response = admitted.answer().apply(ByteBuffer.wrap(read));
        yield answer(line(head), head.client(), validated(head, response), admitted.holder());
      }
    };
  }

  /**
   * Adds what caches need: an answer may be kept by its client, which asks each time whether it
   * still holds. Returns an answer without a body if it does.
   */
  private static ApiResponse validated(ApiRequest head, ApiResponse response) {
    if (response.status() != 200
        || !(head.method().equals("GET") || head.method().equals("HEAD"))) {
      return response;
    }
    String tag = "W/\"" + hash(response.body()) + "\"";
    Map<String, String> headers = new LinkedHashMap<>(response.headers());
    headers.put("ETag", tag);
    headers.put("Cache-Control", "private, no-cache");
    boolean isKnown =
        head.headers().getOrDefault("if-none-match", List.of()).stream()
            .flatMap(known -> Stream.of(known.split(",", -1)))
            .map(String::strip)
            .anyMatch(known -> known.equals(tag) || known.equals("*"));
    if (!isKnown) {
      return new ApiResponse(200, headers, response.body());
    }
    headers.remove("Content-Type");
    return new ApiResponse(304, headers, "");
  }

  private static String hash(String body) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Logs the line before it returns the answer: a client that has the answer finds the line in the
   * log. The line omits the query: the query of a report is signed, and others may hold private
   * data.
   */
  private Answer answer(String line, String client, ApiResponse response, String holder) {
    byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
    requestLog.accept(client + " " + line + " " + response.status() + " " + body.length);
    return new Answer(response, ByteBuffer.wrap(body), holder);
  }

  private Answer refusal(int status, @Nullable String reason, String line, String client) {
    return answer(line, client, HttpApi.refusal(status, String.valueOf(reason)), "");
  }

  private static String line(ApiRequest head) {
    return head.method() + " " + head.path();
  }

  /** Holds the answer until the client has read it, if the budget has room. */
  private void send(Answer answer, ApiRequest head, Request request, Response response)
      throws IOException {
    int bytes = answer.body().remaining();
    if (bytes <= ServerBounds.SHORT_ANSWER_BYTES_MAX) {
      write(answer, response);
    } else if (unread.tryTake(answer.holder(), bytes)) {
      try {
        write(answer, response);
      } finally {
        unread.release(answer.holder(), bytes);
      }
    } else if (head.method().equals("GET")) {
      write(refusal(429, TOO_MANY_ANSWERS, line(head), head.client()), response);
    } else {
      // The operation was performed: a client that receives a refusal would repeat it.
      request.getConnectionMetaData().getConnection().getEndPoint().close();
      throw new IOException(TOO_MANY_ANSWERS);
    }
  }

  private static void write(Answer answer, Response response) throws IOException {
    ServiceMessages.head(answer.response(), answer.body(), response);
    Content.Sink.write(response, true, answer.body());
  }

  private static String path(Request request) {
    return Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
  }

  /** Answers instead of the library, whose own answers are pages. */
  boolean refuse(Request request, Response response, Callback callback) {
    WebServer.logIfInternal(request, response);
    // The library treats an unknown version of HTTP as an upgrade.
    int status = response.getStatus() == 426 ? 505 : response.getStatus();
    String reason = String.valueOf(request.getAttribute(ErrorHandler.ERROR_MESSAGE));
    // The library represents an unreadable request line as a request with this method.
    String line =
        request.getMethod().equals("BAD") ? "- -" : request.getMethod() + " " + path(request);
    Answer answer =
        refusal(
            status, status == 500 ? INTERNAL_ERROR : reason, line, Request.getRemoteAddr(request));
    ServiceMessages.head(answer.response(), answer.body(), response);
    response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
    response.write(true, answer.body(), callback);
    return true;
  }
}
