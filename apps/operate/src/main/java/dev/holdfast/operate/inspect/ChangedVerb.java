package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect changed}. Populated by the command line library. */
@Command(
    name = "changed",
    description =
        "Lists the objects that were changed since a time, as far as the journal goes back. An"
            + " object is deleted when it has nothing left: by deleteAll, by its last key, or by"
            + " delete.",
    footer = {
      "",
      "Example: ./holdfast inspect changed --since 2026-11-23T09:30:00Z --deleted --data data/demo"
    })
final class ChangedVerb extends InspectVerb.OfMany {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "NAMESPACE",
      description = "A namespace; default: all.")
  private @Nullable String namespace;

  @Option(
      names = "--since",
      required = true,
      paramLabel = "TIME",
      description = "Changes after this time, in UTC.")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "Changes up to this time; default: the present.")
  private @Nullable String until;

  @Option(
      names = "--deleted",
      description = "Only objects that were deleted meanwhile, also if they have data again.")
  private boolean deleted;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("changed")
        .with("namespace", namespace)
        .with("since", since)
        .with("until", until)
        .with("deleted", deleted);
  }
}
