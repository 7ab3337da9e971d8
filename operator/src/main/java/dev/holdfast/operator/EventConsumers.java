package dev.holdfast.operator;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.event.ConsumerStatus;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The operation {@code consumers}: the consumers of events, and how far each is. Stateless. */
public final class EventConsumers {

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
  public static @Nullable String list(
      ObjectAdmin admin,
      LongFunction<@Nullable String> timeAt,
      OperatorRequest request,
      Answers answers) {
    List<ConsumerStatus> all = admin.consumers();
    long limit = request.number("limit", LIMIT_DEFAULT);
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
}
