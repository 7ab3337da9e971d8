package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Helpers for the rules of the catalog: objects with names, alarms, lists and pages. */
abstract class CatalogFixture extends RecoveryContract {

  private static final String NAMESPACE = object(0).namespace();
  static final AlarmRecord RETRIED =
      new AlarmRecord(AlarmRecord.OWN, State.PENDING, 9_000, 5_000, 3, "");
  static final AlarmRecord ABANDONED =
      new AlarmRecord(AlarmRecord.OWN, State.ABANDONED, 9_000, 5_000, 7, "");
  static final AlarmRecord NAMED =
      new AlarmRecord("näme\0", State.PENDING, 7_000, 7_000, 0, "every PT5M");

  final void requireAlarms(Map<ObjectKey, List<AlarmRecord>> expected, ObjectKey... keys) {
    List<AlarmEntry> indexed = new ArrayList<>();
    for (ObjectKey key : keys) {
      List<AlarmRecord> alarms = expected.getOrDefault(key, List.of());
      assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(alarms);
      alarms.forEach(alarm -> indexed.add(new AlarmEntry(key, alarm)));
    }
    List<AlarmEntry> found = new ArrayList<>(index(State.PENDING, null, Long.MAX_VALUE, 99));
    found.addAll(index(State.ABANDONED, null, Long.MAX_VALUE, 99));
    assertThat(found).containsExactlyInAnyOrderElementsOf(indexed);
    assertThat(names(null))
        .containsExactlyElementsOf(
            expected.keySet().stream().map(key -> key.id().name().orElseThrow()).sorted().toList());
  }

  final void closeAndReopen() {
    process().closeAndReopen();
  }

  final void put(ObjectKey key, String name) {
    turn(key, turn -> turn.put(bytes(name), bytes("1")));
  }

  final void setAlarms(ObjectKey key, List<AlarmRecord> alarms) {
    turn(key, turn -> turn.setAlarms(alarms));
  }

  final List<AlarmRecord> alarms(ObjectKey key) {
    return read(key, StoreTurn::alarms);
  }

  final List<ObjectId> objects(@Nullable String prefix, @Nullable ObjectId after, int limit) {
    return backend().catalog().objects(new ObjectQuery(NAMESPACE, prefix, after, limit));
  }

  final List<String> names(@Nullable String prefix) {
    return objects(prefix, null, 100).stream().flatMap(id -> id.name().stream()).toList();
  }

  final List<ObjectId> pages(int limit) {
    List<ObjectId> found = new ArrayList<>();
    List<ObjectId> page = objects(null, null, limit);
    while (!page.isEmpty()) {
      found.addAll(page);
      page = objects(null, page.getLast(), limit);
    }
    return found;
  }

  final List<AlarmEntry> index(
      State state, @Nullable AlarmEntry after, long dueMillisMax, int limit) {
    return backend().catalog().alarms(new AlarmQuery(NAMESPACE, state, after, dueMillisMax, limit));
  }

  final List<String> pending(long dueMillisMax) {
    return index(State.PENDING, null, dueMillisMax, 100).stream()
        .map(
            entry ->
                entry.key().id().name().orElse("")
                    + ":"
                    + entry.alarm().name()
                    + "@"
                    + entry.alarm().dueMillis())
        .toList();
  }

  static ObjectKey named(int number, String name) {
    return new ObjectKey(NAMESPACE, ObjectId.of(object(number).id().toBytes(), name));
  }
}
