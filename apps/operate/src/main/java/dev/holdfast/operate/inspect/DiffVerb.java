package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect diff}. Populated by the command line library. */
@Command(
    name = "diff",
    description =
        "Lists the keys, rows and alarms that differ between two states, with their values.",
    footer = {
      "",
      "Example: ./holdfast inspect diff accounts alice 2026-11-23T10:00:00Z 2026-11-23T11:00:00Z"
          + " --data data/demo"
    })
final class DiffVerb extends InspectVerb.OfMany {

  @Mixin private @Nullable ObjectArgument object;

  @Parameters(index = "2", paramLabel = "A", description = "A bookmark, or a time.")
  private @Nullable String from;

  @Parameters(
      index = "3",
      arity = "0..1",
      paramLabel = "B",
      description = "Another one; default: now.")
  private @Nullable String to;

  @Option(names = "--limit", paramLabel = "N", description = "At most this many; default: 1000.")
  private @Nullable Long limit;

  @Override
  OperatorRequest request() {
    return set(object).request("diff").with("from", from).with("to", to).with("limit", limit);
  }
}
