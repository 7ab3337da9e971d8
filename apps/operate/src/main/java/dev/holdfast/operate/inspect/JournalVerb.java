package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verb {@code inspect journal}. Populated by the command line library. */
@Command(
    name = "journal",
    description = "Lists records of the journal: position, time, kind, object and size.",
    footer = {"", "Example: ./holdfast inspect journal --from 1000 --to 1100 --data data/demo"})
final class JournalVerb extends InspectVerb.OfMany {

  @Option(
      names = "--from",
      paramLabel = "P",
      description = "The first position; default: the oldest.")
  private @Nullable Long from;

  @Option(names = "--to", paramLabel = "P", description = "The last position; default: the newest.")
  private @Nullable Long to;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("journal").with("from", from).with("to", to);
  }
}
