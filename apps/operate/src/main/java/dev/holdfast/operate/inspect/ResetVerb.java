package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code inspect reset}. Populated by the command line library. */
@Command(
    name = "reset",
    description = {
      "Discards the instance of an object in a running process, also of a busy one.",
      "The calls in flight fail, and the writes of the running turn are lost. Answers false if"
          + " there was no instance."
    },
    footer = {"", "Example: ./holdfast inspect reset accounts alice --yes --data data/demo"})
final class ResetVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Option(names = "--yes", description = "Does it.")
  private boolean yes;

  @Override
  @Nullable String danger() {
    return yes ? null : "reset fails the calls in flight and discards the running turn";
  }

  @Override
  OperatorRequest request() {
    return set(object).request("reset");
  }
}
