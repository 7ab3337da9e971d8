package dev.holdfast.served;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A connection to one tab of a browser, in the DevTools protocol: JSON messages over a web socket,
 * commands with a number that their answer repeats, and events without one. Owned by one thread.
 */
final class DevTools implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
  private final WebSocket socket;
  private int commands;

  DevTools(HttpClient client, URI address) {
    socket = client.newWebSocketBuilder().buildAsync(address, new Receiver()).join();
  }

  /** Messages come in parts. */
  private final class Receiver implements WebSocket.Listener {
    private final StringBuilder message = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(
        WebSocket webSocket, CharSequence data, boolean last) {
      message.append(data);
      if (last) {
        messages.add(JSON.readTree(message.toString()));
        message.setLength(0);
      }
      webSocket.request(1);
      return null;
    }
  }

  /** {@return the result of a command; earlier events are skipped} */
  JsonNode command(String method, Map<String, ?> parameters) {
    int number = ++commands;
    Map<String, ?> command = Map.of("id", number, "method", method, "params", parameters);
    socket.sendText(JSON.writeValueAsString(command), true).join();
    while (true) {
      JsonNode message = next(method);
      if (message.path("id").asInt(0) == number) {
        if (message.has("error")) {
          throw new IllegalStateException(method + ": " + message.get("error"));
        }
        return message.get("result");
      }
    }
  }

  /** Waits for an event that follows the answer to the command that causes it. */
  void awaitEvent(String method) {
    JsonNode message = next(method);
    while (!message.path("method").asString("").equals(method)) {
      message = next(method);
    }
  }

  private JsonNode next(String awaited) {
    try {
      JsonNode message = messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (message == null) {
        throw new IllegalStateException("the browser does not say anything to " + awaited);
      }
      return message;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    socket.abort();
  }
}
