package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.inspect.Inspection;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The operations on alarms that were given up after their last retry. Thread-safe. */
final class AbandonedAlarms {

  private final Inspection inspection;
  private final Addresses addresses;

  AbandonedAlarms(Inspection inspection, Addresses addresses) {
    this.inspection = inspection;
    this.addresses = addresses;
  }

  @Nullable String rearm(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String alarm = alarm(request);
    // A time in the past means at once, without asking a clock.
    Instant time = request.textOrNull("at") == null ? Instant.EPOCH : request.time("at");
    require(key, alarm, inspection.alarms(key.namespace()).rearm(key.id(), alarm, time));
    return answer(answers, key, alarm, "rearmed");
  }

  @Nullable String discard(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String alarm = alarm(request);
    require(key, alarm, inspection.alarms(key.namespace()).discard(key.id(), alarm));
    return answer(answers, key, alarm, "discarded");
  }

  private static String alarm(OperatorRequest request) {
    String name = request.textOrNull("alarm");
    return name == null ? "" : name;
  }

  private static void require(ObjectKey key, String alarm, boolean found) {
    if (!found) {
      throw new OperatorException(
          Reason.FAILED,
          "The object "
              + key
              + " has no alarm "
              + (alarm.isEmpty() ? "without a name" : "\"" + alarm + "\"")
              + " that was given up; inspect alarms lists those that were.");
    }
  }

  private static @Nullable String answer(
      Answers answers, ObjectKey key, String alarm, String what) {
    Map<String, @Nullable Object> answer = Addresses.of(key);
    answer.put("alarm", alarm);
    answer.put(what, true);
    answers.add(answer);
    return null;
  }
}
