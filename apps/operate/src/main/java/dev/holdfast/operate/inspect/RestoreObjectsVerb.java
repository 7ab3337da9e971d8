package dev.holdfast.operate.inspect;

import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect restore-objects}. Populated by the command line library. */
@Command(
    name = "restore-objects",
    description = {
      "Restores the objects of a namespace that were changed since a time to their state at that"
          + " time, one after the other, and prints the bookmarks that undo it.",
      "Exit code 1 if an object could not be restored; the others are."
    },
    footer = {
      "",
      "Example: ./holdfast inspect restore-objects accounts 2026-11-23T10:00:00Z --prefix a"
          + " --dry-run --data data/demo"
    })
final class RestoreObjectsVerb extends InspectVerb {

  @Parameters(index = "0", paramLabel = "NAMESPACE", description = "The namespace of the objects.")
  private @Nullable String namespace;

  @Parameters(index = "1", paramLabel = "TIME", description = "The time, in UTC.")
  private @Nullable String time;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "Only objects whose names begin with it.")
  private @Nullable String prefix;

  @Option(
      names = "--deleted",
      description = {
        "With --prefix: also all objects of the namespace that were deleted since. Their names are"
            + " not known."
      })
  private boolean deleted;

  @Option(
      names = "--dry-run",
      description = "Lists what would be restored, and changes nothing; wins over --yes.")
  private boolean dryRun;

  @Option(names = "--yes", description = "Does it.")
  private boolean yes;

  @Override
  boolean changesStopped() {
    return !dryRun;
  }

  @Override
  @Nullable String danger() {
    return yes || dryRun
        ? null
        : "restore-objects takes back the later changes of many objects; see them with --dry-run";
  }

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("restore-objects")
        .with("namespace", namespace)
        .with("at", time)
        .with("prefix", prefix)
        .with("deleted", deleted)
        .with("dryRun", dryRun);
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    if (to.isJson()) {
      to.printJson(answers);
    } else {
      to.printTable(answers);
    }
    return answers.stream().allMatch(answer -> answer.get("error") == null) ? 0 : 1;
  }
}
