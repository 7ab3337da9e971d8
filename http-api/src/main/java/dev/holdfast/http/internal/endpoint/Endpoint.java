package dev.holdfast.http.internal.endpoint;

import static java.util.stream.Collectors.toMap;

import dev.holdfast.http.object.Permission;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An operation of the {@link OpenApi} document that requires a credential.
 *
 * @param name its id in the document
 * @param method the HTTP method
 * @param segments the segments of the path after the version, with braces for identifiers; the
 *     first one after {@code zones} is that of the zone
 * @param permission the required permission; null if a valid credential is enough
 * @param isForProxies whether {@link Permission#PROXY} is enough
 * @param bodySchema the schema of the body; a missing node if there is none
 * @param hasDryRun whether a client may ask for all checks without the change
 */
public record Endpoint(
    String name,
    String method,
    List<String> segments,
    @Nullable Permission permission,
    boolean isForProxies,
    JsonNode bodySchema,
    boolean hasDryRun) {

  private static final Map<String, Endpoint> ALL =
      OpenApi.part("#/paths")
          .propertyStream()
          .flatMap(
              path ->
                  path.getValue()
                      .propertyStream()
                      .filter(method -> method.getValue().has("x-permission"))
                      .map(method -> read(path.getKey(), method.getKey(), method.getValue())))
          .collect(toMap(Endpoint::name, Function.identity()));

  private static Endpoint read(String path, String method, JsonNode operation) {
    JsonNode needed = operation.get("x-permission"); // null says that a credential is enough
    return new Endpoint(
        operation.get("operationId").stringValue(),
        method.toUpperCase(Locale.ROOT),
        List.of(path.substring(1).replaceAll("\\{\\w+}", "{}").split("/", -1)),
        needed.isNull() ? null : Permission.valueOf(needed.stringValue().toUpperCase(Locale.ROOT)),
        operation.has("x-proxy"),
        operation.at("/requestBody/content/application~1json/schema"),
        operation
            .path("parameters")
            .valueStream()
            .anyMatch(parameter -> parameter.path("name").asString("").equals("dry_run")));
  }

  /** {@return all endpoints} */
  public static Collection<Endpoint> all() {
    return ALL.values();
  }

  /**
   * {@return the endpoint with a name}
   *
   * @param name its id in the document
   * @throws IllegalArgumentException if there is none
   */
  public static Endpoint of(String name) {
    Endpoint found = ALL.get(name);
    if (found == null) {
      throw new IllegalArgumentException("there is no operation " + name);
    }
    return found;
  }
}
