package dev.holdfast.operator;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.statistics.ExecutionStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The operation {@code executions}, which lists what runs now. Stateless. */
public final class RunningExecutions {

  private RunningExecutions() {}

  /**
   * Performs the operation.
   *
   * @param admin knows what runs
   * @param request may have {@code age}, in milliseconds, {@code stack}, and {@code namespace} and
   *     {@code object}, whose executions are listed then
   * @param answers receives an answer for each execution, the oldest first
   * @return no sentence
   */
  public static @Nullable String list(ObjectAdmin admin, OperatorRequest request, Answers answers) {
    Duration age = Duration.ofMillis(request.number("age", 0));
    boolean withStacks = request.isSet("stack");
    String namespace = request.textOrNull("namespace");
    String object = request.textOrNull("object");
    for (ExecutionStatus each : admin.executions(age, withStacks)) {
      boolean isOfNamespace = namespace == null || each.namespace().equals(namespace);
      boolean isOfObject =
          object == null
              || each.id().equals(object)
              || each.name().filter(object::equals).isPresent();
      if (isOfNamespace && isOfObject) {
        answers.add(answer(each, withStacks));
      }
    }
    return null;
  }

  private static Map<String, @Nullable Object> answer(ExecutionStatus status, boolean withStack) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("namespace", status.namespace());
    answer.put("id", status.id());
    answer.put("name", status.name().orElse(null));
    answer.put("kind", word(status.kind()));
    answer.put("method", status.method().isEmpty() ? null : status.method());
    answer.put("seconds", status.age().toSeconds());
    answer.put("activity", word(status.activity()));
    answer.put("called", status.called().orElse(null));
    answer.put("queued", status.queued());
    if (withStack) {
      answer.put("stack", status.stack().stream().map(StackTraceElement::toString).toList());
    }
    return answer;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
