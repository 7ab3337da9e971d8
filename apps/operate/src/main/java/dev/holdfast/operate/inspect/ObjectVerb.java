package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The verb {@code inspect object}. Populated by the command line library. */
@Command(
    name = "object",
    description = "Shows an object: its size, the number of its keys, its tables and alarms.",
    footer = {"", "Example: ./holdfast inspect object accounts alice --data data/demo"})
final class ObjectVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;
  @Mixin private PastVerb.@Nullable Moment moment;

  @Override
  OperatorRequest request() {
    return set(object).request("object").with("at", set(moment).text());
  }
}
