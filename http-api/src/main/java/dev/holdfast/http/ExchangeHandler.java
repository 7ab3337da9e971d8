package dev.holdfast.http;

import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.server.RefusedRequestException;
import dev.holdfast.http.internal.server.Reply;
import dev.holdfast.http.internal.server.RequestBody;
import dev.holdfast.http.internal.server.RequestHandler;
import dev.holdfast.http.internal.server.RequestHead;
import dev.holdfast.http.object.ZoneReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Answers the requests that the server reads: first checks the caller and the operation, then reads
 * the body. Thread-safe.
 */
final class ExchangeHandler implements RequestHandler {

  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);

  private final Function<ApiRequest, Admission> admission;
  private final ServerOptions options;

  ExchangeHandler(Function<ApiRequest, Admission> admission, ServerOptions options) {
    this.admission = admission;
    this.options = options;
  }

  @Override
  public Reply answer(RequestHead head, RequestBody body, String client) throws IOException {
    ApiRequest request =
        new ApiRequest(head.method(), head.path(), head.query(), head.headers(), NO_BODY)
            .withClient(client);
    String line = head.method() + " " + head.path();
    return switch (admission.apply(request)) {
      case Admission.Answered answered -> reply(line, client, answered.response(), "");
      case Admission.Admitted admitted -> {
        int bytesMax = Math.min(options.bodyBytesMax(), admitted.bodyBytesMax());
        byte[] read = body.read(bytesMax, admitted.holder());
        ApiResponse response = admitted.answer().apply(ByteBuffer.wrap(read));
        yield reply(line, client, response, admitted.holder());
      }
    };
  }

  @Override
  public Reply refuse(RefusedRequestException refused, String request, String client) {
    String reason = String.valueOf(refused.getMessage());
    ApiError error =
        switch (refused.status()) {
          case 413, 414, 431 -> new ApiError(10006, reason);
          case 500, 503 -> new ApiError(10013, reason);
          case 429 -> new ApiError(10429, "Too many requests: " + reason);
          default -> new ApiError(10005, "Malformed request: " + reason);
        };
    ZoneReply reply = Envelope.failure(refused.status(), List.of(error));
    Map<String, String> headers = new LinkedHashMap<>(Map.of("Content-Type", reply.contentType()));
    if (refused.status() == 429) {
      headers.put("Retry-After", "1");
    }
    return reply(request, client, new ApiResponse(reply.status(), headers, reply.body()), "");
  }

  /**
   * Logs the line before it returns the answer: a client that has the answer finds the line in the
   * log. The line omits the query: the query of a report is signed, and others may hold private
   * data.
   */
  private Reply reply(String request, String client, ApiResponse response, String holder) {
    byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
    options
        .requestLog()
        .accept(client + " " + request + " " + response.status() + " " + body.length);
    return new Reply(response.status(), response.headers(), ByteBuffer.wrap(body), holder);
  }
}
