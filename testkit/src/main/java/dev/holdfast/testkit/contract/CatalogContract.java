package dev.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rules of the catalog: the directory of the objects, and the index of their alarms. */
abstract class CatalogContract extends RecoveryContract {

  private static final String NAMESPACE = object(0).namespace();
  private static final AlarmRecord RETRIED =
      new AlarmRecord(AlarmRecord.OWN, State.PENDING, 9_000, 5_000, 3, "");
  private static final AlarmRecord ABANDONED =
      new AlarmRecord(AlarmRecord.OWN, State.ABANDONED, 9_000, 5_000, 7, "");
  private static final AlarmRecord NAMED =
      new AlarmRecord("näme\0", State.PENDING, 7_000, 7_000, 0, "every PT5M");

  @Test
  void objectIsListedFromItsFirstDurableBatchOn() {
    ObjectKey key = named(1, "first");
    put(key, "a");
    if (journal().durablePosition() < journal().lastPosition()) {
      assertThat(names(null)).isEmpty();
    }

    journal().makeAllDurable();

    assertThat(names(null)).containsExactly("first");
  }

  @Test
  void turnThatOnlyReadsBringsNoObjectIntoBeing() {
    StoreTurn turn = begin(named(1, "read"));
    turn.get(bytes("a"));
    turn.delete(bytes("a"));
    turn.alarms();

    assertThat(turn.seal()).isEqualTo(Journal.START);
    turn(named(1, "read"), StoreTurn::deleteAll);

    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();
  }

  @Test
  void namesAreListedInUtf8OrderAndIdsWithoutAfterThem() {
    // As UTF-16 the second comes before the first.
    List<String> ordered = List.of("", "a", "a\0", "ab", "b", "\uFFFF", "\uD83D\uDE00");
    for (int number = ordered.size() - 1; number >= 0; number--) {
      put(named(number, ordered.get(number)), "a");
    }
    put(object(20), "a");
    put(object(21), "a");
    journal().makeAllDurable();

    List<ObjectId> all = objects(null, null, 100);

    assertThat(all.stream().flatMap(id -> id.name().stream())).containsExactlyElementsOf(ordered);
    assertThat(all.subList(7, 9)).containsExactlyInAnyOrder(object(20).id(), object(21).id());
    assertThat(names("a")).containsExactly("a", "a\0", "ab");
    assertThat(names("")).containsExactlyElementsOf(ordered);
    assertThat(names("c")).isEmpty();
    assertThat(pages(3)).isEqualTo(all);
    assertThat(pages(1)).isEqualTo(all);
  }

  @Test
  void namespacesAreListedApart() {
    put(named(1, "here"), "a");
    put(new ObjectKey("other", ObjectId.of(object(2).id().toBytes(), "there")), "a");
    journal().makeAllDurable();

    assertThat(names(null)).containsExactly("here");
    assertThat(backend().catalog().objects(new ObjectQuery("none", null, null, 9))).isEmpty();
  }

  @Test
  void nameThatIsLearntLaterIsKept() {
    put(object(1), "a");
    release(object(1));
    put(named(1, "late"), "b");
    release(object(1));
    put(object(1), "c");
    journal().makeAllDurable();

    assertThat(objects(null, null, 9)).hasSize(1);
    assertThat(names(null)).containsExactly("late");
  }

  @Test
  void objectWithoutDataAndAlarmsLeavesTheDirectory() {
    ObjectKey key = named(1, "gone");
    put(key, "a");
    turn(key, StoreTurn::deleteAll);
    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();

    put(key, "a");
    turn(
        key,
        turn -> {
          turn.deleteAll();
          turn.put(bytes("b"), bytes("2"));
        });
    journal().makeAllDurable();
    assertThat(names(null)).containsExactly("gone");
  }

  @Test
  void objectWhoseKeysWereDeletedOneByOneLeavesWithDeleteAll() {
    ObjectKey key = named(1, "emptied");
    put(key, "a");
    turn(key, turn -> turn.delete(bytes("a")));
    journal().makeAllDurable();
    assertThat(names(null)).containsExactly("emptied");

    release(key);
    turn(key, StoreTurn::deleteAll);

    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();
  }

