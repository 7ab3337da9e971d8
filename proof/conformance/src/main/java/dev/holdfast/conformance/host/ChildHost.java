package dev.holdfast.conformance.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.launcher.process.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Passes the steps of a case to a runtime in a separate process, which the case kills. */
public final class ChildHost implements CaseHost {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** An operation that changes nothing. */
  private static final JsonNode WARM_UP =
      JsonNodeFactory.instance
          .arrayNode()
          .add(JsonNodeFactory.instance.objectNode().put("m", "getAlarm"));

  private final List<String> arguments;
  private ChildJvm child;

  /**
   * Starts the process.
   *
   * @param directory its data directory
   * @param engine the engine to use
   */
  public ChildHost(Path directory, StorageEngine engine) {
    this.arguments = List.of(directory.toString(), engine.name());
    this.child = start();
    // Loading the classes takes seconds on a busy machine; cases have deadlines.
    try {
      step(JsonNodeFactory.instance.objectNode().set("ops", WARM_UP), 0);
    } catch (RuntimeException e) {
      child.close();
      throw e;
    }
  }

  private ChildJvm start() {
    ChildJvm started = ChildJvm.start(ChildMain.class, arguments);
    try {
      String line = answer(started);
      if (!line.equals(ChildMain.READY)) {
        throw new IllegalStateException("the child wrote an unknown line: " + line);
      }
    } catch (RuntimeException e) {
      started.close();
      throw e;
    }
    return started;
  }

  @Override
  public JsonNode step(JsonNode step, long startMillis) {
    String restart = step.path("restart").asText();
    if (restart.equals("kill") || restart.equals("term")) {
      end(restart.equals("kill"));
      waitMillis(step.path("downMs").asLong());
      child = start();
      return JsonNodeFactory.instance.objectNode().put("restarted", true);
    }
    child.say(startMillis + " " + step);
    try {
      return JSON.readTree(answer(child));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the child did not answer in JSON", e);
    }
  }

  private void end(boolean kill) {
    if (kill) {
      child.kill();
    } else {
      ProcessHandle.of(child.pid()).ifPresent(ProcessHandle::destroy);
    }
    child.exitCode();
  }

  private static void waitMillis(long millis) {
    new CompletableFuture<Void>().completeOnTimeout(null, millis, TimeUnit.MILLISECONDS).join();
  }

  private static String answer(ChildJvm child) {
    return child
        .nextLine(PATIENCE)
        .orElseThrow(() -> new IllegalStateException("child " + child.pid() + " does not answer"));
  }

  @Override
  public void close() {
    child.close();
  }
}
