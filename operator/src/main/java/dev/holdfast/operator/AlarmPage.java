package dev.holdfast.operator;

import dev.holdfast.ObjectId;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.inspect.Inspection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bounded part of the alarms in one state, over all namespaces. The order is by due time, then by
 * namespace, id and name, so the place of an alarm in it needs no other alarm. Stateless.
 */
final class AlarmPage {

  private static final int LIMIT_MAX = 10_000;

  private static final Comparator<AlarmEntry> ORDER =
      Comparator.<AlarmEntry>comparingLong(each -> each.alarm().dueMillis())
          .thenComparing(each -> each.key().namespace())
          .thenComparing(AlarmEntry.ORDER);

  private AlarmPage() {}

  static @Nullable String read(
      OperatorRequest request, List<String> namespaces, Inspection inspection, Answers answers) {
    int limit = request.limit(LIMIT_MAX, LIMIT_MAX);
    State state = request.isSet("abandoned") ? State.ABANDONED : State.PENDING;
    String text = request.textOrNull("after");
    AlarmEntry after = text == null ? null : parse(text, state);
    List<AlarmEntry> found = new ArrayList<>();
    for (String each : namespaces) {
      found.addAll(
          inspection.alarms(
              new AlarmQuery(each, state, within(each, after), Long.MAX_VALUE, limit + 1)));
    }
    found.sort(ORDER);
    for (AlarmEntry each : found.subList(0, Math.min(limit, found.size()))) {
      Map<String, @Nullable Object> answer = Addresses.of(each.key());
      answer.putAll(ObjectReads.alarm(each.alarm()));
      answer.put("cursor", cursor(each));
      answers.add(answer);
    }
    return found.size() > limit
        ? "There are more alarms; continue with --after '" + cursor(found.get(limit - 1)) + "'."
        : null;
  }

  /** {@return the last alarm of a namespace that is not after another one; null for none} */
  private static @Nullable AlarmEntry within(String namespace, @Nullable AlarmEntry after) {
    if (after == null || namespace.equals(after.key().namespace())) {
      return after;
    }
    boolean isBefore = namespace.compareTo(after.key().namespace()) < 0;
    byte[] last = new byte[ObjectId.LENGTH_BYTES];
    Arrays.fill(last, (byte) -1);
    long due = after.alarm().dueMillis();
    return entry(namespace, ObjectId.of(last, null), "", isBefore ? due : due - 1, State.PENDING);
  }

  private static String cursor(AlarmEntry of) {
    return of.alarm().dueMillis()
        + "/"
        + of.key().id()
        + "/"
        + of.key().namespace()
        + "/"
        + of.alarm().name();
  }

  private static AlarmEntry parse(String cursor, State state) {
    String[] parts = cursor.split("/", 4);
    try {
      ObjectId id = ObjectId.of(HexFormat.of().parseHex(parts[1]), null);
      return entry(parts[2], id, parts[3], Long.parseLong(parts[0]), state);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new OperatorException(
          Reason.WRONG_REQUEST,
          "\"" + cursor + "\" is not the place of an alarm; take the one that the last page named.",
          e);
    }
  }

  private static AlarmEntry entry(
      String namespace, ObjectId id, String alarm, long due, State state) {
    return new AlarmEntry(
        new ObjectKey(namespace, id), new AlarmRecord(alarm, state, due, due, 0, ""));
  }
}
