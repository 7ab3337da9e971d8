package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect export}. Populated by the command line library. */
@Command(
    name = "export",
    description = "Writes the state of an object into a new SQLite file.",
    footer = {
      "",
      "Example: ./holdfast inspect export accounts alice alice.sqlite --data data/demo"
    })
final class ExportVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Parameters(index = "2", paramLabel = "FILE", description = "The new file.")
  private @Nullable Path file;

  @Override
  OperatorRequest request() {
    // The process that writes it may have another working directory.
    return set(object).request("export").with("file", set(file).toAbsolutePath().toString());
  }
}
