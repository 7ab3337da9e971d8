package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code inspect list}. Populated by the command line library. */
@Command(
    name = "list",
    description = "Lists the keys of an object with their values.",
    footer = {
      "",
      "Example: ./holdfast inspect list accounts alice --prefix entry: --data data/demo"
    })
final class ListVerb extends InspectVerb.OfMany {

  @Mixin private @Nullable ObjectArgument object;
  @Mixin private PastVerb.@Nullable Moment moment;

  @Option(names = "--prefix", paramLabel = "TEXT", description = "Only keys that begin with this.")
  private @Nullable String prefix;

  @Option(names = "--after", paramLabel = "KEY", description = "Only keys after this one.")
  private @Nullable String after;

  @Option(names = "--limit", paramLabel = "N", description = "At most this many; default: 1000.")
  private @Nullable Long limit;

  @Override
  OperatorRequest request() {
    return set(object)
        .request("list")
        .with("prefix", prefix)
        .with("after", after)
        .with("limit", limit)
        .with("at", set(moment).text());
  }
}
