package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect objects}. Populated by the command line library. */
@Command(
    name = "objects",
    description = "Lists objects, with their sizes, last changes and next alarms.",
    footer = {"", "Example: ./holdfast inspect objects counters --prefix front --data data/demo"})
final class ObjectsVerb extends InspectVerb.OfMany {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "NAMESPACE",
      description = "A namespace; default: all.")
  private @Nullable String namespace;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "Only objects whose name begins with this.")
  private @Nullable String prefix;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("objects").with("namespace", namespace).with("prefix", prefix);
  }
}
