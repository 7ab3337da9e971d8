package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code inspect discard}. Populated by the command line library. */
@Command(
    name = "discard",
    description = "Deletes an alarm that was given up.",
    footer = {"", "Example: ./holdfast inspect discard accounts alice --yes --data data/demo"})
final class DiscardVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Option(
      names = "--alarm",
      paramLabel = "NAME",
      description = "The name of the alarm; default: the one of setAlarm, which has none.")
  private @Nullable String alarm;

  @Option(names = "--yes", description = "Does it.")
  private boolean yes;

  @Override
  boolean changesStopped() {
    return true;
  }

  @Override
  @Nullable String danger() {
    return yes ? null : "discard deletes an alarm that has not run";
  }

  @Override
  OperatorRequest request() {
    return set(object).request("alarm-discard").with("alarm", alarm);
  }
}
