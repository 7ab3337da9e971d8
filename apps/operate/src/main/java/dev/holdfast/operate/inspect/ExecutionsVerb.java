package dev.holdfast.operate.inspect;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Door;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verb {@code inspect executions}. Populated by the command line library. */
@Command(
    name = "executions",
    description = {
      "Lists the calls, alarms, tasks and timers that run now in a process, the oldest first, and"
          + " what each waits for.",
      "The runtime looks every few seconds, so an age may be a few seconds too low."
    },
    footer = {
      "",
      "Example: ./holdfast inspect executions --longer-than 5 --stack --data data/demo"
    })
final class ExecutionsVerb extends InspectVerb {

  @Option(
      names = "--longer-than",
      paramLabel = "SECONDS",
      description = "Only those that have run as long; default: all.")
  private @Nullable Long seconds;

  @Option(names = "--stack", description = "Shows where the thread of each is.")
  private boolean stack;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("executions")
        .with("age", seconds == null ? null : TimeUnit.SECONDS.toMillis(seconds))
        .with("stack", stack);
  }

  @Override
  int run(DataDirectory data, Output to) throws IOException {
    if (OperatorConnection.find(data.path()).isEmpty()) {
      // Says so if a process has it open and does not listen.
      Door.open(data.path(), /* toChange= */ false, request()).close();
      throw new RunFailedException("no process has " + data.path() + " open, so nothing runs");
    }
    return super.run(data, to);
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    if (to.isJson()) {
      to.printJson(answers);
    } else if (stack) {
      answers.forEach(to::printMembers);
    } else {
      to.printTable(answers.stream().map(ExecutionsVerb::row).toList());
    }
    return 0;
  }

  /** A name is shorter than an id, and says more. */
  private static Map<String, @Nullable Object> row(Map<String, @Nullable Object> answer) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("seconds", answer.get("seconds"));
    row.put("namespace", answer.get("namespace"));
    row.put("object", answer.get("name") == null ? answer.get("id") : answer.get("name"));
    for (String column : List.of("kind", "method", "activity", "called", "queued")) {
      row.put(column, answer.get(column));
    }
    return row;
  }
}
