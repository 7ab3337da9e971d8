package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verbs about a runtime as a whole. Populated by the command line library. */
final class RuntimeVerb {

  private RuntimeVerb() {}

  /** The verb {@code inspect stats}. Populated by the command line library. */
  @Command(
      name = "stats",
      description = "Shows the statistics of the runtime since it was opened.",
      footer = {"", "Example: ./holdfast inspect stats --data data/demo"})
  static final class Stats extends InspectVerb.OfOne {

    @Override
    OperatorRequest request() {
      return OperatorRequest.of("stats");
    }
  }

  /** The verb {@code inspect consumers}. Populated by the command line library. */
  @Command(
      name = "consumers",
      description = "Lists the consumers of events by topic and name, and how far each is behind.",
      footer = {"", "Example: ./holdfast inspect consumers --data data/demo"})
  static final class Consumers extends InspectVerb.OfMany {

    @Option(names = "--limit", paramLabel = "N", description = "At most this many; default: 1000.")
    private @Nullable Long limit;

    @Override
    OperatorRequest request() {
      return OperatorRequest.of("consumers").with("limit", limit);
    }
  }

  /** The verb {@code inspect jobs}. Populated by the command line library. */
  @Command(
      name = "jobs",
      description =
          "Shows the last backup and the last purge of the archive that were started in a running"
              + " process to go on in the background.",
      footer = {"", "Example: ./holdfast inspect jobs --data data/demo"})
  static final class Jobs extends InspectVerb.OfMany {

    @Override
    OperatorRequest request() {
      return OperatorRequest.of("jobs");
    }
  }
}
