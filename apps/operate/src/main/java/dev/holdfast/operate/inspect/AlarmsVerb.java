package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect alarms}. Populated by the command line library. */
@Command(
    name = "alarms",
    description = "Lists alarms: those that will fire by due time, then those that were given up.",
    footer = {"", "Example: ./holdfast inspect alarms --data data/demo"})
final class AlarmsVerb extends InspectVerb.OfMany {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "NAMESPACE",
      description = "A namespace; default: all.")
  private @Nullable String namespace;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("alarms").with("namespace", namespace);
  }
}
