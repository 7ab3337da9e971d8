package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
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

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "At most this many, of all namespaces by due time; default: all.")
  private @Nullable Long limit;

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "With --limit: those after the last alarm of the page before.")
  private @Nullable String after;

  @Option(names = "--abandoned", description = "With --limit: those that were given up.")
  private boolean abandoned;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("alarms")
        .with("namespace", namespace)
        .with("limit", limit)
        .with("after", after)
        .with("abandoned", abandoned);
  }
}
