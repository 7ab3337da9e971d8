package dev.holdfast.operator;

import dev.holdfast.BookmarkException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.inspect.Inspection;
import dev.holdfast.spi.inspect.StateDifference;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The operations that compare states of an object, with old and new values. Thread-safe. */
final class Comparisons {

  private static final long DIFFERENCES_DEFAULT = 1_000;
  private static final int DIFFERENCES_MAX = 100_000;

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final Addresses addresses;
  private final PastImages images;

  Comparisons(
      ObjectRuntime runtime, Inspection inspection, Addresses addresses, PastImages images) {
    this.runtime = runtime;
    this.inspection = inspection;
    this.addresses = addresses;
    this.images = images;
  }

  @Nullable String diff(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    return compare(
        key,
        state(key, request.text("from")),
        state(key, request.textOrNull("to")),
        request,
        answers);
  }

  /** {@return a bookmark; null for the present} */
  private @Nullable String state(ObjectKey key, @Nullable String text) {
    return text == null || text.equals("now")
        ? null
        : JournalReads.bookmark(runtime.recovery(key.namespace(), key.id()), text);
  }

  /** One record of the journal, and what it changed: the states before and after it differ so. */
  @Nullable String commit(OperatorRequest request, Answers answers) {
    long position = request.number("position", -1);
    Commit[] found = new Commit[1];
    inspection.journal().forEach(position, position, record -> found[0] = read(record));
    Commit commit = found[0];
    if (commit == null) {
      throw new OperatorException(
          Reason.FAILED,
          "The journal has no record at position "
              + position
              + "; it keeps those from "
              + inspection.journal().oldestPosition()
              + " on.");
    }
    answers.add(commit.answer());
    if (!commit.changesAnObject()) {
      return "This record changes no object.";
    }
    ObjectKey key = commit.key();
    try {
      return compare(
          key,
          inspection.bookmark(key, position - 1),
          inspection.bookmark(key, position),
          request,
          answers);
    } catch (BookmarkException | NamespaceException e) {
      return "What it changed cannot be shown: " + e.getMessage();
    }
  }

  private record Commit(
      ObjectKey key, boolean changesAnObject, Map<String, @Nullable Object> answer) {}

  private Commit read(JournalRecord record) {
    Map<String, @Nullable Object> answer = JournalReads.answer(record);
    ObjectKey key = record.key();
    boolean isKnown = inspection.namespaces().containsKey(key.namespace());
    answer.put("name", isKnown ? inspection.listed(key).id().name().orElse(null) : null);
    answer.put("previous", record.link() == null ? null : record.link().previous());
    answer.put("parts", record.link() == null ? null : record.link().parts());
    return new Commit(key, record.kind().isBatch(), answer);
  }

  private @Nullable String compare(
      ObjectKey key,
      @Nullable String from,
      @Nullable String to,
      OperatorRequest request,
      Answers answers) {
    int limit = request.limit(DIFFERENCES_DEFAULT, DIFFERENCES_MAX);
    List<StateDifference> found =
        images.read(() -> inspection.differences(key, from, to, limit + 1));
    boolean isMore = found.size() > limit;
    boolean isCut = false;
    for (StateDifference each : isMore ? found.subList(0, limit) : found) {
      Difference difference = each.difference();
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("kind", difference.kind().name().toLowerCase(Locale.ROOT));
      answer.put("table", difference.table().equals(Difference.KEYS) ? null : difference.table());
      answer.put("key", difference.key());
      answer.put("before", values(difference, each.before()));
      answer.put("after", values(difference, each.after()));
      answers.add(answer);
      isCut |=
          (each.before() == null && difference.kind() != Difference.Kind.ADDED)
              || (each.after() == null && difference.kind() != Difference.Kind.REMOVED);
    }
    if (!isMore && !isCut) {
      return null;
    }
    return (isMore ? "There are more differences; ask for more with --limit." : "")
        + (isMore && isCut ? " " : "")
        + (isCut ? "Some values are left out: they are too large together." : "");
  }

  /** {@return the stored bytes of a key; the columns of anything else} */
  private static @Nullable Object values(
      Difference difference, @Nullable Map<String, @Nullable Object> columns) {
    if (columns == null) {
      return null;
    }
    if (difference.table().equals(Difference.KEYS)) {
      return columns.get("value");
    }
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    columns.forEach((name, value) -> shown.put(name, PastReads.plain(value)));
    if (difference.table().equals(StateDifference.ALARMS)
        && shown.remove("dueMillis") instanceof Long due) {
      shown.put("due", Instant.ofEpochMilli(due).toString());
    }
    return shown;
  }
}