  @Test
  void alarmKeepsAnObjectAliveThatHasNothingElse() {
    ObjectKey key = named(1, "waiting");
    put(key, "a");
    setAlarms(key, List.of(AlarmRecord.once("", 5_000)));
    turn(key, StoreTurn::deleteAll);
    journal().makeAllDurable();
    assertThat(alarms(key)).containsExactly(AlarmRecord.once("", 5_000));
    assertThat(names(null)).containsExactly("waiting");

    setAlarms(key, List.of());

    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();
  }

  @Test
  void deleteAllKeepsAnAlarmOfTheSameTurn() {
    ObjectKey key = named(1, "both");
    put(key, "a");
    turn(
        key,
        turn -> {
          turn.setAlarms(List.of(AlarmRecord.once("", 5_000)));
          turn.deleteAll();
        });

    assertThat(alarms(key)).containsExactly(AlarmRecord.once("", 5_000));
    assertThat(scan(key, ALL)).isEmpty();
  }

  @Test
  void alarmsAreReadBackAsTheyWereSet() {
    ObjectKey key = named(1, "kinds");
    for (List<AlarmRecord> alarms :
        List.of(
            List.of(AlarmRecord.once("", 5_000)),
            List.of(AlarmRecord.once("", 6_000)),
            List.of(RETRIED),
            List.of(ABANDONED),
            List.of(AlarmRecord.once("", 6_000), NAMED),
            List.of(RETRIED, NAMED),
            List.of(AlarmRecord.once("", 1L << 60), NAMED),
            List.of(NAMED),
            List.<AlarmRecord>of())) {
      setAlarms(key, alarms);
      assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(alarms);
      release(key);
      assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(alarms);
      closeAndReopen();
      assertThat(alarms(key)).containsExactlyInAnyOrderElementsOf(alarms);
    }
  }

  @Test
  void alarmsOfATurnThatFailsOrIsDiscardedAreNotSet() {
    ObjectKey key = named(1, "discarded");
    setAlarms(key, List.of(AlarmRecord.once("", 5_000)));
    StoreTurn turn = begin(key);
    turn.setAlarms(List.of());
    assertThat(turn.alarms()).isEmpty();
    turn.discard();

    assertThat(alarms(key)).containsExactly(AlarmRecord.once("", 5_000));
  }

  @Test
  void rollbackToASavepointRestoresTheAlarms() {
    ObjectKey key = named(1, "savepoints");
    setAlarms(key, List.of(AlarmRecord.once("", 1)));
    StoreTurn turn = begin(key);
    turn.openSavepoint();
    turn.setAlarms(List.of(AlarmRecord.once("", 2)));
    turn.openSavepoint();
    turn.setAlarms(List.of());
    turn.rollbackToSavepoint();
    assertThat(turn.alarms()).containsExactly(AlarmRecord.once("", 2));
    turn.openSavepoint();
    turn.setAlarms(List.of(AlarmRecord.once("", 3)));
    turn.releaseSavepoint();
    assertThat(turn.alarms()).containsExactly(AlarmRecord.once("", 3));
    turn.rollbackToSavepoint();
    assertThat(turn.alarms()).containsExactly(AlarmRecord.once("", 1));
    assertThat(turn.seal()).isEqualTo(Journal.START);
  }

  @Test
  void indexIsOrderedByDueTimeAndShowsWhatIsDurable() {
    setAlarms(named(1, "a"), List.of(RETRIED, NAMED));
    setAlarms(named(2, "b"), List.of(AlarmRecord.once("", 8_000)));
    setAlarms(named(3, "c"), List.of(ABANDONED, AlarmRecord.once("x", -3)));
    if (journal().durablePosition() < journal().lastPosition()) {
      assertThat(pending(Long.MAX_VALUE)).isEmpty();
    }
    journal().makeAllDurable();

    assertThat(pending(Long.MAX_VALUE))
        .containsExactly("c:x@-3", "a:näme\0@7000", "b:@8000", "a:@9000");
    assertThat(pending(8_000)).containsExactly("c:x@-3", "a:näme\0@7000", "b:@8000");
    assertThat(index(State.ABANDONED, null, Long.MAX_VALUE, 9))
        .extracting(AlarmEntry::alarm)
        .containsExactly(ABANDONED);
  }

