package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.recovery.HistoryEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Operator actions on single objects, the same on every storage engine. */
abstract class AdminContract extends RecoveryFixture {

  private static final Instant FAR = Instant.parse("2200-01-01T00:00:00Z");

  private static ObjectNamespace<Scripted> things(ObjectRuntime runtime) {
    return runtime.namespace("things", Scripted.class);
  }

  private static ObjectId id(ObjectRuntime runtime) {
    return things(runtime).idFromName("a");
  }

  private static boolean exists(ObjectRuntime runtime) {
    return runtime.admin().exists("things", id(runtime));
  }

  private static boolean delete(ObjectRuntime runtime) {
    return runtime.admin().delete("things", id(runtime));
  }

  private static String restoreNow(ObjectRuntime runtime, String bookmark) {
    return runtime.admin().restoreNow("things", id(runtime), bookmark);
  }

  /** Gives the object every kind of state; returns a bookmark of that state. */
  private String fill(Anything thing) {
    return thing.run(
        context -> {
          if (storage().equals(StorageKind.SQLITE)) {
            context.storage().sql().exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
          }
          context.storage().put("key", "first");
          context.storage().setAlarm(FAR);
          return context.storage().getCurrentBookmark();
        });
  }

  private static Optional<Instant> alarm(Anything thing) {
    return thing.run(context -> context.storage().getAlarm());
  }

  private boolean hasTable(Anything thing) {
    return storage().equals(StorageKind.SQLITE)
        && thing.<Boolean>run(
            context ->
                context
                    .storage()
                    .sql()
                    .exec("SELECT 1 FROM sqlite_schema WHERE name = 't'")
                    .iterator()
                    .hasNext());
  }

