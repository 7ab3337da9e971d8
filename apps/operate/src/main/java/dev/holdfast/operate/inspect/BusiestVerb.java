package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verb {@code inspect busiest}. Populated by the command line library. */
@Command(
    name = "busiest",
    description = "Lists the objects that were busiest in the last one to two minutes.",
    footer = {"", "Example: ./holdfast inspect busiest --by turn --data data/demo"})
final class BusiestVerb extends InspectVerb.OfMany {

  @Option(
      names = "--by",
      paramLabel = "WHAT",
      description = "What to compare: calls, queue, turn or batch; default: calls.")
  private @Nullable String by;

  @Option(names = "--limit", paramLabel = "N", description = "At most this many; default: 20.")
  private @Nullable Long limit;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("busiest").with("by", by).with("limit", limit);
  }
}
