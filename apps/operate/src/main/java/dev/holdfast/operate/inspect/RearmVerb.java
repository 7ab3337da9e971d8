package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code inspect rearm}. Populated by the command line library. */
@Command(
    name = "rearm",
    description = "Sets an alarm again that was given up, with all its retries.",
    footer = {"", "Example: ./holdfast inspect rearm accounts alice --data data/demo"})
final class RearmVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Option(
      names = "--alarm",
      paramLabel = "NAME",
      description = "The name of the alarm; default: the one of setAlarm, which has none.")
  private @Nullable String alarm;

  @Option(names = "--at", paramLabel = "TIME", description = "When it fires; default: at once.")
  private @Nullable String time;

  @Override
  boolean changesStopped() {
    return true;
  }

  @Override
  OperatorRequest request() {
    return set(object).request("alarm-rearm").with("alarm", alarm).with("at", time);
  }
}
