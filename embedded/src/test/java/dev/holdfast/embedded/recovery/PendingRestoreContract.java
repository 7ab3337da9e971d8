package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The effects of a requested restore that is not done yet on all other operations. */
abstract class PendingRestoreContract extends RestoreContract {

  private static final Duration HOUR = Duration.ofHours(1);

  private final VirtualClock clock = new VirtualClock();

  /** Stores the names of its alarms that ran. */
  private record Bell(ObjectContext context, Scripted code) implements Scripted, AlarmHandler {

    static Scripted of(ObjectContext context) {
      return new Bell(context, Scripted.of(context));
    }

    @Override
    public void run(long number) {
      code.run(number);
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      context.storage().put("rang", "rang " + alarm.name());
    }
  }

  private ObjectRuntime openBells(NamespaceOptions options) {
    return Runtimes.open(
        directory,
        clock,
        objects ->
            objects.namespace("things", Scripted.class, Bell::of, options.withStorage(storage())));
  }

  private ObjectRuntime openBells() {
    return openBells(NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ofDays(99)));
  }

  private static void awaitRing(Anything thing) {
    while (get(thing, "rang").equals("none")) {
      Thread.onSpinWait();
    }
  }

  // ---- Restart ----------------------------------------------------------------------------

  @Test
  void evictionIsARestartToo() {
    try (ObjectRuntime runtime = openBells(NamespaceOptions.DEFAULT.withIdleTimeout(HOUR))) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(first);
      assertThat(get(thing, "key")).isEqualTo("second");

      while (past(runtime, "a").restorations().isEmpty()) {
        clock.advance(HOUR.multipliedBy(3)); // the sweeper runs on its own thread
        get(thing, "key");
      }
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @Test
  void restoreIsDoneOnceHoweverOftenTheObjectIsRestarted() {
    String undo;
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(first);
      undo = past(runtime, "a").restoreOnNextSession(first);
    }
    for (int i = 0; i < 3; i++) {
      try (ObjectRuntime runtime = openBells()) {
        assertThat(get(thing(runtime, "a"), "key")).isEqualTo("first");
        assertThat(past(runtime, "a").restorations()).hasSize(1);
        assertThat(past(runtime, "a").history(9).entries()).hasSize(3);
      }
    }
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      restore(thing, undo);
      assertThat(get(thing, "key")).isEqualTo("second");
    }
  }

  // ---- Alarms -----------------------------------------------------------------------------

  @Test
  void alarmThatTheRestoreTakesAwayDoesNotRingThoughItIsDueAtTheRestart() {
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String none = put(thing, "key", "first");
      setAlarm(thing, clock.now().plus(HOUR));
      setAlarm(thing(runtime, "later"), clock.now().plus(HOUR).plusMillis(1));
      past(runtime, "a").restoreOnNextSession(none);
    }
    clock.setWallClock(clock.now().plus(HOUR.multipliedBy(2)));
    try (ObjectRuntime runtime = openBells()) {
      awaitRing(thing(runtime, "later")); // due after the tested alarm
      Anything thing = thing(runtime, "a");
      assertThat(get(thing, "rang")).isEqualTo("none");
      assertThat(alarm(thing)).isEmpty();
      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(past(runtime, "a").restorations()).hasSize(1);
    }
  }

  @Test
  void alarmThatTheRestoreBringsBackRingsThoughItsTimeHasPassed() {
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String set = setAlarm(thing, clock.now().plus(HOUR));
      thing.run(
          context -> {
            context.storage().deleteAlarm();
            return "";
          });
      clock.advance(HOUR.multipliedBy(2));
      assertThat(get(thing, "rang")).isEqualTo("none");

      restore(thing, set);

      awaitRing(thing); // starts the object
    }
  }

  @Test
  void alarmThatIsDueStartsTheObjectAndFindsTheRestoredState() {
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      setAlarm(thing, clock.now().plus(HOUR));
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(first);
    }
    clock.setWallClock(clock.now().plus(HOUR.multipliedBy(2)));
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      while (past(runtime, "a").restorations().isEmpty()) {
        Thread.onSpinWait(); // no caller calls the object
      }
      awaitRing(thing);
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @Test
  void namedAlarmsAndSchedulesAreAsTheyWere() {
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String before =
          thing.run(
              context -> {
                context.storage().schedules().every("hourly", HOUR, MissedRuns.ONCE);
                context.storage().schedules().at("once", clock.now().plus(HOUR.multipliedBy(5)));
                return context.storage().getCurrentBookmark();
              });
      List<Optional<Instant>> expected = schedules(thing);
      thing.run(
          context -> {
            context.storage().schedules().cancel("hourly");
            context.storage().schedules().at("once", clock.now().plus(HOUR.multipliedBy(9)));
            context.storage().schedules().at("other", clock.now().plus(HOUR.multipliedBy(9)));
            return "";
          });
      List<Optional<Instant>> changed = schedules(thing);

      String undo = restore(thing, before);

      assertThat(schedules(thing)).isEqualTo(expected).isNotEqualTo(changed);
      clock.advance(HOUR);
      awaitRing(thing);
      assertThat(get(thing, "rang")).isEqualTo("rang hourly");
      restore(thing, undo);
      assertThat(schedules(thing)).isEqualTo(changed);
    }
  }

  private static List<Optional<Instant>> schedules(Anything thing) {
    return thing.run(
        context ->
            List.of(
                context.storage().schedules().next("hourly"),
                context.storage().schedules().next("once"),
                context.storage().schedules().next("other")));
  }

  // ---- Other readers of the object --------------------------------------------------------

  @Test
  void exportOfAnObjectThatIsNotRunningHasTheRestoredState() {
    Path file = directory.resolve("exported.sqlite");
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(first);
    }
    try (ObjectRuntime runtime = openBells()) {
      past(runtime, "a").exportTo(file);
      past(runtime, "copy").importFrom(file);
      assertThat(get(thing(runtime, "copy"), "key")).isEqualTo("first");
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("first");
    }
  }

  @Test
  void exportOfARunningObjectHasItsPresentState() {
    Path file = directory.resolve("exported.sqlite");
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(first);

      past(runtime, "a").exportTo(file);

      past(runtime, "copy").importFrom(file);
      assertThat(get(thing(runtime, "copy"), "key")).isEqualTo("second");
    }
  }

  @Test
  void forkAndDifferencesAreThoseOfTheirBookmarksAndTheForkHasNoRestorePending() {
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      String second = put(thing, "key", "second");
      String undo = past(runtime, "a").restoreOnNextSession(first);

      past(runtime, "a").fork(second, "b");
      past(runtime, "a").fork(undo, "c"); // the end of the running state, that is, now

      assertThat(past(runtime, "a").diff(first, undo)).hasSize(1);
      assertThat(past(runtime, "a").diff(second, undo)).isEmpty();
      assertThat(past(runtime, "b").withdrawRestore()).isFalse();
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("second");
      assertThat(get(thing(runtime, "c"), "key")).isEqualTo("second");
      assertThat(get(thing, "key")).isEqualTo("second");
    }
    try (ObjectRuntime runtime = openBells()) {
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("second");
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("first");
    }
  }

  @Test
  void forkToAnObjectWithARestorePendingFindsWhatTheRestoreLeavesThere() {
    String first;
    try (ObjectRuntime runtime = openBells()) {
      first = put(thing(runtime, "a"), "key", "first");
      Anything target = thing(runtime, "b");
      String empty = current(target);
      put(target, "key", "data");
      past(runtime, "b").restoreOnNextSession(empty);
    }
    try (ObjectRuntime runtime = openBells()) {
      past(runtime, "a").fork(first, "b");
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("first");
    }
  }

  @Test
  void importIntoAnObjectWithARestorePendingIsTakenBackByIt() {
    Path file = directory.resolve("exported.sqlite");
    try (ObjectRuntime runtime = openBells()) {
      put(thing(runtime, "source"), "key", "imported");
      past(runtime, "source").exportTo(file);
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      String undo = past(runtime, "a").restoreOnNextSession(first);

      past(runtime, "a").importFrom(file); // starts the object again, as any restart does

      assertThat(get(thing, "key")).isEqualTo("first");
      restore(thing, undo);
      assertThat(get(thing, "key")).isEqualTo("imported");
    }
  }

  // ---- deleteAll --------------------------------------------------------------------------

  @Test
  void statesBeforeAndAfterDeleteAllComeBack() {
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String before = put(thing, "key", "first");
      Instant time = clock.now().plus(HOUR).truncatedTo(ChronoUnit.MILLIS);
      String deleted =
          thing.run(
              context -> {
                context.storage().setAlarm(time);
                context.storage().deleteAll();
                return context.storage().getCurrentBookmark();
              });
      put(thing, "other", "second");

      String undo = restore(thing, deleted);
      assertThat(get(thing, "key")).isEqualTo("none");
      assertThat(get(thing, "other")).isEqualTo("none");
      assertThat(alarm(thing)).contains(time);
      restore(thing, before);
      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(alarm(thing)).isEmpty();
      restore(thing, undo);
      assertThat(get(thing, "other")).isEqualTo("second");
    }
  }

  // ---- Time -------------------------------------------------------------------------------

  @Test
  void timeOfACommitGivesItsStateAndTimesBetweenGiveTheOneBefore() {
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      Instant begin = clock.now();
      List<String> states = new ArrayList<>(List.of("none"));
      for (int i = 0; i < 4; i++) {
        clock.advance(Duration.ofMillis(10));
        put(thing, "key", "lost in the same millisecond");
        put(thing, "key", "state " + i);
        put(thing(runtime, "b"), "key", "of somebody else");
        states.add("state " + i);
      }
      restore(thing, current(thing)); // times before a restore name states before it
      clock.advance(Duration.ofMillis(10));
      put(thing, "key", "behind the restore");
      states.add("behind the restore");

      for (int i = states.size() - 1; i >= 0; i--) {
        for (int millis : new int[] {0, 1, 9}) {
          Instant time = begin.plusMillis(10L * i + millis);
          if (time.isAfter(clock.now())) {
            continue;
          }
          String bookmark = past(runtime, "a").bookmarkForTime(time);
          past(runtime, "a").fork(bookmark, "at " + i + "." + millis);
          assertThat(get(thing(runtime, "at " + i + "." + millis), "key"))
              .as("%d ms behind commit %d", millis, i)
              .isEqualTo(states.get(i));
        }
      }
    }
  }

  // ---- No history -------------------------------------------------------------------------

  @Test
  void restoreThatWasAskedForIsDoneThoughItsNamespaceKeepsNoHistoryAnyMore() {
    NamespaceOptions off = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO);
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(first);
    }
    for (int i = 0; i < 2; i++) {
      try (ObjectRuntime runtime = openBells(off)) {
        assertThat(get(thing(runtime, "a"), "key")).isEqualTo("first");
      }
    }
  }

  @Test
  void restoreThatWasAskedForCanBeWithdrawnThoughItsNamespaceKeepsNoHistoryAnyMore() {
    NamespaceOptions off = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO);
    try (ObjectRuntime runtime = openBells()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").restoreOnNextSession(first);
    }
    try (ObjectRuntime runtime = openBells(off)) {
      ObjectRecovery past = past(runtime, "a");
      assertThat(past.withdrawRestore()).isTrue();
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("second");
    }
  }
}
