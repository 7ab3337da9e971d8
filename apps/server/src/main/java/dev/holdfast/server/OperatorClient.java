package dev.holdfast.server;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The requests of an operator, to the server that has a data directory open, or to the directory if
 * none has. Confined to one thread.
 */
final class OperatorClient implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int REFUSED = 400;
  private static final int FAILED = 500;

  private final Requests requests;
  private final @Nullable ObjectRuntime opened;

  /** Answers a request of the API with its status and body. */
  @FunctionalInterface
  private interface Requests {
    ApiResponse answer(String method, String path, String body);
  }

  private OperatorClient(Requests requests, @Nullable ObjectRuntime opened) {
    this.requests = requests;
    this.opened = opened;
  }

  static OperatorClient of(OperatorConnection server) {
    return new OperatorClient((method, path, body) -> ask(server, method, path, body), null);
  }

  static OperatorClient of(ObjectRuntime runtime) {
    return new OperatorClient(
        (method, path, body) ->
            HttpApi.operate(runtime, HttpApiOptions.DEFAULT, method, path, body),
        runtime);
  }

  private static ApiResponse ask(
      OperatorConnection server, String method, String path, String body) {
    OperatorRequest request =
        OperatorRequest.of("application")
            .with("name", HttpApi.OPERATION)
            .with("method", method)
            .with("path", path)
            .with("body", body);
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    server.perform(request, answers::add);
    Map<String, @Nullable Object> answer = answers.getFirst();
    return new ApiResponse(
        answer.get("status") instanceof Number status ? status.intValue() : FAILED,
        Map.of(),
        String.valueOf(answer.get("body")));
  }

  /**
   * Sends a request.
   *
   * @return the result
   * @throws WrongInputException if it is refused
   * @throws RunFailedException if it fails
   */
  JsonNode ask(String method, String path, String body) {
    ApiResponse answer = requests.answer(method, path, body);
    JsonNode envelope = JSON.readTree(answer.body());
    if (answer.status() < REFUSED) {
      return envelope.get("result");
    }
    JsonNode error = envelope.at("/errors/0");
    String pointer = error.at("/source/pointer").asString("");
    String reason =
        error.path("message").asString("") + (pointer.isEmpty() ? "" : " at " + pointer);
    throw answer.status() < FAILED
        ? new WrongInputException(reason)
        : new RunFailedException(reason + "; look at the log of the server");
  }

  @Override
  public void close() {
    if (opened != null) {
      opened.close();
    }
  }
}