  @Test
  void deletionTakesEverythingAndARestoreBringsItBack() {
    String undo;
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String filled = fill(thing);
      assertThat(exists(runtime)).isTrue();
      assertThat(runtime.admin().exists("things", things(runtime).idFromString(id(runtime) + "")))
          .isTrue();

      assertThat(delete(runtime)).isTrue();
      assertGone(runtime);
      assertThat(delete(runtime)).isFalse();
      assertThat(past(runtime, "a").history(10).entries()).hasSize(2);

      undo = restoreNow(runtime, filled);
      assertFilled(runtime);
    }
    try (ObjectRuntime runtime = open()) {
      assertFilled(runtime);
      restoreNow(runtime, undo);
      assertGone(runtime);
    }
    try (ObjectRuntime runtime = open()) {
      assertGone(runtime);
    }
  }

  private void assertFilled(ObjectRuntime runtime) {
    assertThat(exists(runtime)).isTrue();
    assertThat(things(runtime).list(ObjectListOptions.ALL).items()).containsExactly(id(runtime));
    Anything thing = thing(runtime, "a");
    assertThat(get(thing, "key")).isEqualTo("first");
    assertThat(alarm(thing)).contains(FAR);
    assertThat(hasTable(thing)).isEqualTo(storage().equals(StorageKind.SQLITE));
  }

  private void assertGone(ObjectRuntime runtime) {
    assertThat(exists(runtime)).isFalse();
    assertThat(things(runtime).list(ObjectListOptions.ALL).items()).isEmpty();
    assertThat(things(runtime).alarms().pending(Optional.empty(), 10).items()).isEmpty();
    Anything thing = thing(runtime, "a");
    assertThat(get(thing, "key")).isEqualTo("none");
    assertThat(alarm(thing)).isEmpty();
    assertThat(hasTable(thing)).isFalse();
    assertThat(exists(runtime)).as("reading makes no object").isFalse();
  }

  @Test
  void busyObjectIsRestoredAndItsCallsFail() throws Exception {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      CountDownLatch inSection = new CountDownLatch(1);
      FutureTask<?> section =
          start(
              () ->
                  thing.run(
                      context ->
                          context.blockConcurrencyWhile(
                              () -> {
                                context.storage().put("key", "third");
                                inSection.countDown();
                                return context.await(new CompletableFuture<>());
                              })));
      inSection.await();
      FutureTask<?> waiting = start(() -> get(thing, "key"));

      String undo = restoreNow(runtime, first);

      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(failure(section)).isInstanceOf(InstanceResetException.class);
      // It came before the restart and failed with it, or came after it and found the restored
      // state.
      assertThat(replyOrFailure(waiting)).isIn("first", InstanceResetException.class);
      assertThat(past(runtime, "a").history(1).entries())
          .extracting(HistoryEntry::kind)
          .containsExactly(HistoryEntry.Kind.RESTORE);
      restoreNow(runtime, undo);
      assertThat(get(thing, "key")).isIn("second", "third");
    }
  }

  @Test
  void turnThatRunsIsDroppedAndTheRestoreWaitsForItsEnd() throws Exception {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      CountDownLatch runs = new CountDownLatch(1);
      CountDownLatch mayEnd = new CountDownLatch(1);
      FutureTask<?> turn = start(() -> thing.run(context -> stuck(context, runs, mayEnd)));
      runs.await();
      CountDownLatch asked = new CountDownLatch(1);
      FutureTask<String> restore =
          start(
              () -> {
                asked.countDown();
                while (true) {
                  try {
                    return restoreNow(runtime, first);
                  } catch (IllegalStateException e) {
                    Thread.yield(); // the other one came first, and is interrupted
                  }
                }
              });
      asked.await();
      // A second one is refused while the first waits; until then, this one may be first.
      while (!isRefused(() -> delete(runtime))) {
        Thread.onSpinWait();
      }
      // If the first has not reached its reset, this is the reset: the turn must not end before it.
      runtime.admin().reset("things", id(runtime));
      assertThat(restore.isDone()).isFalse();
      mayEnd.countDown();

      restore.get();

      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(failure(turn)).isInstanceOf(InstanceResetException.class);
    }
  }

  /** Each reset leaves an instance that waits for the turn; their ends must not be nested. */
  @Test
  void objectWithATurnThatDoesNotEndIsResetAnyNumberOfTimes() throws Exception {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      CountDownLatch runs = new CountDownLatch(1);
      CountDownLatch mayEnd = new CountDownLatch(1);
      FutureTask<?> turn = start(() -> thing.run(context -> stuck(context, runs, mayEnd)));
      runs.await();
      runtime.admin().reset("things", id(runtime));
      for (int count = 0; count < 20_000; count++) {
        Thread.currentThread().interrupt(); // the call must not wait
        assertThatThrownBy(() -> get(thing, "key")).isInstanceOf(CallInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(runtime.admin().reset("things", id(runtime))).isTrue();
      }
      mayEnd.countDown();

      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(failure(turn)).isInstanceOf(InstanceResetException.class);
    }
  }

  private static String stuck(ObjectContext context, CountDownLatch runs, CountDownLatch mayEnd) {
    context.storage().put("key", "third");
    runs.countDown();
    boolean interrupted = false;
    while (mayEnd.getCount() > 0) {
      try {
        mayEnd.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    assertThat(interrupted).isFalse();
    return "ended";
  }

  private static boolean isRefused(Runnable second) {
    Thread own = Thread.currentThread();
    own.interrupt(); // it must not wait if it is not refused
    try {
      second.run();
      throw new AssertionError("neither refused nor waiting");
    } catch (IllegalStateException e) {
      return true;
    } catch (CallInterruptedException e) {
      return false;
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void bookmarkThatCannotBeUsedChangesNothing() throws Exception {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      CompletableFuture<String> released = new CompletableFuture<>();
      CountDownLatch waits = new CountDownLatch(1);
      FutureTask<?> call =
          start(
              () ->
                  thing.run(
                      context -> {
                        waits.countDown();
                        return context.await(released);
                      }));
      waits.await();

      assertThatThrownBy(() -> restoreNow(runtime, "no bookmark"))
          .isInstanceOf(BookmarkException.class);

      released.complete("went on");
      assertThat(call.get()).isEqualTo("went on");
      assertThat(past(runtime, "a").withdrawRestore()).isFalse();
    }
  }

  @Test
  void deletionTakesARequestedRestoreBack() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      past(runtime, "a").restoreOnNextSession(first);

      assertThat(delete(runtime)).isTrue();

      assertGone(runtime);
      past(runtime, "a").restoreOnNextSession(first);
      assertThat(delete(runtime)).as("there is nothing to delete").isFalse();
      assertThat(get(thing, "key")).as("and the request stays").isEqualTo("none");
      runtime.admin().reset("things", id(runtime));
      assertThat(get(thing, "key")).isEqualTo("first");
    }
  }

  @Test
  void namespaceWithoutHistoryIsDeletedFromButNotRestored() {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO);
    try (ObjectRuntime runtime = open(options)) {
      thing(runtime, "a").run(context -> put(context, "first"));
      assertThatThrownBy(() -> restoreNow(runtime, "anything"))
          .isInstanceOf(BookmarkException.class);
      assertThat(delete(runtime)).isTrue();
      assertGone(runtime);
    }
  }

  @Test
  void restoreThatFailsLeavesTheObjectAsItIs() {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      put(thing, "key", "first");
      ObjectAdmin admin = runtime.admin();
      String later = current(thing);
      put(thing, "key", "second");
      admin.restoreNow("things", id(runtime), later);
      // Of an epoch that a restore has ended: whether it is usable or not, nothing remains.
      try {
        admin.restoreNow("things", id(runtime), current(thing));
      } catch (BookmarkException | StorageFailedException e) {
        assertThat(e).hasMessageContaining("things/");
      }
      assertThat(get(thing, "key")).isEqualTo("first");
      assertThat(past(runtime, "a").withdrawRestore()).isFalse();
    }
  }

  private static String put(ObjectContext context, String value) {
    context.storage().put("key", value);
    return value;
  }

  private static <T> FutureTask<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofVirtual().start(task);
    return task;
  }

  private static Throwable failure(FutureTask<?> task) throws InterruptedException {
    try {
      throw new AssertionError("No failure, but " + task.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private static Object replyOrFailure(FutureTask<?> task) throws InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException e) {
      return e.getCause().getClass();
    }
  }
}
