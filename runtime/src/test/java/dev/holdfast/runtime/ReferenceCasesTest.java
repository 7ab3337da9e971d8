package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectContext;
import dev.holdfast.ScheduledTask;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The cases of the reference runtime's own gate tests, as far as Java has them: a promise there is
 * a thread here. Of those of that list that concern the engine, case 8, nested sections, is in
 * {@link CriticalSectionTest}; 62, ids, in {@link ObjectIdsTest}; 66 and 67, eviction and
 * concurrent first calls, in {@link LifecycleTest}: their names begin with the number too.
 */
final class ReferenceCasesTest {

  private static final int MANY = 100_000;

  private final Host host = Host.open();
  private final List<String> events = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() {
    host.close();
  }

  private RunningCall queue(String event) {
    return host.start("a", (_, _) -> events.add(event)).awaitParked();
  }

  @Test
  void case1OfThreeWaitersOnlyTheFirstIsAdmittedAndThenExactlyTheSecond() throws Exception {
    CompletableFuture<Void> first = new CompletableFuture<>();
    CompletableFuture<Void> second = new CompletableFuture<>();
    RunningCall one = host.start("a", (_, _) -> first.join()).awaitParked();
    RunningCall two =
        host.start(
            "a",
            (_, _) -> {
              events.add("second");
              return second.join();
            });
    two.awaitParked();
    RunningCall three = queue("third");
    assertThat(events).isEmpty();

    first.complete(null);
    one.get();
    two.awaitParked();
    assertThat(three.isDone()).isFalse();
    second.complete(null);
    two.get();
    three.get();
    assertThat(events).containsExactly("second", "third");
  }

  @Test
  void case2EventsOfASectionRunInOrderAndOthersAfterItsEnd() throws Exception {
    List<RunningCall> outside = new ArrayList<>();
    host.call(
        "a",
        (_, context) ->
            context.blockConcurrencyWhile(
                () -> {
                  outside.add(queue("outside"));
                  CompletableFuture<Boolean> first = context.async(() -> events.add("inner 1"));
                  CompletableFuture<Boolean> second = context.async(() -> events.add("inner 2"));
                  CompletableFuture<Boolean> third = context.async(() -> events.add("inner 3"));
                  context.await(third);
                  return context.await(first) && context.await(second);
                }));
    outside.getFirst().get();

    assertThat(events).containsExactly("inner 1", "inner 2", "inner 3", "outside");
  }

