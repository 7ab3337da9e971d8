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
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

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
      case Admission.Answered answered ->
          reply(line, client, validated(head, answered.response()), "");
      case Admission.Admitted admitted -> {
        int bytesMax = Math.min(options.bodyBytesMax(), admitted.bodyBytesMax());
        byte[] read = body.read(bytesMax, admitted.holder());
        ApiResponse response = admitted.answer().apply(ByteBuffer.wrap(read));
        yield reply(line, client, validated(head, response), admitted.holder());
      }
    };
  }

  /**
   * Adds what caches need: an answer may be kept by its client, which asks each time whether it
   * still holds. Returns an answer without a body if it does.
   */
  private static ApiResponse validated(RequestHead head, ApiResponse response) {
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
            .anyMatch(known -> known.strip().equals(tag));
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
