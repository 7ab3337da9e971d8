package dev.holdfast.server;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.operator.OperatorConnection;
import java.io.IOException;
import java.nio.file.Files;
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

  /** Opens the runtime of a server, which operators reach while it runs. */
  ObjectRuntime serve(HttpApiOptions options) {
    return Holdfast.open(
        path(),
        objects ->
            HttpApi.register(
                objects.options(RuntimeOptions.DEFAULT.withOperatorSocket()), options));
  }

  /** Reaches the server that has the directory open; opens the directory if none has. */
  OperatorClient operator() throws IOException {
    Optional<OperatorConnection> server =
        Files.isDirectory(path()) ? OperatorConnection.find(path()) : Optional.empty();
    return server.isPresent()
        ? OperatorClient.of(server.get())
        : OperatorClient.of(
            Holdfast.open(path(), objects -> HttpApi.register(objects, HttpApiOptions.DEFAULT)));
  }
}
