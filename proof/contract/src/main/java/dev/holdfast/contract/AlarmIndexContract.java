package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules for alarms: how they are stored with their object, and found by their time. */
abstract class AlarmIndexContract extends DirectoryContract {

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
    String namespace = object(1).namespace();
    assertThat(backend().catalog().alarmCount(namespace, State.PENDING)).isEqualTo(4);
    assertThat(backend().catalog().alarmCount(namespace, State.ABANDONED)).isEqualTo(1);
    assertThat(backend().catalog().alarmCount("none", State.PENDING)).isZero();
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
        .onAlarmsChanged(
            (key, after, before) ->
                heard.add(key.id().name().orElse("") + before.size() + after.size()));

    put(named(1, "a"), "no alarm");
    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 1), NAMED));
    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 1), NAMED));
    setAlarms(named(1, "a"), List.of());

    assertThat(heard).containsExactly("a02", "a20");
  }

  @Test
  void nameIsKnownToListenerAndIndexThoughOnlyTheFirstBatchOfAnInstanceSaysIt() {
    List<String> heard = new ArrayList<>();
    backend()
        .catalog()
        .onAlarmsChanged((key, after, _) -> heard.add(key.id().name().orElse("") + after.size()));
    // Written by an instance without the name; the files that the backend has open for the object
    // stay open.
    put(object(1), "no alarm");
    release(object(1));

    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 1)));
    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 2)));
    journal().makeAllDurable();
    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 3)));
    setAlarms(named(1, "a"), List.of(AlarmRecord.once("", 4)));
    journal().makeAllDurable();

    assertThat(heard).containsExactly("a1", "a1", "a1", "a1");
    assertThat(pending(Long.MAX_VALUE)).containsExactly("a:@4");
    closeAndReopen();
    assertThat(pending(Long.MAX_VALUE)).containsExactly("a:@4");
  }
}
