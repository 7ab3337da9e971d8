package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.Difference.Kind;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Point-in-time recovery through the public API. */
class RecoveryTest {

  @TempDir private Path directory;

  private boolean constructorWrites;

  /** Runs code in an object. */
  private record Anything(Scripted object) {

    <T> T run(Function<ObjectContext, T> code) {
      return Scripted.in(object, code);
    }
  }

  private ObjectRuntime open() {
    return open(NamespaceOptions.DEFAULT);
  }

  private ObjectRuntime open(NamespaceOptions options) {
    return Holdfast.open(
        directory,
        objects ->
            objects.namespace(
                "things",
                Scripted.class,
                context -> {
                  if (constructorWrites) {
                    context.storage().put("constructor", context.id().toString());
                  }
                  return Scripted.of(context);
                },
                options));
  }

  private static Anything thing(ObjectRuntime runtime, String name) {
    return new Anything(runtime.namespace("things", Scripted.class).getByName(name));
  }

  private static String put(Anything thing, String key, Object value) {
    return thing.run(
        context -> {
          context.storage().put(key, value);
          return context.storage().getCurrentBookmark();
        });
  }

  private static String get(Anything thing, String key) {
    return thing.run(context -> context.storage().get(key, String.class).orElse("none"));
  }

  private static String restore(Anything thing, String bookmark) {
    String[] undo = new String[1];
    assertThatThrownBy(
            () ->
                thing.run(
                    context -> {
                      undo[0] = context.storage().onNextSessionRestoreBookmark(bookmark);
                      throw context.abort("to restore");
                    }))
        .isInstanceOf(InstanceResetException.class);
    return undo[0];
  }

  private static String current(Anything thing) {
    return thing.run(context -> context.storage().getCurrentBookmark());
  }

  @Test
  void objectIsAsItWasAtTheBookmarkAfterAnAbort() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String before = current(thing);
      String first = put(thing, "key", "first");
      String second = put(thing, "key", "second");
      thing.run(
          context -> {
            context.storage().sql().exec("CREATE TABLE t (a)");
            return context.storage().sql().exec("INSERT INTO t VALUES (1)").toList();
          });
      assertThat(before).isLessThan(first);
      assertThat(first).isLessThan(second).hasSize(59);

      String undo = restore(thing, first);

      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(
              thing.<Object>run(
                  context ->
                      context
                          .storage()
                          .sql()
                          .exec("SELECT count(*) AS a FROM sqlite_schema WHERE name = 't'")
                          .one()
                          .get("a")))
          .isEqualTo(0L);
      assertThat(undo).isGreaterThan(second).isLessThan(current(thing));

