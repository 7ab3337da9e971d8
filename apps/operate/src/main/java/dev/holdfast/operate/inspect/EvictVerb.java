package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The verb {@code inspect evict}. Populated by the command line library. */
@Command(
    name = "evict",
    description = {
      "Takes an idle object out of the memory of a running process. Nothing is lost.",
      "Answers false if the object runs, waits, or has timers or tasks."
    },
    footer = {"", "Example: ./holdfast inspect evict accounts alice --data data/demo"})
final class EvictVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Override
  OperatorRequest request() {
    return set(object).request("evict");
  }
}
