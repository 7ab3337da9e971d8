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

  /** The verb {@code inspect namespaces}. Populated by the command line library. */
  @Command(
      name = "namespaces",
      description = "Lists the namespaces and their storage engines.",
      footer = {"", "Example: ./holdfast inspect namespaces --data data/demo"})
  static final class Namespaces extends InspectVerb.OfMany {

    @Override
    OperatorRequest request() {
      return OperatorRequest.of("namespaces");
    }
  }

  /** The verb {@code inspect busiest}. Populated by the command line library. */
  @Command(
      name = "busiest",
      description = "Lists the objects that were busiest in the last one to two minutes.",
      footer = {"", "Example: ./holdfast inspect busiest --by turn --data data/demo"})
  static final class Busiest extends InspectVerb.OfMany {

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
}
