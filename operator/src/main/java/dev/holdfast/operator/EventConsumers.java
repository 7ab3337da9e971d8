package dev.holdfast.operator;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.operator.OperatorException.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The operations on the consumers of events. Stateless. */
final class EventConsumers {

  private static final long LIMIT_DEFAULT = 1_000;

  private EventConsumers() {}

  /**
   * Lists consumers by topic and name.
   *
   * @param admin knows them
   * @param timeAt returns the time of the record at a position; null if it is not known
   * @param request may have a limit
   * @param answers receives them; no event is among them
   * @return a sentence if there are more; null otherwise
   */
  static @Nullable String list(
      ObjectAdmin admin,
      LongFunction<@Nullable String> timeAt,
      OperatorRequest request,
      Answers answers) {
    List<ConsumerStatus> all = admin.consumers();
    int limit = request.limit(LIMIT_DEFAULT, Integer.MAX_VALUE);
    for (ConsumerStatus each : all) {
      if (limit-- <= 0) {
        return "There are " + all.size() + " consumers; ask for more with --limit.";
      }
      Map<String, @Nullable Object> answer = Plain.map(each);
      // What the next event is at the earliest: the record may be another one.
      answer.put("waitingSince", each.lagRecords() > 0 ? timeAt.apply(each.position()) : null);
      answers.add(answer);
    }
    return null;
  }

  /** Moves a consumer to the oldest event that is kept, or behind the newest one. */
  static @Nullable String reset(ObjectAdmin admin, OperatorRequest request, Answers answers) {
    String to = request.text("to");
    ConsumerStart start =
        switch (to) {
          case "oldest" -> ConsumerStart.OLDEST;
          case "now" -> ConsumerStart.NOW;
          default ->
              throw new OperatorException(
                  Reason.WRONG_REQUEST,
                  "A consumer is reset to oldest or to now, not to \"" + to + "\".");
        };
    admin.resetConsumer(request.text("topic"), request.text("consumer"), start);
    return answer(request, "reset", to, answers);
  }

  /** Forgets a consumer that does not run. */
  static @Nullable String remove(ObjectAdmin admin, OperatorRequest request, Answers answers) {
    boolean wasKnown = admin.removeConsumer(request.text("topic"), request.text("consumer"));
    return answer(request, "removed", wasKnown, answers);
  }

  private static @Nullable String answer(
      OperatorRequest request, String what, Object value, Answers answers) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("topic", request.text("topic"));
    answer.put("consumer", request.text("consumer"));
    answer.put(what, value);
    answers.add(answer);
    return null;
  }
}
