package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class CriticalSectionTest {

  @AutoClose
  private final Host host =
      Host.with()
          .namespace(NamespaceOptions.DEFAULT.withCriticalSectionTimeout(Duration.ofSeconds(30)))
          .open();

  private final List<String> events = new ArrayList<>();

  @Test
  void sectionKeepsOthersOutWhileItWaits() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    RunningCall holder =
        host.start(
            "a",
            (_, context) -> {
              context.blockConcurrencyWhile(
                  () -> {
                    context.await(stage);
                    return events.add("section ends");
                  });
              return events.add("code behind the section");
            });
    holder.awaitParked();
    RunningCall other = host.start("a", (_, _) -> events.add("other")).awaitParked();
    stage.complete(null);
    holder.get();
    other.get();

    assertThat(events).containsExactly("section ends", "code behind the section", "other");
  }

  @Test
  void sectionBeginsBeforeEventsThatAlreadyWait() throws Exception {
    AtomicReference<RunningCall> queued = new AtomicReference<>();
    host.call(
        "a",
        (_, context) -> {
          queued.set(host.start("a", (_, _) -> events.add("queued")).awaitParked());
          return context.blockConcurrencyWhile(() -> events.add("section"));
        });
    queued.get().get();

    assertThat(events).containsExactly("section", "queued");
  }

  @Test
  void tasksOfTheSectionRunInsideIt() throws Exception {
    host.call(
        "a",
        (_, context) ->
            context.blockConcurrencyWhile(
                () -> context.await(context.async(() -> events.add("task")))));

    assertThat(events).containsExactly("task");
  }

  @Test
  void timersOfTheSectionRunInsideIt() throws Exception {
    host.call(
        "a",
        (_, context) ->
            context.blockConcurrencyWhile(
                () -> {
                  CompletableFuture<Void> ran = new CompletableFuture<>();
                  context.schedule(Duration.ZERO, () -> ran.complete(null));
                  host.clock.advance(Duration.ZERO);
                  return context.await(ran);
                }));
  }

  @Test
  void timerFromBeforeTheSectionWaitsForItsEnd() throws Exception {
    CompletableFuture<Void> ran = new CompletableFuture<>();
    host.call(
        "a",
        (_, context) -> {
          context.schedule(
              Duration.ZERO,
              () -> {
                events.add("timer");
                ran.complete(null);
              });
          context.blockConcurrencyWhile(
              () -> {
                host.clock.advance(Duration.ZERO);
                context.await(CompletableFuture.completedFuture(null));
                return events.add("section");
              });
          return null;
        });
    ran.get();

    assertThat(events).containsExactly("section", "timer");
  }

  @Test
  void resultOfTheSectionIsThatOfTheClosure() throws Exception {
    assertThat(host.call("a", (_, context) -> context.blockConcurrencyWhile(() -> "result")))
        .isEqualTo("result");
  }

  @Test
  void failedSectionResetsTheObjectAndItsCodeNeverGoesOn() throws Exception {
    IOException failure = new IOException("in the section");
    host.call("a", (self, _) -> self.count = 1);
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      try {
                        context.blockConcurrencyWhile(
                            () -> {
                              throw failure;
                            });
                      } catch (Exception e) {
                        events.add("caught");
                      }
                      return events.add("went on");
                    }))
        .isInstanceOf(InstanceResetException.class)
        .hasCause(failure);

    assertThat(events).isEmpty();
    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(0L);
  }

  @Test
  void failedSectionFailsAllWaiters() throws Exception {
    List<RunningCall> waiting = new ArrayList<>();
    assertThatThrownBy(
        () ->
            host.call(
                "a",
                (_, context) ->
                    context.blockConcurrencyWhile(
                        () -> {
                          waiting.add(host.start("a", (_, _) -> "one").awaitParked());
                          waiting.add(host.start("a", (_, _) -> "two").awaitParked());
                          throw new IOException("in the section");
                        })));

    for (RunningCall each : waiting) {
      assertThat(each.failure())
          .isInstanceOf(InstanceResetException.class)
          .hasCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void writesBeforeAFailedSectionStayAndThoseInItDoNot() throws Exception {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("before", 1);
                      context.blockConcurrencyWhile(
                          () -> {
                            context.storage().put("inside", 1);
                            throw new IOException("in the section");
                          });
                      return null;
                    }))
        .isInstanceOfSatisfying(
            InstanceResetException.class,
            reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN));

    assertThat(
            host.call(
                "a", (_, context) -> List.copyOf(context.storage().list(Object.class).keySet())))
        .isEqualTo(List.of("before"));
  }

  @Test
  void sectionThatTakesTooLongResetsTheObject() throws Exception {
    RunningCall stuck =
        host.start(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(() -> context.await(new CompletableFuture<>())));
    stuck.awaitParked();
    host.clock.advance(Duration.ofSeconds(29));
    assertThat(stuck.isDone()).isFalse();
    host.clock.advance(Duration.ofSeconds(1));

    assertThat(stuck.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("critical section took longer than PT30S");
    assertThat(host.call("a", (_, _) -> "fresh")).isEqualTo("fresh");
  }

  @Test
  void sectionThatEndsInTimeIsLeftAlone() throws Exception {
    host.call("a", (self, context) -> context.blockConcurrencyWhile(() -> self.count = 1));
    host.clock.advance(Duration.ofSeconds(9));

    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(1L);
  }

  @Test
  void case8SixtyFourNestedSectionsAreFineAndOneMoreIsRefusedAtOnce() throws Exception {
    Object deepest = host.call("a", (_, context) -> nest(context, 64));
    Object refused =
        host.call(
            "a",
            (self, context) -> {
              self.count = 1;
              return nest(context, 65);
            });

    assertThat(deepest).isEqualTo("innermost");
    assertThat(refused).asString().contains("nested too deeply").contains("64");
    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(1L);
  }

  private static String nest(ObjectContext context, int levels) {
    if (levels == 0) {
      return "innermost";
    }
    try {
      return context.blockConcurrencyWhile(() -> nest(context, levels - 1));
    } catch (MisuseException e) {
      return e.getMessage();
    }
  }

  @Test
  void sectionOfTheFactoryEndsBeforeTheFirstCall() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    host.atCreation(
        (_, context) ->
            context.blockConcurrencyWhile(
                () -> {
                  context.await(stage);
                  return events.add("creation");
                }));
    RunningCall first = host.start("a", (_, _) -> events.add("first call")).awaitParked();
    RunningCall second = host.start("a", (_, _) -> events.add("second call")).awaitParked();
    stage.complete(null);
    first.get();
    second.get();

    assertThat(events).containsExactly("creation", "first call", "second call");
  }

  @Test
  void waitOfTheFactoryKeepsCallsOutWithoutASectionToo() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    host.atCreation(
        (_, context) -> {
          context.await(stage);
          return events.add("creation");
        });
    RunningCall first = host.start("a", (_, _) -> events.add("first call")).awaitParked();
    stage.complete(null);
    first.get();

    assertThat(events).containsExactly("creation", "first call");
  }

  @Test
  void closureThatSwallowsTheResetDoesNotSucceed() {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      String result =
                          context.blockConcurrencyWhile(
                              () -> {
                                try {
                                  context.abort("enough");
                                } catch (Error swallowed) {
                                  events.add("swallowed");
                                }
                                return "survived";
                              });
                      events.add(result);
                      return null;
                    }))
        .isInstanceOf(InstanceResetException.class);
    assertThat(events).containsExactly("swallowed");
  }

  @Test
  void taskThatASectionLeavesBehindRunsAfterIt() throws Exception {
    Object result =
        host.call(
            "a",
            (_, context) -> {
              CompletableFuture<String> task =
                  context.blockConcurrencyWhile(() -> context.async(() -> "ran"));
              return context.await(task);
            });

    assertThat(result).isEqualTo("ran");
  }

  @Test
  void ofCallersInsideAnInnerSectionGoesOnInTheOuterOne() throws Exception {
    Object result =
        host.call(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () -> {
                      CompletableFuture<String> task =
                          context.blockConcurrencyWhile(() -> context.async(() -> "ran"));
                      return context.await(task);
                    }));

    assertThat(result).isEqualTo("ran");
  }

  @Test
  void sectionsMayTakeForEver() throws Exception {
    try (Host endless =
        Host.with()
            .namespace(
                NamespaceOptions.DEFAULT.withCriticalSectionTimeout(
                    ChronoUnit.FOREVER.getDuration()))
            .open()) {
      assertThat(endless.call("a", (_, context) -> context.blockConcurrencyWhile(() -> "done")))
          .isEqualTo("done");
    }
  }
}
