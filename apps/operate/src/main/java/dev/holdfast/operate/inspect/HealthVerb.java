package dev.holdfast.operate.inspect;

import dev.holdfast.health.HealthState;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Door;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The verb {@code inspect health}. Populated by the command line library. */
@Command(
    name = "health",
    description =
        "Says whether the runtime works, and why not. Exit code 1 unless it is UP; a directory that"
            + " no process has open is STOPPED.",
    footer = {"", "Example: ./holdfast inspect health --data data/demo"})
final class HealthVerb extends InspectVerb.OfOne {

  private static final String STOPPED = "STOPPED";

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("health");
  }

  @Override
  int run(DataDirectory data, Output to) throws IOException {
    try (Door door = Door.open(data.path(), changesStopped(), request())) {
      List<Map<String, @Nullable Object>> answers = new ArrayList<>();
      door.perform(request(), answers::add);
      return print(door.isRunning() ? answers : List.of(stopped(data, answers)), to);
    }
  }

  /** The files can be opened, which says nothing of the application. */
  private static Map<String, @Nullable Object> stopped(
      DataDirectory data, List<Map<String, @Nullable Object>> answers) {
    List<@Nullable Object> reasons = new ArrayList<>();
    reasons.add("No process has " + data.path() + " open; its files can be opened");
    answers.forEach(each -> reasons.addAll((List<?>) set(each.get("reasons"))));
    Map<String, @Nullable Object> stopped = new LinkedHashMap<>();
    stopped.put("state", STOPPED);
    stopped.put("reasons", reasons);
    return stopped;
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    super.print(answers, to);
    return answers.stream().allMatch(answer -> HealthState.UP.name().equals(answer.get("state")))
        ? 0
        : 1;
  }
}
