package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Bookmarks and restores, the same on every storage engine. */
abstract class RestoreContract extends RecoveryFixture {

  @Test
  void objectIsAsItWasAtTheBookmarkAfterAnAbort() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String before = current(thing);
      String first = put(thing, "key", "first");
      String second = put(thing, "key", "second");
      assertThat(before).isLessThan(first);
      assertThat(first).isLessThan(second).hasSize(59).matches("[0-9a-z-]+");

      String undo = restore(thing, first);

      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(undo).isGreaterThan(second).isLessThan(current(thing));
      restore(thing, undo);
      assertThat(get(thing, "key")).isEqualTo("second");
      restore(thing, before);
      assertThat(get(thing, "key")).isEqualTo("none");
    }
  }

  @Test
  void alarmIsAsItWasAtTheBookmark() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      Instant early = Instant.parse("2090-01-01T00:00:00Z");
      String none = put(thing, "key", "first");
      String set = setAlarm(thing, early);
      setAlarm(thing, early.plusSeconds(1));

      String undo = restore(thing, set);
      assertThat(alarm(thing)).contains(early);
      assertThat(pendingAlarms(runtime)).isEqualTo(1);
      restore(thing, none);
      assertThat(alarm(thing)).isEmpty();
      assertThat(pendingAlarms(runtime)).isZero();
      restore(thing, undo);
      assertThat(alarm(thing)).contains(early.plusSeconds(1));
      assertThat(pendingAlarms(runtime)).isEqualTo(1);
    }
    try (ObjectRuntime again = open()) {
      assertThat(pendingAlarms(again)).isEqualTo(1);
    }
  }

  private static long pendingAlarms(ObjectRuntime runtime) {
    return runtime.statistics().namespaces().get("things").alarms().pending();
  }

  static String setAlarm(Anything thing, Instant time) {
    return thing.run(
        context -> {
          context.storage().setAlarm(time);
          return context.storage().getCurrentBookmark();
        });
  }

  static Optional<Instant> alarm(Anything thing) {
    return thing.run(context -> context.storage().getAlarm());
  }

  @Test
  void bookmarksStayOrderedWhenTheClockGoesBack() {
    VirtualClock clock = new VirtualClock();
    Instant noon = clock.now();
    try (ObjectRuntime runtime = open(clock, NamespaceOptions.DEFAULT)) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      clock.setWallClock(noon.minus(Duration.ofHours(1)));
      String second = put(thing, "key", "second");
      assertThat(second).isGreaterThan(first);
      assertThat(timeRefusal(thing, noon)).isEqualTo(Reason.OUT_OF_WINDOW);

      clock.setWallClock(noon.plus(Duration.ofHours(1)));
      String third = put(thing, "key", "third");

      assertThat(third).isGreaterThan(second);
      restore(thing, thing.run(context -> context.storage().getBookmarkForTime(noon)));
      assertThat(get(thing, "key")).isEqualTo("second");
    }
  }

  @Test
  void timeThatNamesTwoStatesSinceTheClockWasSetBackIsRefused() {
    VirtualClock clock = new VirtualClock();
    Instant noon = clock.now();
    try (ObjectRuntime runtime = open(clock, NamespaceOptions.DEFAULT)) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "at noon");
      clock.setWallClock(noon.minus(Duration.ofHours(6)));
      put(thing(runtime, "b"), "key", "of another");
      put(thing, "key", "six hours earlier");
      clock.setWallClock(noon.plus(Duration.ofHours(1)));
      ObjectRecovery past = past(runtime, "a");

      assertThatThrownBy(() -> past.bookmarkForTime(noon.minus(Duration.ofHours(2))))
          .isInstanceOfSatisfying(
              BookmarkException.class, e -> assertThat(e.reason()).isEqualTo(Reason.AMBIGUOUS_TIME))
          .hasMessageContaining("2026-01-01T00:00:00Z")
          .hasMessageContaining("2025-12-31T18:00:00Z");
      // Before both it is known.
      restore(thing, past.bookmarkForTime(noon.minus(Duration.ofHours(7))));
      assertThat(get(thing, "key")).isEqualTo("none");
    }
  }

  @Test
  void timesOfOtherObjectsDoNotCountThoughTheClockWasSetBack() {
    VirtualClock clock = new VirtualClock();
    Instant noon = clock.now();
    try (ObjectRuntime runtime = open(clock, NamespaceOptions.DEFAULT)) {
      put(thing(runtime, "a"), "key", "of another at noon");
      clock.setWallClock(noon.minus(Duration.ofHours(6)));
      Anything thing = thing(runtime, "b");
      put(thing, "key", "first");
      clock.setWallClock(noon.plus(Duration.ofHours(1)));
      put(thing, "key", "last");
      ObjectRecovery past = past(runtime, "b");

      restore(thing, past.bookmarkForTime(noon.minus(Duration.ofHours(2))));
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @Test
  void errorOfATimeOutsideOfTheWindowNamesTheWindow() {
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime = open(clock, window(30))) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      ObjectRecovery past = past(runtime, "a");
      for (Instant time :
          List.of(clock.now().minus(Duration.ofDays(31)), clock.now().plusMillis(1))) {
        assertThatThrownBy(() -> past.bookmarkForTime(time))
            .isInstanceOf(BookmarkException.class)
            .hasMessageContaining("the recovery window of the namespace is PT720H");
      }
    }
  }

  @Test
  void requestAndBookmarksSurviveARestartOfTheRuntime() {
    String first;
    String undo;
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      first = put(thing, "key", "first");
      put(thing, "key", "second");
      String wanted = first;
      undo = thing.run(context -> context.storage().onNextSessionRestoreBookmark(wanted));
      put(thing, "key", "third");
      assertThat(get(thing, "key")).isEqualTo("third");
    }
    try (ObjectRuntime runtime = open()) {
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("first");
    }
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      assertThat(get(thing, "key")).isEqualTo("first");
      restore(thing, undo);
      assertThat(get(thing, "key")).isEqualTo("third");
    }
  }

  @Test
  void bookmarkThatIsOlderThanTheFirstRecordSurvivesARestart() {
    String empty;
    try (ObjectRuntime runtime = open()) {
      empty = current(thing(runtime, "a"));
    }
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      restore(thing, empty);
      assertThat(get(thing, "key")).isEqualTo("none");
    }
  }

  @Test
  void secondRequestReplacesTheFirst() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      String second = put(thing, "key", "second");
      put(thing, "key", "third");
      thing.run(context -> context.storage().onNextSessionRestoreBookmark(first));
      restore(thing, second);
      assertThat(get(thing, "key")).isEqualTo("second");
    }
  }

  @Test
  void undoGoesBackSeveralLevels() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      String undoFirst = restore(thing, first);
      put(thing, "key", "after first restore");
      String undoSecond = restore(thing, first);
      assertThat(get(thing, "key")).isEqualTo("first");
      String undoThird = restore(thing, undoSecond);
      assertThat(get(thing, "key")).isEqualTo("after first restore");
      restore(thing, undoThird);
      assertThat(get(thing, "key")).isEqualTo("first");
      restore(thing, undoFirst);
      assertThat(get(thing, "key")).isEqualTo("second");
    }
  }

  @Test
  void bookmarkOfATurnThatWroteNothingInTheEndNamesTheStateBeforeIt() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      String[] lost = new String[1];
      assertThatThrownBy(
              () ->
                  thing.run(
                      context -> {
                        context.storage().put("key", "lost");
                        lost[0] = context.storage().getCurrentBookmark();
                        throw context.abort("loses it");
                      }))
          .isInstanceOf(InstanceResetException.class);
      put(thing, "key", "second");
      restore(thing, lost[0]);
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @Test
  void bookmarkHoldsUnconfirmedWritesToo() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      thing.run(
          context -> {
            context.storage().put("key", "unconfirmed", WriteOptions.DEFAULT.unconfirmed());
            return 0;
          });
      String bookmark = current(thing);
      put(thing, "key", "later");
      restore(thing, bookmark);
      assertThat(get(thing, "key")).isEqualTo("unconfirmed");
    }
  }

  @Test
  void bookmarkOfATurnThatOnlyReadsWritesNothing() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      String before = current(thing);
      get(thing, "key");
      assertThat(current(thing)).isEqualTo(before); // so the journal has not grown
    }
  }

  @Test
  void stateAtATimeComesBack() {
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime = open(clock, NamespaceOptions.DEFAULT)) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      Instant written = clock.now();
      clock.advance(Duration.ofMillis(1));
      put(thing, "key", "second");
      String bookmark = thing.run(context -> context.storage().getBookmarkForTime(written));
      restore(thing, bookmark);
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @Test
  void uselessBookmarksAreRefusedWithTheReason() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String own = put(thing, "key", "first");
      String others = put(thing(runtime, "b"), "key", "first");
      String damaged =
          own.substring(0, 20) + (own.charAt(20) == '0' ? '1' : '0') + own.substring(21);
      assertThat(refusal(thing, "nonsense")).isEqualTo(Reason.MALFORMED);
      assertThat(refusal(thing, damaged)).isEqualTo(Reason.MALFORMED);
      assertThat(refusal(thing, others)).isEqualTo(Reason.OTHER_OBJECT);
      assertThat(timeRefusal(thing, Instant.now().plusSeconds(100)))
          .isEqualTo(Reason.OUT_OF_WINDOW);
      assertThat(timeRefusal(thing, Instant.now().minus(Duration.ofDays(31))))
          .isEqualTo(Reason.OUT_OF_WINDOW);
      assertThat(timeRefusal(thing, Instant.MIN)).isEqualTo(Reason.OUT_OF_WINDOW);
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @Test
  void namespaceWithoutWindowRefusesBookmarks() {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO))) {
      Anything thing = thing(runtime, "a");
      assertThatThrownBy(() -> current(thing))
          .isInstanceOfSatisfying(
              BookmarkException.class, e -> assertThat(e.reason()).isEqualTo(Reason.RECOVERY_OFF));
    }
  }

  @Test
  void whatChangedWhileNoHistoryWasKeptCannotBeUndone() {
    String first;
    String second;
    try (ObjectRuntime runtime = open()) {
      first = put(thing(runtime, "a"), "key", "first");
    }
    NamespaceOptions off = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO);
    try (ObjectRuntime runtime = open(off)) {
      Anything thing = thing(runtime, "a");
      thing.run(
          context -> {
            context.storage().put("key", "without undo");
            return 0;
          });
      assertThatThrownBy(() -> past(runtime, "a").history(9))
          .isInstanceOfSatisfying(
              BookmarkException.class, e -> assertThat(e.reason()).isEqualTo(Reason.RECOVERY_OFF));
    }
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String without = current(thing);
      second = put(thing, "key", "second");
      assertThat(past(runtime, "a").history(9).entries())
          .extracting(HistoryEntry::kind)
          .containsExactly(
              HistoryEntry.Kind.WRITE,
              HistoryEntry.Kind.WRITE_WITHOUT_UNDO,
              HistoryEntry.Kind.WRITE);
      assertThat(refusal(thing, first)).isEqualTo(Reason.RECOVERY_OFF);
      restore(thing, without);
      assertThat(get(thing, "key")).isEqualTo("without undo");
      put(thing, "key", "third");
      restore(thing, second);
      assertThat(get(thing, "key")).isEqualTo("second");
    }
  }
}
