package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The verb {@code inspect withdraw}. Populated by the command line library. */
@Command(
    name = "withdraw",
    description = "Withdraws a restore that was requested for the next start of an object.",
    footer = {"", "Example: ./holdfast inspect withdraw accounts alice --data data/demo"})
final class WithdrawVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Override
  boolean changesStopped() {
    return true;
  }

  @Override
  OperatorRequest request() {
    return set(object).request("withdraw");
  }
}
