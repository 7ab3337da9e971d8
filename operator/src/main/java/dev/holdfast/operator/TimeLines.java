package dev.holdfast.operator;

import dev.holdfast.BookmarkException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.inspect.Inspection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * The operations that count changes: of an object or of the whole journal by time, and of the
 * journal by object. Each reads a bounded number of the newest records. Thread-safe.
 */
final class TimeLines {

  private static final long INTERVALS_DEFAULT = 60;
  private static final long INTERVALS_MAX = 1_000;
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");
  private static final int CHANGES_MAX = 100_000;
  private static final int PAGE = 1_000;

  /** What is read of the journal, whose records may be large. */
  private static final long JOURNAL_BYTES_MAX = 256L << 20;

  private static final long WRITERS_DEFAULT = 20;

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final Addresses addresses;
  private final long lastPosition;

  TimeLines(ObjectRuntime runtime, Inspection inspection, Addresses addresses, long lastPosition) {
    this.runtime = runtime;
    this.inspection = inspection;
    this.addresses = addresses;
    this.lastPosition = lastPosition;
  }

  /** A change; the bookmark of the state after it is null in a time line of the journal. */
  private record Change(long millis, long bytes, @Nullable String bookmark) {}

  /** What happened in an interval. */
  private static final class Interval {

    private long changes;
    private long bytes;
    private @Nullable Change last;

    void add(Change change) {
      changes++;
      bytes += change.bytes;
      if (last == null || change.millis > last.millis) {
        last = change;
      }
    }
  }

  @Nullable String timeline(OperatorRequest request, Answers answers) {
    long since = millis(request, "since", Long.MIN_VALUE);
    long until = millis(request, "until", Long.MAX_VALUE);
    List<Change> changes;
    boolean isCut;
    if (request.textOrNull("object") == null) {
      JournalHistory journal = inspection.journal();
      long last = Math.min(lastPosition, journal.positionAt(until));
      long first = first(journal, since, last);
      changes = ofJournal(journal, first, last, since, until);
      isCut = first > oldest(journal, since);
    } else {
      changes = ofObject(addresses.object(request), since, until);
      isCut = changes.size() == CHANGES_MAX;
    }
    if (!changes.isEmpty()) {
      long oldest = changes.stream().mapToLong(Change::millis).min().orElseThrow();
      long newest = changes.stream().mapToLong(Change::millis).max().orElseThrow();
      divide(
          changes,
          since == Long.MIN_VALUE || isCut ? oldest : since,
          until == Long.MAX_VALUE ? newest : until,
          (int) Math.clamp(request.number("intervals", INTERVALS_DEFAULT), 1, INTERVALS_MAX),
          answers);
    }
    return isCut ? "Of more changes, the newest " + changes.size() + " are counted." : null;
  }

  private static long millis(OperatorRequest request, String name, long otherwise) {
    if (request.textOrNull(name) == null) {
      return otherwise;
    }
    Instant time = request.time(name);
    return time.isBefore(Instant.EPOCH)
        ? 0
        : time.isAfter(LATEST) ? LATEST.toEpochMilli() : time.toEpochMilli();
  }

  private static void divide(List<Change> changes, long from, long to, int count, Answers answers) {
    long width = Math.max(1, Math.ceilDiv(to - from + 1, count));
    Map<Long, Interval> intervals = new HashMap<>();
    for (Change each : changes) {
      intervals.computeIfAbsent((each.millis - from) / width, _ -> new Interval()).add(each);
    }
    for (long each = 0; from + each * width <= to; each++) {
      Interval interval = intervals.getOrDefault(each, new Interval());
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("from", ObjectReads.time(from + each * width));
      answer.put("to", ObjectReads.time(from + (each + 1) * width - 1));
      answer.put("changes", interval.changes);
      answer.put("bytes", interval.bytes);
      answer.put("bookmark", interval.last == null ? null : interval.last.bookmark);
      answers.add(answer);
    }
  }

  private List<Change> ofObject(ObjectKey key, long since, long until) {
    ObjectRecovery recovery = runtime.recovery(key.namespace(), key.id());
    List<Change> changes = new ArrayList<>();
    String next = until == Long.MAX_VALUE ? null : bookmarkAt(recovery, until);
    do {
      HistoryPage page = next == null ? recovery.history(PAGE) : recovery.history(PAGE, next);
      for (HistoryEntry each : page.entries()) {
        long millis = each.time().toEpochMilli();
        if (millis < since || changes.size() == CHANGES_MAX) {
          return changes;
        }
        if (millis <= until) {
          changes.add(new Change(millis, each.bytes(), each.bookmark()));
        }
      }
      next = page.next();
    } while (next != null);
    return changes;
  }

  /** {@return where to begin; null for the newest change, if the time is not in the history} */
  private static @Nullable String bookmarkAt(ObjectRecovery recovery, long millis) {
    try {
      return recovery.bookmarkForTime(Instant.ofEpochMilli(millis));
    } catch (BookmarkException e) {
      return null;
    }
  }

  private static List<Change> ofJournal(
      JournalHistory journal, long first, long last, long since, long until) {
    List<Change> changes = new ArrayList<>();
    journal.forEach(
        first,
        last,
        record ->
            changes.add(
                new Change(
                    Math.clamp(record.wallMillis(), since, until),
                    record.payload().remaining(),
                    null)));
    return changes;
  }

  /** The objects that have most bytes in the newest records of the journal. */
  @Nullable String writers(OperatorRequest request, Answers answers) {
    JournalHistory journal = inspection.journal();
    long last = Math.min(lastPosition, journal.positionAt(Long.MAX_VALUE));
    long since = millis(request, "since", Long.MIN_VALUE);
    long first = first(journal, since, last);
    SequencedMap<ObjectKey, Interval> writers = new LinkedHashMap<>();
    journal.forEach(
        first,
        last,
        record -> {
          if (record.kind().isChained()) {
            writers
                .computeIfAbsent(record.key(), _ -> new Interval())
                .add(new Change(record.wallMillis(), record.payload().remaining(), null));
          }
        });
    writers.entrySet().stream()
        .sorted(Comparator.comparingLong(each -> -each.getValue().bytes))
        .limit(request.limit(WRITERS_DEFAULT, PAGE))
        .forEach(
            each -> {
              ObjectKey key = each.getKey();
              boolean isKnown = inspection.namespaces().containsKey(key.namespace());
              Map<String, @Nullable Object> answer =
                  Addresses.of(isKnown ? inspection.listed(key) : key);
              answer.put("changes", each.getValue().changes);
              answer.put("bytes", each.getValue().bytes);
              answers.add(answer);
            });
    return first > oldest(journal, since)
        ? "Of more records, the newest " + (last - first + 1) + " are counted."
        : null;
  }

  private static long oldest(JournalHistory journal, long since) {
    return since == Long.MIN_VALUE
        ? journal.oldestPosition()
        : Math.max(journal.oldestPosition(), journal.positionAt(since - 1) + 1);
  }

  /** {@return where to begin, so that neither the records nor their bytes are too many} */
  private static long first(JournalHistory journal, long since, long last) {
    long first = Math.max(oldest(journal, since), last - CHANGES_MAX + 1);
    while (first < last && journal.bytesFrom(first) > JOURNAL_BYTES_MAX) {
      first += Math.ceilDiv(last - first, 2);
    }
    return first;
  }
}
