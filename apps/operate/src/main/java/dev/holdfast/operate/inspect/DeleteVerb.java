package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code inspect delete}. Populated by the command line library. */
@Command(
    name = "delete",
    description = "Deletes an object. Its history stays for the recovery window.",
    footer = {"", "Example: ./holdfast inspect delete accounts alice --yes --data data/demo"})
final class DeleteVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Option(names = "--yes", description = "Does it.")
  private boolean yes;

  @Override
  boolean changesStopped() {
    return true;
  }

  @Override
  @Nullable String danger() {
    return yes ? null : "delete removes the state of the object";
  }

  @Override
  OperatorRequest request() {
    return set(object).request("delete");
  }
}
