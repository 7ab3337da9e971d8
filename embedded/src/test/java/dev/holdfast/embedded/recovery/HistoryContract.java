package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.Difference.Kind;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** The history of objects through the public API, the same on every storage engine. */
abstract class HistoryContract extends PendingRestoreContract {

  @Test
  void historyReportsEveryChangeAndRestore() {
    try (ObjectRuntime runtime = open()) {
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

  @Test
  void differencesBetweenTwoStatesAreListed() {
    try (ObjectRuntime runtime = open()) {
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
  void forkIsANewObjectWithTheStateOfTheBookmark() {
    try (ObjectRuntime runtime = open()) {
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
    try (ObjectRuntime runtime = open()) {
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("first");
    }
  }

  @Test
  void forkToAnObjectWithDataFailsAloneThoughAnotherCallStartsTheObject() throws Exception {
    try (ObjectRuntime runtime = open()) {
      String first = put(thing(runtime, "a"), "key", "first");
      Anything target = thing(runtime, "b");
      put(target, "key", "own");
      CountDownLatch reset = new CountDownLatch(1);
      CountDownLatch mayEnd = new CountDownLatch(1);
      // The instance is reset, and its last turn continues: all later calls wait for it.
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

  @Test
  void forkOfAnObjectWhoseConstructorWritesWorks() {
    constructorWrites = true;
    try (ObjectRuntime runtime = open()) {
      String first = put(thing(runtime, "a"), "key", "first");
      past(runtime, "a").fork(first, "b");
      assertThat(get(thing(runtime, "b"), "key")).isEqualTo("first");
    }
  }

  @Test
  void withdrawnRestoreIsNotDone() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      ObjectRecovery past = past(runtime, "a");
      assertThat(past.withdrawRestore()).isFalse();
      past.restoreOnNextSession(first);
      assertThat(past.withdrawRestore()).isTrue();
      assertThat(past.withdrawRestore()).isFalse();
    }
    try (ObjectRuntime runtime = open()) {
      assertThat(get(thing(runtime, "a"), "key")).isEqualTo("second");
      assertThat(past(runtime, "a").restorations()).isEmpty();
    }
  }

  @Test
  void usageReportsWhatTheHistoryTakesAndSinceWhen() {
    try (ObjectRuntime runtime = open()) {
      Instant before = Instant.now().minusMillis(1);
      put(thing(runtime, "a"), "key", "first");
      HistoryUsage usage = runtime.historyUsage();
      assertThat(usage.bytes()).isPositive();
      assertThat(usage.bytesMax()).isGreaterThanOrEqualTo(1 << 30); // of the free space
      assertThat(usage.oldest()).isBetween(before, Instant.now());
    }
  }

  /** The journal keeps records for the longest window; the shorter window applies nevertheless. */
  @Test
  void windowOfANamespaceIsItsOwn() {
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            clock,
            objects ->
                objects
                    .namespace(
                        "things", Scripted.class, Scripted::of, window(30).withStorage(storage()))
                    .namespace(
                        "short", Scripted.class, Scripted::of, window(1).withStorage(storage())))) {
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
    try (ObjectRuntime runtime = open(clock, window(3))) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      clock.advance(Duration.ofDays(2));
      put(thing, "key", "second");
      String undo = restore(thing, first);
      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(past(runtime, "a").restorations().getFirst().restored()).isEqualTo(first);
      clock.advance(Duration.ofHours(36));
      assertThat(past(runtime, "a").restorations())
          .singleElement()
          .satisfies(each -> assertThat(each.restored()).isNull())
          .satisfies(each -> assertThat(each.undo()).isEqualTo(undo));
    }
  }
}