  @Test
  void indexIsReadInPages() {
    List<AlarmEntry> expected = new ArrayList<>();
    for (int number = 0; number < 20; number++) {
      ObjectKey key = named(number, "n" + number);
      List<AlarmRecord> alarms =
          List.of(AlarmRecord.once("", 1_000 + number / 5), AlarmRecord.once("x", 1_000));
      setAlarms(key, alarms);
      alarms.forEach(alarm -> expected.add(new AlarmEntry(key, alarm)));
    }
    journal().makeAllDurable();
    expected.sort(AlarmEntry.ORDER);

    List<AlarmEntry> found = new ArrayList<>();
    List<AlarmEntry> page = index(State.PENDING, null, Long.MAX_VALUE, 7);
    while (!page.isEmpty()) {
      found.addAll(page);
      page = index(State.PENDING, page.getLast(), Long.MAX_VALUE, 7);
    }

    assertThat(found).isEqualTo(expected);
  }

  @Test
  void listenerHearsOfEveryChangeOfAlarms() {
    List<String> heard = new ArrayList<>();
    backend()
        .catalog()
        .onAlarmsChanged((key, alarms) -> heard.add(key.id().name().orElse("") + alarms.size()));

    put(named(1, "a"), "no alarm");
    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 1), NAMED));
    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 1), NAMED));
    setAlarms(named(1, "a"), List.of());

    assertThat(heard).containsExactly("a2", "a0");
  }

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

  private void requireAlarms(Map<ObjectKey, List<AlarmRecord>> expected, ObjectKey... keys) {
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
    crashAt(gone); // what is so after a restore is in its record, not in one behind it
    assertThat(names(null)).isEmpty();
  }

  /** Brings an object back to what it was at a position. {@return the position of that} */
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
    return backend().store(key).restore(visitor -> later.forEach(visitor::visit));
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
        // As an activation of its own would, which says the name anew.
        case 2 -> release(key);
        default -> {
          setAlarms(key, alarms);
          expected.put(key, alarms);
        }
      }
      if (step % 50 == 49) {
        // Until here nothing was read, and so everything may be written at once.
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

  private void closeAndReopen() {
    process().closeAndReopen();
  }

  private void put(ObjectKey key, String name) {
    turn(key, turn -> turn.put(bytes(name), bytes("1")));
  }

  private void setAlarms(ObjectKey key, List<AlarmRecord> alarms) {
    turn(key, turn -> turn.setAlarms(alarms));
  }

  private List<AlarmRecord> alarms(ObjectKey key) {
    return read(key, StoreTurn::alarms);
  }

  private List<ObjectId> objects(@Nullable String prefix, @Nullable ObjectId after, int limit) {
    return backend().catalog().objects(new ObjectQuery(NAMESPACE, prefix, after, limit));
  }

  private List<String> names(@Nullable String prefix) {
    return objects(prefix, null, 100).stream().flatMap(id -> id.name().stream()).toList();
  }

  private List<ObjectId> pages(int limit) {
    List<ObjectId> found = new ArrayList<>();
    List<ObjectId> page = objects(null, null, limit);
    while (!page.isEmpty()) {
      found.addAll(page);
      page = objects(null, page.getLast(), limit);
    }
    return found;
  }

  private List<AlarmEntry> index(
      State state, @Nullable AlarmEntry after, long dueMillisMax, int limit) {
    return backend().catalog().alarms(new AlarmQuery(NAMESPACE, state, after, dueMillisMax, limit));
  }

  private List<String> pending(long dueMillisMax) {
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

  private static ObjectKey named(int number, String name) {
    return new ObjectKey(NAMESPACE, ObjectId.of(object(number).id().toBytes(), name));
  }
}
