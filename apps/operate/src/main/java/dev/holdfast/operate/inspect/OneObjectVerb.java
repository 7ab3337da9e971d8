package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A verb that takes an object and nothing else. Populated by the command line library. */
abstract class OneObjectVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  /** {@return a request about the object} */
  OperatorRequest request(String operation) {
    return set(object).request(operation);
  }

  /** The verb {@code inspect size}. Populated by the command line library. */
  @Command(
      name = "size",
      description = "Shows how many bytes an object has stored, without free pages.",
      footer = {"", "Example: ./holdfast inspect size accounts alice --data data/demo"})
  static final class Size extends OneObjectVerb {

    @Override
    OperatorRequest request() {
      return request("size");
    }
  }

  /** The verb {@code inspect evict}. Populated by the command line library. */
  @Command(
      name = "evict",
      description = {
        "Takes an idle object out of the memory of a running process. Nothing is lost.",
        "Answers false if the object runs, waits, or has timers or tasks."
      },
      footer = {"", "Example: ./holdfast inspect evict accounts alice --data data/demo"})
  static final class Evict extends OneObjectVerb {

    @Override
    OperatorRequest request() {
      return request("evict");
    }
  }

  /** The verb {@code inspect withdraw}. Populated by the command line library. */
  @Command(
      name = "withdraw",
      description = "Withdraws a restore that was requested for the next start of an object.",
      footer = {"", "Example: ./holdfast inspect withdraw accounts alice --data data/demo"})
  static final class Withdraw extends OneObjectVerb {

    @Override
    boolean changesStopped() {
      return true;
    }

    @Override
    OperatorRequest request() {
      return request("withdraw");
    }
  }
}
