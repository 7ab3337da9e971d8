package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.value.TypedJson;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.SqlTerms;
import dev.holdfast.spi.inspect.Inspection;
import dev.holdfast.spi.inspect.Inspection.Changed;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.storage.ObjectSchedules;
import dev.holdfast.storage.StorageLimits;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations that change a part of an object: a key, rows, an alarm. Each is a turn of the
 * object, which is reset then, and answers with the bookmark that undoes it. Thread-safe.
 */
final class ObjectEdits {

  private static final @Nullable Object[] NO_BINDINGS = {};
  private static final int ALARM_NAME_BYTES_MAX = 128;

  /** The last time that an alarm can have. */
  private static final Instant LAST = Instant.ofEpochSecond(0, Long.MAX_VALUE);

  private final Inspection inspection;
  private final Addresses addresses;

  ObjectEdits(Inspection inspection, Addresses addresses) {
    this.inspection = inspection;
    this.addresses = addresses;
  }

  private static byte[] value(OperatorRequest request) {
    try {
      return TypedJson.read(request.text("value"), request.textOrNull("type"));
    } catch (IllegalArgumentException e) {
      throw new OperatorException(Reason.WRONG_REQUEST, String.valueOf(e.getMessage()), e);
    }
  }

  @Nullable String put(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    byte[] name = bytes("A key", request.text("key"), StorageLimits.KEY_BYTES_MAX);
    byte[] value = value(request);
    int max = StorageLimits.VALUE_BYTES_MAX + StorageLimits.VALUE_HEADER_BYTES;
    if (value.length > max) {
      throw wrong("The value takes " + value.length + " bytes, and the limit is " + max + ".");
    }
    return change(
        key,
        answers,
        "stored",
        turn -> {
          turn.put(name, value);
          return value.length;
        });
  }

  @Nullable String remove(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    byte[] name = ObjectReads.utf8(request.text("key"));
    return change(key, answers, "removed", turn -> turn.get(name) != null && turn.delete(name));
  }

  @Nullable String exec(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String statement = request.text("sql");
    SqlTerms terms = new SqlTerms(_ -> SqlLimits.FOREIGN, /* mayWrite= */ true);
    return change(
        key,
        answers,
        "rowsWritten",
        turn -> {
          try (SqlRows rows = turn.exec(statement, NO_BINDINGS, terms)) {
            while (rows.next() != null) {
              // A statement with RETURNING has written all of its rows before the first.
            }
            return rows.rowsWritten();
          }
        });
  }

  @Nullable String setAlarm(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String alarm = alarm(request);
    Instant time = request.time("at");
    if (!time.isAfter(Instant.EPOCH) || time.isAfter(LAST)) {
      throw wrong("The time of an alarm lies between 1970 and 2262-04-11.");
    }
    AlarmRecord set = AlarmRecord.once(alarm, time.toEpochMilli());
    return change(
        key,
        answers,
        "set",
        turn -> {
          List<AlarmRecord> alarms = without(turn, alarm);
          if (!alarm.isEmpty()
              && alarms.stream().filter(each -> !each.name().isEmpty()).count()
                  >= ObjectSchedules.SCHEDULES_MAX) {
            throw wrong(
                "The object has "
                    + ObjectSchedules.SCHEDULES_MAX
                    + " named alarms, which is the limit; cancel some.");
          }
          alarms.add(set);
          turn.setAlarms(alarms);
          return time.toString();
        });
  }

  @Nullable String cancelAlarm(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String alarm = alarm(request);
    return change(
        key,
        answers,
        "cancelled",
        turn -> {
          List<AlarmRecord> alarms = without(turn, alarm);
          boolean isKnown = alarms.size() < turn.alarms().size();
          if (isKnown) {
            turn.setAlarms(alarms);
          }
          return isKnown;
        });
  }

  private static List<AlarmRecord> without(StoreTurn turn, String alarm) {
    List<AlarmRecord> alarms = new ArrayList<>(turn.alarms());
    alarms.removeIf(each -> each.name().equals(alarm));
    return alarms;
  }

  private static String alarm(OperatorRequest request) {
    String name = request.textOrNull("alarm");
    bytes("The name of an alarm", name == null ? "" : name, ALARM_NAME_BYTES_MAX);
    return name == null ? "" : name;
  }

  private static byte[] bytes(String what, String text, int max) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw wrong(what + " cannot be set here with a lone surrogate.");
    }
    if (bytes.length > max) {
      throw wrong(what + " has at most " + max + " bytes of UTF-8, not " + bytes.length + ".");
    }
    return bytes;
  }

  private static OperatorException wrong(String message) {
    return new OperatorException(Reason.WRONG_REQUEST, message);
  }

  private @Nullable String change(
      ObjectKey key, Answers answers, String member, Function<StoreTurn, Object> work) {
    Changed<Object> changed = inspection.change(key, work);
    Map<String, @Nullable Object> answer = Addresses.of(key);
    answer.put(member, changed.result());
    answer.put("undo", changed.undo());
    answers.add(answer);
    return null;
  }
}
