package dev.holdfast.operate.inspect;

import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verbs of {@code inspect} that show the past, and what they have in common. */
final class PastVerb {

  private PastVerb() {}

  /** The option that names an earlier state. Populated by the command line library. */
  static final class Moment {

    @Option(
        names = "--at",
        paramLabel = "MOMENT",
        description = "Shows the object as it was: a bookmark, or a time in UTC.")
    private @Nullable String at;

    @Nullable String text() {
      return at;
    }
  }

  /** The verb {@code inspect timeline}. Populated by the command line library. */
  @Command(
      name = "timeline",
      description = "Counts the changes of an object, or all records of the journal, by time.",
      footer = {
        "",
        "Example: ./holdfast inspect timeline accounts alice --since 2026-11-23T09:00:00Z --data"
            + " data/demo"
      })
  static final class Timeline extends InspectVerb.OfMany {

    @Parameters(
        index = "0",
        arity = "0..1",
        paramLabel = "NAMESPACE",
        description = "The namespace of the object; default: the whole journal.")
    private @Nullable String namespace;

    @Parameters(index = "1", arity = "0..1", paramLabel = "OBJECT", description = "Its name or id.")
    private @Nullable String object;

    @Option(names = "--since", paramLabel = "TIME", description = "The first time, in UTC.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "The last time, in UTC.")
    private @Nullable String until;

    @Option(names = "--intervals", paramLabel = "N", description = "How many parts; default: 60.")
    private @Nullable Long intervals;

    @Override
    OperatorRequest request() {
      return OperatorRequest.of("timeline")
          .with("namespace", namespace)
          .with("object", object)
          .with("since", since)
          .with("until", until)
          .with("intervals", intervals);
    }
  }

  /** The verb {@code inspect commit}. Populated by the command line library. */
  @Command(
      name = "commit",
      description = "Shows one record of the journal, and what it changed in its object.",
      footer = {"", "Example: ./holdfast inspect commit 1000 --data data/demo"})
  static final class Commit extends InspectVerb {

    @Parameters(index = "0", paramLabel = "P", description = "The position; journal lists them.")
    private @Nullable Long position;

    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "At most this many keys and rows; default: 1000.")
    private @Nullable Long limit;

    @Override
    OperatorRequest request() {
      return OperatorRequest.of("commit").with("position", position).with("limit", limit);
    }

    @Override
    int print(List<Map<String, @Nullable Object>> answers, Output to) {
      List<Map<String, @Nullable Object>> changes = answers.subList(1, answers.size());
      if (to.isJson()) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>(answers.getFirst());
        document.put("changes", changes);
        to.printJson(document);
      } else {
        to.printMembers(answers.getFirst());
        to.printTable(changes);
      }
      return 0;
    }
  }

  /** The verb {@code inspect writers}. Populated by the command line library. */
  @Command(
      name = "writers",
      description = "Lists the objects that write most to the journal.",
      footer = {"", "Example: ./holdfast inspect writers --limit 10 --data data/demo"})
  static final class Writers extends InspectVerb.OfMany {

    @Option(
        names = "--since",
        paramLabel = "TIME",
        description = "Counts records since a time in UTC; default: all that are kept.")
    private @Nullable String since;

    @Option(names = "--limit", paramLabel = "N", description = "At most this many; default: 20.")
    private @Nullable Long limit;

    @Override
    OperatorRequest request() {
      return OperatorRequest.of("writers").with("since", since).with("limit", limit);
    }
  }
}
