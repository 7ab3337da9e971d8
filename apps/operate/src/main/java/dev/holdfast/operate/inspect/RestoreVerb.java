package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect restore}. Populated by the command line library. */
@Command(
    name = "restore",
    description = "Restores an object to an earlier state, and prints the bookmark that undoes it.",
    footer = {
      "",
      "Example: ./holdfast inspect restore accounts alice 2026-11-23T10:00:00Z --yes --data"
          + " data/demo"
    })
final class RestoreVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;

  @Parameters(index = "2", paramLabel = "STATE", description = "A bookmark, or a time.")
  private @Nullable String bookmark;

  @Option(names = "--yes", description = "Does it.")
  private boolean yes;

  @Override
  boolean changesStopped() {
    return true;
  }

  @Override
  @Nullable String danger() {
    return yes ? null : "restore takes back the later changes of the object";
  }

  @Override
  OperatorRequest request() {
    return set(object).request("restore").with("bookmark", bookmark);
  }
}
