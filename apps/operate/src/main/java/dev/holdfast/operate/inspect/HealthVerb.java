package dev.holdfast.operate.inspect;

import dev.holdfast.health.HealthState;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The verb {@code inspect health}. Populated by the command line library. */
@Command(
    name = "health",
    description = "Says whether the runtime works, and why not. Exit code 1 unless it is UP.",
    footer = {"", "Example: ./holdfast inspect health --data data/demo"})
final class HealthVerb extends InspectVerb.OfOne {

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("health");
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    super.print(answers, to);
    return answers.stream().allMatch(answer -> HealthState.UP.name().equals(answer.get("state")))
        ? 0
        : 1;
  }
}
