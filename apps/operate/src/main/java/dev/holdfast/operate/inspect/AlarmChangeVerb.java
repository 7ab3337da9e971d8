package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A verb about an alarm that was given up. Populated by the command line library. */
abstract class AbandonedAlarmVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Option(
      names = "--alarm",
      paramLabel = "NAME",
      description = "The name of the alarm; default: the alarm of setAlarm, which has no name.")
  private @Nullable String alarm;

  @Override
  boolean changesStopped() {
    return true;
  }

  /** {@return a request about the alarm} */
  OperatorRequest request(String operation) {
    return set(object).request(operation).with("alarm", alarm);
  }

  /** The verb {@code inspect rearm}. Populated by the command line library. */
  @Command(
      name = "rearm",
      description = "Sets an alarm again that was given up, with all its retries.",
      footer = {"", "Example: ./holdfast inspect rearm accounts alice --data data/demo"})
  static final class Rearm extends AbandonedAlarmVerb {

    @Option(names = "--at", paramLabel = "TIME", description = "When it fires; default: at once.")
    private @Nullable String time;

    @Override
    OperatorRequest request() {
      return request("alarm-rearm").with("at", time);
    }
  }

  /** The verb {@code inspect discard}. Populated by the command line library. */
  @Command(
      name = "discard",
      description = "Deletes an alarm that was given up.",
      footer = {"", "Example: ./holdfast inspect discard accounts alice --yes --data data/demo"})
  static final class Discard extends AbandonedAlarmVerb {

    @Option(names = "--yes", description = "Does it.")
    private boolean yes;

    @Override
    @Nullable String danger() {
      return yes ? null : "discard deletes an alarm that has not run";
    }

    @Override
    OperatorRequest request() {
      return request("alarm-discard");
    }
  }
}
