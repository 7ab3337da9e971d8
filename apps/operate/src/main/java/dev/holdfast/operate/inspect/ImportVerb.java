package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect import}. Populated by the command line library. */
@Command(
    name = "import",
    description =
        "Replaces the state of an object by a SQLite file of export, or of the reference runtime.",
    footer = {
      "",
      "Example: ./holdfast inspect import accounts alice alice.sqlite --yes --data data/demo"
    })
final class ImportVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Parameters(index = "2", paramLabel = "FILE", description = "The file.")
  private @Nullable Path file;

  @Option(names = "--yes", description = "Does it.")
  private boolean yes;

  @Override
  boolean changesStopped() {
    return true;
  }

  @Override
  @Nullable String danger() {
    return yes ? null : "import replaces the state of the object";
  }

  @Override
  OperatorRequest request() {
    return set(object).request("import").with("file", set(file).toAbsolutePath().toString());
  }
}
