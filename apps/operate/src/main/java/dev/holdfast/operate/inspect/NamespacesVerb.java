package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import picocli.CommandLine.Command;

/** The verb {@code inspect namespaces}. Populated by the command line library. */
@Command(
    name = "namespaces",
    description = "Lists the namespaces and their storage engines.",
    footer = {"", "Example: ./holdfast inspect namespaces --data data/demo"})
final class NamespacesVerb extends InspectVerb.OfMany {

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("namespaces");
  }
}
