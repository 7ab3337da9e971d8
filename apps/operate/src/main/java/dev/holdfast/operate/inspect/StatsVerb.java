package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import picocli.CommandLine.Command;

/** The verb {@code inspect stats}. Populated by the command line library. */
@Command(
    name = "stats",
    description = "Shows the statistics of the runtime since it was opened.",
    footer = {"", "Example: ./holdfast inspect stats --data data/demo"})
final class StatsVerb extends InspectVerb.OfOne {

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("stats");
  }
}