      restore(thing, undo);
      assertThat(get(thing, "key")).isEqualTo("second");
      assertThat(
              thing.<Object>run(
                  context -> context.storage().sql().exec("SELECT a FROM t").one().get("a")))
          .isEqualTo(1L);
      restore(thing, before);
      assertThat(get(thing, "key")).isEqualTo("none");
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
  void stateAtATimeComesBack() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      Instant written = Instant.now();
      while (!Instant.now().minusMillis(2).isAfter(written)) {
        Thread.onSpinWait();
      }
      put(thing, "key", "second");
      String bookmark = thing.run(context -> context.storage().getBookmarkForTime(written));
      restore(thing, bookmark);
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @ParameterizedTest
  @EnumSource
  void historyTellsEveryChangeAndRestore(StorageKind storage) {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withStorage(storage))) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      String undo = restore(thing, first);
      assertThat(get(thing, "key")).isEqualTo("first");
      ObjectRecovery past = past(runtime, "a");

      HistoryPage page = past.history(2);
      assertThat(page.entries())
          .extracting(HistoryEntry::kind)
          .containsExactly(HistoryEntry.Kind.RESTORE, HistoryEntry.Kind.WRITE);
      HistoryPage rest = past.history(2, String.valueOf(page.next()));
      assertThat(rest.entries()).hasSize(1);
      assertThat(rest.next()).isNull();
      assertThat(page.entries().getFirst().bookmark())
          .isGreaterThan(undo)
          .isGreaterThan(page.entries().getLast().bookmark());
      assertThat(past.restorations())
          .singleElement()
          .satisfies(each -> assertThat(each.undo()).isEqualTo(undo))
          .satisfies(each -> assertThat(each.restored()).isEqualTo(first));
    }
  }

  @ParameterizedTest
  @EnumSource
  void differencesBetweenTwoStatesAreListed(StorageKind storage) {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withStorage(storage))) {
      Anything thing = thing(runtime, "a");
      put(thing, "changed", "1");
      put(thing, "removed", "1");
      String from = put(thing, "same", "1");
      put(thing, "changed", "2");
      thing.run(context -> context.storage().delete("removed"));
      String to = put(thing, "added", "1");
      assertThat(past(runtime, "a").diff(from, to))
          .containsExactly(
              new Difference(Kind.ADDED, Difference.KEYS, "added"),
              new Difference(Kind.CHANGED, Difference.KEYS, "changed"),
              new Difference(Kind.REMOVED, Difference.KEYS, "removed"));
      assertThat(past(runtime, "a").diff(to, from))
          .contains(new Difference(Kind.REMOVED, Difference.KEYS, "added"));
    }
  }

  @Test
  void rowsAndTablesThatDifferAreListed() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String from =
          sql(
              thing,
              "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'x'), (2,"
                  + " 'y')");
      String to = sql(thing, "UPDATE t SET a = 'z' WHERE id = 2; CREATE INDEX i ON t (a)");
      assertThat(past(runtime, "a").diff(from, to))
          .containsExactly(
              new Difference(Kind.ADDED, Difference.SCHEMA, "index i"),
              new Difference(Kind.CHANGED, "t", "2"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void forkIsANewObjectWithTheStateOfTheBookmark(StorageKind storage) {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withStorage(storage))) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      past(runtime, "a").fork(first, "b");
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("first");
      assertThat(get(thing, "key")).isEqualTo("second");
      assertThatThrownBy(() -> past(runtime, "a").fork(first, "b"))
          .hasMessageContaining("has data already");
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("first");
    }
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withStorage(storage))) {
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("first");
    }
  }

  @ParameterizedTest
  @EnumSource
  void forkToAnObjectWithDataFailsAloneThoughAnotherCallStartsTheObject(StorageKind storage)
      throws Exception {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withStorage(storage))) {
      String first = put(thing(runtime, "a"), "key", "first");
      Anything target = thing(runtime, "b");
      put(target, "key", "own");
      CountDownLatch reset = new CountDownLatch(1);
      CountDownLatch mayEnd = new CountDownLatch(1);
      // The instance is reset, and its last turn goes on: all that follows waits for it.
      FutureTask<String> last =
          started(
              () ->
                  target.run(
                      context -> {
                        try {
                          throw context.abort("to have the object started again");
                        } finally {
                          reset.countDown();
                          awaitQuietly(mayEnd);
                        }
                      }));
      reset.await();
      FutureTask<String> innocent = new FutureTask<>(() -> get(target, "key"));
      startedAndWaiting(innocent);
      FutureTask<String> fork =
          new FutureTask<>(
              () -> {
                past(runtime, "a").fork(first, "b");
                return "forked";
              });
      startedAndWaiting(fork);
      mayEnd.countDown();

      assertThat(innocent.get()).isEqualTo("own");
      assertThatThrownBy(fork::get).hasMessageContaining("has data already");
      assertThatThrownBy(last::get).hasCauseInstanceOf(InstanceResetException.class);
      assertThat(get(target, "key")).isEqualTo("own");
    }
  }

  private static FutureTask<String> started(Callable<String> work) {
    FutureTask<String> task = new FutureTask<>(work);
    Thread.ofPlatform().start(task);
    return task;
  }

  private static void startedAndWaiting(FutureTask<String> task) {
    Thread thread = Thread.ofPlatform().start(task);
    while (thread.getState() != Thread.State.WAITING && !task.isDone()) {
      Thread.onSpinWait();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @EnumSource
  void forkOfAnObjectWhoseConstructorWritesWorks(StorageKind storage) {
    constructorWrites = true;
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withStorage(storage))) {
      String first = put(thing(runtime, "a"), "key", "first");
      past(runtime, "a").fork(first, "b");
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("first");
    }
  }

  @ParameterizedTest
  @EnumSource
  void withdrawnRestoreIsNotDone(StorageKind storage) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withStorage(storage);
    try (ObjectRuntime runtime = open(options)) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      ObjectRecovery past = past(runtime, "a");
      assertThat(past.withdrawRestore()).isFalse();
      past.restoreOnNextSession(first);
      assertThat(past.withdrawRestore()).isTrue();
      assertThat(past.withdrawRestore()).isFalse();
    }
    try (ObjectRuntime runtime = open(options)) {
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("second");
      assertThat(past(runtime, "a").restorations()).isEmpty();
    }
  }

  @Test
  void usageTellsWhatTheHistoryTakesAndSinceWhen() {
    try (ObjectRuntime runtime = open()) {
      Instant before = Instant.now().minusMillis(1);
      put(thing(runtime, "a"), "key", "first");
      HistoryUsage usage = runtime.historyUsage();
      assertThat(usage.bytes()).isPositive();
      assertThat(usage.bytesMax()).isEqualTo(RuntimeOptions.DEFAULT.historyBytesMax());
      assertThat(usage.oldest()).isBetween(before, Instant.now());
    }
  }

  /** The journal keeps what the longest window needs; the shorter one holds all the same. */
  @Test
  void windowOfANamespaceIsItsOwn() {
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            clock,
            objects ->
                objects
                    .namespace("things", Scripted.class, Scripted::of, window(30))
                    .namespace("short", Scripted.class, Scripted::of, window(1)))) {
      Anything kept = thing(runtime, "a");
      Anything dropped = new Anything(runtime.namespace("short", Scripted.class).getByName("a"));
      String keptFirst = put(kept, "key", "first");
      String droppedFirst = put(dropped, "key", "first");
      String atTheBegin = put(dropped, "key", "at the begin of the window");
      clock.advance(Duration.ofDays(2));
      put(kept, "key", "second");
      put(dropped, "key", "second");

      assertThat(refusal(dropped, droppedFirst)).isEqualTo(Reason.NOT_KEPT);
      ObjectRecovery past =
          runtime.recovery("short", runtime.namespace("short", Scripted.class).idFromName("a"));
      assertThat(past.history(9).entries()).hasSize(2);
      assertThatThrownBy(() -> past.fork(droppedFirst, "b")).isInstanceOf(BookmarkException.class);
      restore(kept, keptFirst);
      assertThat(get(kept, "key")).isEqualTo("first");
      restore(dropped, atTheBegin);
      assertThat(get(dropped, "key")).isEqualTo("at the begin of the window");
    }
  }

  @Test
  void restorationNamesNoStateThatIsNotKept() {
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            clock,
            objects -> objects.namespace("things", Scripted.class, Scripted::of, window(30)))) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      clock.advance(Duration.ofDays(20));
      put(thing, "key", "second");
      String undo = restore(thing, first);
      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(past(runtime, "a").restorations().getFirst().restored()).isEqualTo(first);
      clock.advance(Duration.ofDays(15));
      assertThat(past(runtime, "a").restorations())
          .singleElement()
          .satisfies(each -> assertThat(each.restored()).isNull())
          .satisfies(each -> assertThat(each.undo()).isEqualTo(undo));
    }
  }

  private static NamespaceOptions window(int days) {
    return NamespaceOptions.DEFAULT
        .withRecoveryWindow(Duration.ofDays(days))
        .withIdleTimeout(Duration.ofDays(99));
  }

  private static String sql(Anything thing, String statements) {
    return thing.run(
        context -> {
          context.storage().sql().exec(statements);
          return context.storage().getCurrentBookmark();
        });
  }

  private static ObjectRecovery past(ObjectRuntime runtime, String name) {
    return runtime.recovery("things", runtime.namespace("things", Scripted.class).idFromName(name));
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

  private static Reason refusal(Anything thing, String bookmark) {
    return thing.run(
        context -> {
          try {
            context.storage().onNextSessionRestoreBookmark(bookmark);
            throw new AssertionError("taken");
          } catch (BookmarkException e) {
            return e.reason();
          }
        });
  }

  private static Reason timeRefusal(Anything thing, Instant time) {
    return thing.run(
        context -> {
          try {
            context.storage().getBookmarkForTime(time);
            throw new AssertionError("taken");
          } catch (BookmarkException e) {
            return e.reason();
          }
        });
  }
}
