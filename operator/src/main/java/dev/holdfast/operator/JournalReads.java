package dev.holdfast.operator;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageBackend.ObjectPresence;
import dev.holdfast.spi.inspect.Inspection;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The operations that read the journal and the history of objects. Thread-safe. */
final class JournalReads {

  private static final int HISTORY_DEFAULT = 100;
  private static final int HISTORY_MAX = 1_000;

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final Addresses addresses;
  private final long lastPosition;

  JournalReads(
      ObjectRuntime runtime, Inspection inspection, Addresses addresses, long lastPosition) {
    this.lastPosition = lastPosition;
    this.runtime = runtime;
    this.inspection = inspection;
    this.addresses = addresses;
  }

  @Nullable String journal(OperatorRequest request, Answers answers) {
    inspection
        .journal()
        .forEach(
            request.number("from", 0),
            Math.min(request.number("to", lastPosition), lastPosition),
            record -> answers.add(answer(record)));
    return null;
  }

  /** {@return the time of a record; null if it is not kept} */
  @Nullable String timeAt(long position) {
    long[] millis = {Long.MIN_VALUE};
    inspection.journal().forEach(position, position, record -> millis[0] = record.wallMillis());
    return ObjectReads.time(millis[0]);
  }

  static Map<String, @Nullable Object> answer(JournalRecord record) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("position", record.position());
    answer.put("time", ObjectReads.time(record.wallMillis()));
    answer.put("kind", kind(record));
    answer.put("view", record.viewId());
    answer.put("namespace", record.key().namespace());
    answer.put("id", record.key().id().toString());
    answer.put("bytes", record.payload().remaining());
    return answer;
  }

  /** Events and the places of consumers are not checkpoints of objects. */
  private static String kind(JournalRecord record) {
    if (record.viewId() == Journal.EVENTS_VIEW_ID && record.kind() == RecordKind.CHECKPOINT) {
      return record.key().namespace().isEmpty() ? "consumer" : "events";
    }
    return record.kind().name().toLowerCase(Locale.ROOT);
  }

  /** What happened to an object in a span. Changed by the thread that reads the journal. */
  private static final class Changed {

    private long changes;
    private long lastMillis;
    private long deletedMillis = Long.MIN_VALUE;
    private boolean exists = true;
    private @Nullable String name;

    void add(JournalRecord record, @Nullable ObjectPresence change) {
      changes++;
      lastMillis = record.wallMillis();
      if (change != null) {
        exists = change.exists();
        deletedMillis = exists ? deletedMillis : record.wallMillis();
        name = change.name() == null ? name : change.name();
      }
    }
  }

  /** Objects that were changed in a span, or that had nothing left after one of the changes. */
  @Nullable String changed(OperatorRequest request, Answers answers) {
    String namespace = request.textOrNull("namespace");
    boolean isOnlyDeleted = request.isSet("deleted");
    JournalHistory history = inspection.journal();
    Instant since = request.time("since");
    Map<ObjectKey, Changed> found = new LinkedHashMap<>();
    history.forEach(
        history.positionAt(since.toEpochMilli()) + 1,
        request.textOrNull("until") == null
            ? lastPosition
            : Math.min(lastPosition, history.positionAt(request.time("until").toEpochMilli())),
        record -> {
          boolean isAsked = namespace == null || namespace.equals(record.key().namespace());
          if (record.kind().isBatch() && isAsked) {
            found
                .computeIfAbsent(record.key(), _ -> new Changed())
                .add(record, inspection.presenceIn(record));
          }
        });
    found.forEach(
        (key, change) -> {
          if (!isOnlyDeleted || change.deletedMillis != Long.MIN_VALUE) {
            Map<String, @Nullable Object> answer = Addresses.of(key);
            answer.put("name", name(key, change));
            answer.put("changes", change.changes);
            answer.put("changed", ObjectReads.time(change.lastMillis));
            answer.put("deleted", ObjectReads.time(change.deletedMillis));
            answer.put("exists", change.exists);
            answers.add(answer);
          }
        });
    String from = keptOnlyFrom(history, since);
    return from == null
        ? null
        : "The journal keeps all changes since "
            + from
            + " only; of earlier ones there may be more.";
  }

  /**
   * {@return the time from which on all changes are kept, if that is later than a moment; null if
   * none was dropped that came after it: the first one may be younger}
   */
  static @Nullable String keptOnlyFrom(JournalHistory history, Instant moment) {
    long oldest = history.oldestWallMillis();
    if (history.oldestPosition() <= 1 || oldest <= moment.toEpochMilli()) {
      return null;
    }
    return oldest == Long.MAX_VALUE ? "now" : ObjectReads.time(oldest);
  }

  private @Nullable String name(ObjectKey key, Changed change) {
    return change.name != null || !inspection.namespaces().containsKey(key.namespace())
        ? change.name
        : inspection.listed(key).id().name().orElse(null);
  }

  @Nullable String history(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    ObjectRecovery recovery = runtime.recovery(key.namespace(), key.id());
    int limit = request.limit(HISTORY_DEFAULT, HISTORY_MAX);
    String from = request.textOrNull("from");
    HistoryPage page = from == null ? recovery.history(limit) : recovery.history(limit, from);
    for (HistoryEntry entry : page.entries()) {
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("bookmark", entry.bookmark());
      answer.put("time", entry.time().toString());
      answer.put("kind", entry.kind().name().toLowerCase(Locale.ROOT));
      answer.put("bytes", entry.bytes());
      answers.add(answer);
    }
    return page.next() == null
        ? null
        : "There are older changes; continue with --from " + page.next();
  }

  /** {@return a bookmark that was given as such, or as a time} */
  static String bookmark(ObjectRecovery recovery, String text) {
    Instant time;
    try {
      time = Instant.parse(text);
    } catch (DateTimeParseException e) {
      return text;
    }
    return recovery.bookmarkForTime(time);
  }
}
