package dev.holdfast.conformance.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.conformance.script.Errors;
import dev.holdfast.conformance.script.Script;
import dev.holdfast.conformance.script.ScriptObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Passes the steps of a case to an object of a runtime in this process. */
public final class RuntimeHost implements CaseHost {

  private static final JsonMapper JSON = new JsonMapper();

  private final ObjectRuntime runtime;
  private final String namespace;
  private final ObjectStub<Script> object;

  /**
   * Creates the host of a case.
   *
   * @param runtime has the namespaces of {@link #register}
   * @param engine the engine to use
   * @param object the name of the case's object
   */
  public RuntimeHost(ObjectRuntime runtime, StorageEngine engine, String object) {
    this.runtime = runtime;
    this.namespace = engine.label();
    this.object = runtime.namespace(engine.label(), Script.class).stub(object);
  }

  /**
   * Registers a namespace for each engine.
   *
   * @param objects of a runtime that is being opened
   */
  public static void register(ObjectRegistrar objects) {
    for (StorageEngine engine : StorageEngine.values()) {
      objects.namespace(
          engine.label(),
          Script.class,
          ScriptObject::new,
          NamespaceOptions.DEFAULT.withStorage(engine.storage()));
    }
  }

  @Override
  public JsonNode step(JsonNode step, long startMillis) {
    if (step.has("ops")) {
      return request(step.get("ops"), startMillis);
    }
    if (step.has("parallel")) {
      return parallel(step.get("parallel"), startMillis);
    }
    if (step.path("restart").asText().equals("abort")) {
      return resultOf(
          () -> {
            object.blocking().abort();
            return JsonNodeFactory.instance.objectNode().put("aborted", false);
          });
    }
    if (step.has("dump")) {
      return dump(step.get("dump").asText());
    }
    throw new IllegalStateException("unknown step " + step);
  }

  /** Describes the contents of a file to which the object was exported. */
  private JsonNode dump(String what) {
    try {
      Path directory = Files.createTempDirectory("holdfast-dump-");
      Path file = directory.resolve("object.sqlite");
      runtime.recovery(namespace, object.id()).exportTo(file);
      JsonNode dump = FileDump.of(file, what.equals("schema"));
      Files.delete(file);
      Files.delete(directory);
      return dump;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode request(JsonNode operations, long startMillis) {
    return resultOf(() -> parse(object.blocking().run(operations.toString(), startMillis)));
  }

  private JsonNode parallel(JsonNode requests, long startMillis) {
    List<CompletableFuture<JsonNode>> replies = new ArrayList<>();
    for (JsonNode request : requests) {
      long delayMillis = request.path("delay").asLong();
      Executor starter =
          CompletableFuture.delayedExecutor(
              delayMillis, TimeUnit.MILLISECONDS, task -> Thread.ofVirtual().start(task));
      replies.add(
          CompletableFuture.supplyAsync(() -> request(request.get("ops"), startMillis), starter));
    }
    ArrayNode results = JsonNodeFactory.instance.arrayNode();
    replies.forEach(reply -> results.add(reply.join()));
    return results;
  }

  private static JsonNode resultOf(Supplier<JsonNode> request) {
    try {
      return request.get();
    } catch (CompletionException e) {
      return fatal(e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException e) {
      return fatal(e);
    }
  }

  private static JsonNode fatal(Throwable failure) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.set("fatal", Errors.describeForCaller(failure));
    return result;
  }

  private static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a transcript is not JSON: " + json, e);
    }
  }

  @Override
  public void close() {
    // The cases share the runtime; the code that opened it closes it.
  }
}
