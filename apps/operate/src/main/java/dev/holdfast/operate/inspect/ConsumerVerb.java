package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A verb that changes a consumer of events. Populated by the command line library. */
abstract class ConsumerVerb extends InspectVerb.Confirmed {

  @Parameters(index = "0", paramLabel = "TOPIC", description = "The topic.")
  private @Nullable String topic;

  @Parameters(index = "1", paramLabel = "CONSUMER", description = "The name of the consumer.")
  private @Nullable String consumer;

  private ConsumerVerb(String danger) {
    super(danger);
  }

  /** {@return a request about the consumer} */
  OperatorRequest request(String operation) {
    return OperatorRequest.of(operation).with("topic", topic).with("consumer", consumer);
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

  /** The verb {@code inspect consumer-reset}. Populated by the command line library. */
  @Command(
      name = "consumer-reset",
      description = {
        "Moves a consumer of events: to the oldest event that is kept, or behind the newest one.",
        "A delivery that is under way ends as it began. There is no undo."
      },
      footer = {
        "",
        "Example: ./holdfast inspect consumer-reset sales index --to oldest --yes --data data/demo"
      })
  static final class Reset extends ConsumerVerb {

    @Option(
        names = "--to",
        paramLabel = "PLACE",
        required = true,
        description = "oldest or now: what is next delivered, of the kept events.")
    private @Nullable String to;

    Reset() {
      super("consumer-reset delivers events again, or skips those that were not delivered");
    }

    @Override
    OperatorRequest request() {
      return request("consumer-reset").with("to", to);
    }
  }

  /** The verb {@code inspect consumer-remove}. Populated by the command line library. */
  @Command(
      name = "consumer-remove",
      description = {
        "Forgets a consumer of events that does not run: no event is kept for it any more.",
        "Answers false if there was none."
      },
      footer = {
        "",
        "Example: ./holdfast inspect consumer-remove sales index --yes --data data/demo"
      })
  static final class Remove extends ConsumerVerb {

    Remove() {
      super("consumer-remove forgets how far the consumer is");
    }

    @Override
    OperatorRequest request() {
      return request("consumer-remove");
    }
  }
}
