package dev.holdfast.operator;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.inspect.Inspection;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operation {@code restore-objects}: restores all objects of a namespace, or those whose names
 * begin with a prefix, to a moment. Those that were not changed since are left alone. Those that
 * were deleted since come back: all of the namespace, because the journal has no names.
 * Thread-safe.
 */
final class RestoredObjects {

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final Addresses addresses;

  RestoredObjects(ObjectRuntime runtime, Inspection inspection, Addresses addresses) {
    this.runtime = runtime;
    this.inspection = inspection;
    this.addresses = addresses;
  }

  /** What the journal has of an object after the moment. */
  private record Changes(long count, long lastMillis) {

    static final Changes ERASED = new Changes(0, Long.MIN_VALUE);

    Changes and(Changes later) {
      return new Changes(count + later.count, later.lastMillis);
    }
  }

  @Nullable String perform(OperatorRequest request, Answers answers) {
    Instant moment = request.time("at");
    boolean isDryRun = request.isSet("dryRun");
    Map<ObjectKey, Changes> changed = changedSince(moment, request);
    String prefix = request.textOrNull("prefix");
    boolean withDeleted = prefix == null || request.isSet("deleted");
    long count = 0;
    long deleted = 0;
    long failed = 0;
    for (Map.Entry<ObjectKey, Changes> each : changed.entrySet()) {
      ObjectKey key = inspection.listed(each.getKey());
      boolean isDeleted = !addresses.exists(key);
      if (isDeleted ? !withDeleted : !hasPrefix(key, prefix)) {
        deleted += isDeleted ? 1 : 0;
        continue;
      }
      count++;
      Map<String, @Nullable Object> answer = Addresses.of(key);
      boolean isErased = each.getValue().equals(Changes.ERASED);
      answer.put("changes", isErased ? null : each.getValue().count());
      answer.put("changed", isErased ? null : ObjectReads.time(each.getValue().lastMillis()));
      failed += restore(key, moment, isDryRun, answer) ? 0 : 1;
      answers.add(answer);
    }
    return summary(count, failed, isDryRun)
        + (deleted == 0
            ? ""
            : " Of the namespace, "
                + deleted
                + " objects were deleted since; their names are not known: add --deleted to restore"
                + " all of them.");
  }

  private static boolean hasPrefix(ObjectKey key, @Nullable String prefix) {
    return prefix == null || key.id().name().filter(name -> name.startsWith(prefix)).isPresent();
  }

  private static String summary(long count, long failed, boolean isDryRun) {
    String failures =
        failed == 0
            ? "."
            : "; "
                + failed
                + (isDryRun ? " more cannot be" : " could not be")
                + " restored, for the reason in the column error.";
    return isDryRun
        ? (count - failed) + " objects would be restored" + failures + " Nothing was changed."
        : (count - failed) + " objects were restored" + failures;
  }

  private Map<ObjectKey, Changes> changedSince(Instant moment, OperatorRequest request) {
    String namespace = request.text("namespace");
    addresses.namespaces(request);
    JournalHistory journal = inspection.journal();
    long position = journal.positionAt(moment.toEpochMilli());
    String from = JournalReads.keptOnlyFrom(journal, moment);
    if (from != null) {
      throw new OperatorException(
          Reason.FAILED,
          "The journal does not reach back to "
              + moment
              + ": it is kept from "
              + from
              + " on. Take a later moment, or restore from an archive or a backup.");
    }
    Map<ObjectKey, Changes> changed = new LinkedHashMap<>();
    journal.forEach(
        position + 1,
        Long.MAX_VALUE,
        record -> {
          if (record.kind().isBatch() && record.key().namespace().equals(namespace)) {
            changed.merge(record.key(), new Changes(1, record.wallMillis()), Changes::and);
          }
        });
    addPurged(namespace, position, changed);
    return changed;
  }

  /** An object whose history was purged since has no record of its changes, and cannot go back. */
  private void addPurged(String namespace, long position, Map<ObjectKey, Changes> changed) {
    Set<ObjectKey> purged = new HashSet<>();
    for (Purge each : inspection.purges()) {
      if (each.upTo() > position && each.key().namespace().equals(namespace)) {
        purged.add(each.key());
      }
    }
    if (!purged.isEmpty()) {
      boolean isKnown =
          inspection.changedAfter(
              position,
              key -> {
                if (purged.contains(key)) {
                  changed.putIfAbsent(key, Changes.ERASED);
                }
              });
      if (!isKnown) {
        purged.forEach(key -> changed.putIfAbsent(key, Changes.ERASED));
      }
    }
  }

  /** {@return whether it was, or could be, restored; the answer has the reason if not} */
  private boolean restore(
      ObjectKey key, Instant moment, boolean isDryRun, Map<String, @Nullable Object> answer) {
    String undo = null;
    String error = null;
    try {
      String bookmark = runtime.recovery(key.namespace(), key.id()).bookmarkForTime(moment);
      if (!isDryRun) {
        undo = runtime.admin().restoreNow(key.namespace(), key.id(), bookmark);
      }
    } catch (HoldfastException | IllegalStateException e) {
      error = String.valueOf(e.getMessage());
    }
    answer.put("undo", undo);
    answer.put("error", error);
    return error == null;
  }
}
