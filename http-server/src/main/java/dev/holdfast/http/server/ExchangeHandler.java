package dev.holdfast.http.server;

import dev.holdfast.http.Admission;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.server.internal.RefusedRequestException;
import dev.holdfast.http.server.internal.Reply;
import dev.holdfast.http.server.internal.RequestBody;
import dev.holdfast.http.server.internal.RequestHandler;
import dev.holdfast.http.server.internal.RequestHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
    return reply(request, client, HttpApi.refusal(refused.status(), reason), "");
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
