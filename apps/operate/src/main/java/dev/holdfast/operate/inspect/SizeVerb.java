package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The verb {@code inspect size}. Populated by the command line library. */
@Command(
    name = "size",
    description = "Shows how many bytes an object has stored, without free pages.",
    footer = {"", "Example: ./holdfast inspect size accounts alice --data data/demo"})
final class SizeVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Override
  OperatorRequest request() {
    return set(object).request("size");
  }
}