  @Test
  void case3SecondOfTwoSectionsBeginsWhenTheFirstIsOver() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              CompletableFuture<Boolean> first =
                  context.async(
                      () ->
                          context.blockConcurrencyWhile(
                              () -> {
                                events.add("first begins");
                                context.await(stage);
                                return events.add("first ends");
                              }));
              CompletableFuture<Boolean> second =
                  context.async(
                      () -> context.blockConcurrencyWhile(() -> events.add("second begins")));
              return context.await(first) && context.await(second);
            });
    call.awaitParked();
    stage.complete(null);
    call.get();

    assertThat(events).containsExactly("first begins", "first ends", "second begins");
  }

  @Test
  void case4NestedSectionKeepsTheObjectShutWhenTheOuterOneWouldEnd() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    CompletableFuture<Void> nestedWaits = new CompletableFuture<>();
    RunningCall outer =
        host.start(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () -> {
                      context.async(
                          () ->
                              context.blockConcurrencyWhile(
                                  () -> {
                                    nestedWaits.complete(null);
                                    context.await(stage);
                                    return events.add("nested ends");
                                  }));
                      // Lets the task begin; the section can continue only after the nested one.
                      context.await(CompletableFuture.completedFuture(null));
                      return events.add("outer ends");
                    }));
    nestedWaits.get();
    RunningCall outside = queue("outside");
    assertThat(events).isEmpty();
    stage.complete(null);
    outer.get();
    outside.get();

    assertThat(events).containsExactly("nested ends", "outer ends", "outside");
  }

  @Test
  void case5NestedSectionGoesFirstThenTheWaitersInsideAndTheCancelledDoNot() throws Exception {
    CompletableFuture<Void> last = new CompletableFuture<>();
    host.call(
        "a",
        (_, context) ->
            context.blockConcurrencyWhile(
                () -> {
                  timer(context, "a", null);
                  ScheduledTask second = timer(context, "b", null);
                  ScheduledTask third = timer(context, "c", null);
                  timer(context, "d", last);
                  host.clock.advance(Duration.ZERO);
                  assertThat(second.cancel() && third.cancel()).isTrue();
                  return context.blockConcurrencyWhile(
                      () -> {
                        // The turn ends, and the two that wait outside this section could continue.
                        context.await(CompletableFuture.completedFuture(null));
                        return events.add("nested");
                      });
                }));
    last.get();

    assertThat(events).containsExactly("nested", "a", "d");
  }

  private ScheduledTask timer(ObjectContext context, String event, CompletableFuture<Void> ran) {
    return context.schedule(
        Duration.ZERO,
        () -> {
          events.add(event);
          if (ran != null) {
            ran.complete(null);
          }
        });
  }

  @Test
  void case6FailureOfAnInnerSectionReachesEveryWaiter() throws Exception {
    List<RunningCall> waiting = new ArrayList<>();
    List<CompletableFuture<String>> inner = new ArrayList<>();
    RunningCall failing =
        host.start(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () -> {
                      waiting.add(queue("outside"));
                      inner.add(context.async(() -> "sibling"));
                      return context.blockConcurrencyWhile(
                          () -> {
                            inner.add(context.async(() -> "inside"));
                            throw new IOException("foobar");
                          });
                    }));
    assertFoobar(failing.failure());

    for (RunningCall each : waiting) {
      assertFoobar(each.failure());
    }
    for (CompletableFuture<String> each : inner) {
      assertFoobar(each.handle((_, failure) -> failure).get());
    }
    assertThat(events).isEmpty();
    assertThat(host.call("a", (_, _) -> "fresh")).isEqualTo("fresh");
  }

  private static void assertFoobar(Throwable failure) {
    assertThat(failure).isInstanceOf(InstanceResetException.class).hasRootCauseMessage("foobar");
  }

  @Test
  void case7HundredThousandWaitersThatMoveOutOfASectionAllRun() throws Exception {
    Object sum =
        host.call(
            "a",
            (self, context) -> {
              List<CompletableFuture<Long>> tasks =
                  context.blockConcurrencyWhile(() -> startMany(self, context));
              context.await(tasks.getLast());
              return self.count;
            });

    assertThat(sum).isEqualTo((long) MANY);
  }

  @Test
  void case7HundredThousandWaitersInASectionThatFailsAllGetTheFailure() throws Exception {
    List<CompletableFuture<Long>> tasks = new ArrayList<>();
    RunningCall failing =
        host.start(
            "a",
            (self, context) ->
                context.blockConcurrencyWhile(
                    () -> {
                      tasks.addAll(startMany(self, context));
                      throw new IOException("foobar");
                    }));
    assertFoobar(failing.failure());

    assertThat(tasks).hasSize(MANY).allMatch(CompletableFuture::isCompletedExceptionally);
  }

  private static List<CompletableFuture<Long>> startMany(Thing.State self, ObjectContext context) {
    List<CompletableFuture<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      tasks.add(context.async(() -> ++self.count));
    }
    return tasks;
  }

  @Test
  void case9ReplyWaitsForTheWritesBeforeItAndForNoLaterOnes() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    try (Host manual = Host.with().journal(journal).open()) {
      RunningCall first = write(manual, "first");
      journal.awaitWaiters(1);
      RunningCall between = manual.start("a", (_, _) -> "between");
      journal.awaitWaiters(2);
      RunningCall second = write(manual, "second");
      journal.awaitWaiters(3);

      journal.makeDurable(1);
      assertThat(first.get()).isEqualTo("first");
      assertThat(between.get()).isEqualTo("between");
      assertThat(second.isDone()).isFalse();
      journal.fail(new IOException("the disk is gone"));
      assertThat(second.failure())
          .isInstanceOfSatisfying(
              InstanceResetException.class,
              reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN));
    }
  }

  private static RunningCall write(Host host, String key) {
    return host.start(
        "a",
        (_, context) -> {
          context.storage().put(key, 1);
          return key;
        });
  }
}
