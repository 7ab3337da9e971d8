package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect fork}. Populated by the command line library. */
@Command(
    name = "fork",
    description = "Creates a new object from a state of another one.",
    footer = {
      "",
      "Example: ./holdfast inspect fork accounts alice 2026-11-23T10:00:00Z alice-before --data"
          + " data/demo"
    })
final class ForkVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Parameters(index = "2", paramLabel = "STATE", description = "A bookmark, or a time.")
  private @Nullable String bookmark;

  @Parameters(index = "3", paramLabel = "NAME", description = "The name of the new object.")
  private @Nullable String name;

  @Option(
      names = "--near",
      description = "In the slot of its origin; its name does not lead to it without that.")
  private boolean isNear;

  @Override
  boolean changesStopped() {
    return true;
  }

  @Override
  OperatorRequest request() {
    return set(object)
        .request("fork")
        .with("bookmark", bookmark)
        .with("name", name)
        .with("near", isNear ? true : null);
  }
}
