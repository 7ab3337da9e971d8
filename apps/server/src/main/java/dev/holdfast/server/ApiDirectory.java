package dev.holdfast.server;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The data directory of the API, as an option of several verbs. Populated by the command line
 * library.
 */
final class ApiDirectory {

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${sys:holdfast.api.data:-holdfast-api}",
      description = "The data directory; default: ${DEFAULT-VALUE}.")
  private @Nullable Path data;

  Path path() {
    return Optional.ofNullable(data).orElseThrow();
  }

  ObjectRuntime open() {
    return open(HttpApiOptions.DEFAULT);
  }

  ObjectRuntime open(HttpApiOptions options) {
    return Holdfast.open(path(), objects -> HttpApi.register(objects, options));
  }

  static HttpApi api(ObjectRuntime runtime) {
    return new HttpApi(runtime, HttpApiOptions.DEFAULT);
  }
}
