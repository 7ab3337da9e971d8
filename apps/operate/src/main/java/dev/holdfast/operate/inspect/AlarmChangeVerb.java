package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A verb that changes an alarm. Populated by the command line library. */
abstract class AlarmChangeVerb extends InspectVerb.OfOne {

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
  static final class Rearm extends AlarmChangeVerb {

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
  static final class Discard extends AlarmChangeVerb {

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

  /** The verb {@code inspect alarm-set}. Populated by the command line library. */
  @Command(
      name = "alarm-set",
      description = {
        "Sets an alarm of an object, also in place of a present one, and resets the object.",
        "Prints the bookmark that undoes it."
      },
      footer = {
        "",
        "Example: ./holdfast inspect alarm-set accounts alice 2027-01-01T00:00:00Z --data data/demo"
      })
  static final class Arm extends AlarmChangeVerb {

    @Parameters(index = "2", paramLabel = "TIME", description = "When it fires, in UTC.")
    private @Nullable String time;

    @Override
    OperatorRequest request() {
      return request("alarm-set").with("at", time);
    }
  }

  /** The verb {@code inspect alarm-cancel}. Populated by the command line library. */
  @Command(
      name = "alarm-cancel",
      description = {
        "Deletes an alarm or a schedule of an object, and resets the object.",
        "Prints the bookmark that undoes it."
      },
      footer = {
        "",
        "Example: ./holdfast inspect alarm-cancel accounts alice --yes --data data/demo"
      })
  static final class Cancel extends AlarmChangeVerb {

    @Option(names = "--yes", description = "Does it.")
    private boolean yes;

    @Override
    @Nullable String danger() {
      return yes ? null : "alarm-cancel deletes an alarm that has not run";
    }

    @Override
    OperatorRequest request() {
      return request("alarm-cancel");
    }
  }
}
