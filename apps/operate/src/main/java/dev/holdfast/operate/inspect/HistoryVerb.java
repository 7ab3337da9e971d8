package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code inspect history}. Populated by the command line library. */
@Command(
    name = "history",
    description = "Lists the changes of an object, newest first, with their bookmarks.",
    footer = {"", "Example: ./holdfast inspect history accounts alice --limit 10 --data data/demo"})
final class HistoryVerb extends InspectVerb.OfMany {

  @Mixin private @Nullable ObjectArgument object;

  @Option(names = "--from", paramLabel = "BOOKMARK", description = "Where to begin.")
  private @Nullable String from;

  @Option(names = "--limit", paramLabel = "N", description = "At most this many; default: 100.")
  private @Nullable Long limit;

  @Override
  OperatorRequest request() {
    return set(object).request("history").with("from", from).with("limit", limit);
  }
}
