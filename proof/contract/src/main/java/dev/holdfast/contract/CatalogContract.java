package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.filter.Headers;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Rules for the catalog, which is the directory of the objects and the index of their alarms: its
 * state after a crash, a restore and many concurrent changes.
 */
abstract class CatalogContract extends AlarmIndexContract {

  @Test
  void everyCrashRecoversAlarmsTogetherWithTheData() {
    ObjectKey first = named(1, "a");
    ObjectKey second = named(2, "b");
    NavigableMap<Long, Map<ObjectKey, List<AlarmRecord>>> history = new TreeMap<>();
    Map<ObjectKey, List<AlarmRecord>> now = new HashMap<>();
    for (int step = 0; step < 6; step++) {
      for (ObjectKey key : List.of(first, second)) {
        List<AlarmRecord> alarms =
            switch (step) {
              case 0, 3 -> List.of(AlarmRecord.once("", step));
              case 1 -> List.of(RETRIED);
              case 2 -> List.of(NAMED, ABANDONED);
              default -> List.of();
            };
        String value = "v" + step;
        commit(
            key,
            pairs -> {
              pairs.put("key", value);
              pairs.turn().setAlarms(alarms);
            });
        now.put(key, alarms);
        history.put(journal().lastPosition(), new HashMap<>(now));
      }
      if (step == 2) {
        process().trimToLowWaterMark();
        release(first);
      }
    }
    process()
        .afterEveryCrash(
            position -> {
              requireContentsAt(position);
              requireAlarms(history.floorEntry(position).getValue(), first, second);
            });
  }

  @Test
  void catalogSurvivesWithoutTheRecordsBelowTheLowWaterMark() {
    setAlarms(named(1, "kept"), List.of(AlarmRecord.once("", 1)));
    put(named(2, "left"), "a");
    process().trimToLowWaterMark();
    turn(named(2, "left"), StoreTurn::deleteAll);

    crashAt(journal().lastPosition());

    assertThat(names(null)).containsExactly("kept");
    assertThat(pending(Long.MAX_VALUE)).containsExactly("kept:@1");
    closeAndReopen();
    assertThat(names(null)).containsExactly("kept");
  }

  @Test
  void objectIsFoundByItsIdWithItsName() {
    ObjectKey named = named(1, "named");
    ObjectKey gone = named(2, "gone");
    put(named, "a");
    put(gone, "b");
    turn(gone, StoreTurn::deleteAll);
    journal().makeAllDurable();
    ObjectKey unnamed = new ObjectKey(named.namespace(), ObjectId.of(named.id().toBytes(), null));

    ObjectId found = backend().catalog().find(unnamed);
    assertThat(found).isEqualTo(named.id());
    assertThat(String.valueOf(found == null ? null : found.name().orElse(""))).isEqualTo("named");
    assertThat(backend().catalog().find(gone)).isNull();
  }

  @Test
  void restoreKeepsAlarmsThatWereNotChangedSince() {
    ObjectKey key = named(1, "woken");
    long moment = turn(key, turn -> turn.setAlarms(List.of(NAMED)));
    put(key, "a");

    restore(key, moment);

    assertThat(alarms(key)).containsExactly(NAMED);
    crashAt(journal().lastPosition());
    assertThat(alarms(key)).containsExactly(NAMED);
    assertThat(names(null)).containsExactly("woken");
    assertThat(pending(Long.MAX_VALUE)).hasSize(1);
  }

  @Test
  void restoreBringsBackAlarmsAndTakesLaterOnesAway() {
    ObjectKey key = named(1, "woken");
    put(key, "a");
    long without = journal().lastPosition();
    long with = turn(key, turn -> turn.setAlarms(List.of(NAMED)));
    setAlarms(key, List.of(RETRIED));

    restore(key, with);
    assertThat(alarms(key)).containsExactly(NAMED);
    restore(key, without);
    assertThat(alarms(key)).isEmpty();
    crashAt(journal().lastPosition());
    assertThat(alarms(key)).isEmpty();
    assertThat(pending(Long.MAX_VALUE)).isEmpty();
    assertThat(names(null)).containsExactly("woken");
  }

  @Test
  void headersOfAnAlarmAreKeptWithIt() {
    ObjectKey key = named(1, "woken");
    Headers own = Headers.of("x-tenant", "aé").keep("x-tenant");
    Headers both = own.with("trace", "1").keep("trace");
    List<AlarmRecord> with =
        List.of(
            AlarmRecord.once(AlarmRecord.OWN, 5_000).withHeaders(own),
            NAMED.withHeaders(both),
            AlarmRecord.once("plain", 6_000));
    List<AlarmRecord> without =
        List.of(AlarmRecord.once(AlarmRecord.OWN, 5_000), NAMED, AlarmRecord.once("plain", 7_000));
    setAlarms(key, without);
    long position = turn(key, turn -> turn.setAlarms(with));
    assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(with);
    setAlarms(key, without);
    assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(without);
    closeAndReopen();
    assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(without);

    restore(key, position);

    assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(with);
    crashAt(journal().lastPosition());
    assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(with);
    closeAndReopen();
    assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(with);
    setAlarms(key, List.of());
    assertThat(alarms(key)).isEmpty();
  }

  @Test
  void objectIsListedAfterARestoreIfItHasAnythingThen() {
    ObjectKey key = named(1, "gone");
    put(key, "a");
    long filled = journal().lastPosition();
    long emptied = turn(key, StoreTurn::deleteAll);
    put(key, "b");

    restore(key, emptied);
    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();
    restore(key, filled);
    journal().makeAllDurable();
    assertThat(names(null)).containsExactly("gone");
    long gone = restore(key, emptied);
    crashAt(gone); // the state after a restore is in its record, not in a later one
    assertThat(names(null)).isEmpty();
  }

  @Test
  void manyChangesAtOnceLeaveWhatTheLastOnesSay() {
    SplittableRandom random = new SplittableRandom(7);
    List<ObjectKey> keys = List.of(named(1, "a"), named(2, "b"), named(3, "c"));
    Map<ObjectKey, List<AlarmRecord>> expected = new HashMap<>();
    Set<ObjectKey> filled = new HashSet<>();
    for (int step = 0; step < 300; step++) {
      ObjectKey key = keys.get(random.nextInt(keys.size()));
      List<AlarmRecord> alarms =
          random.nextInt(4) == 0 ? List.of() : List.of(AlarmRecord.once("", step), NAMED);
      switch (random.nextInt(4)) {
        case 0 -> {
          put(key, "x");
          filled.add(key);
        }
        case 1 -> {
          turn(key, StoreTurn::deleteAll);
          filled.remove(key);
        }
        // Like a new activation, which states the name again.
        case 2 -> release(key);
        default -> {
          setAlarms(key, alarms);
          expected.put(key, alarms);
        }
      }
      if (step % 50 == 49) {
        // Nothing was read up to here, so all changes may be written at once.
        journal().makeAllDurable();
        keys.forEach(
            each -> {
              if (expected.getOrDefault(each, List.of()).isEmpty() && !filled.contains(each)) {
                expected.remove(each);
              } else {
                expected.putIfAbsent(each, List.of());
              }
            });
        requireAlarms(expected, keys.toArray(ObjectKey[]::new));
      }
    }
  }

  /** Restores an object to its state at a position; returns the position of the restore. */
  private long restore(ObjectKey key, long position) {
    journal().makeAllDurable();
    List<JournalRecord> later = new ArrayList<>();
    journal()
        .forEach(
            record -> {
              boolean isUndone = record.kind().isBatch() || record.kind() == RecordKind.UNDO_PART;
              if (record.key().equals(key)
                  && record.position() > position
                  && record.viewId() == backend().viewId()
                  && isUndone) {
                later.addFirst(record);
              }
            });
    release(key);
    return backend().store(key).restore((_, visitor) -> later.forEach(visitor::visit));
  }
}
