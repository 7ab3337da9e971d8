package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Circles of critical sections are refused at once, and the refusal names them. */
class DeadlockTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  private String chain(String... names) {
    StringBuilder chain = new StringBuilder();
    for (String name : names) {
      chain.append(chain.isEmpty() ? "" : " -> ").append(host.key(name));
    }
    return chain.toString();
  }

  @Test
  void callBackIntoASectionIsRefusedWithTheChain() throws Exception {
    Object refusal =
        host.call(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () ->
                        host.call(
                            "b",
                            (_, _) -> {
                              try {
                                return host.call("a", (_, _) -> "never");
                              } catch (MisuseException e) {
                                return e.getMessage();
                              }
                            })));

    assertThat(refusal).asString().contains(chain("a", "b", "a"));
  }

  @Test
  void sectionThatCallsItsOwnObjectIsRefused() throws Exception {
    Object refusal =
        host.call(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () -> {
                      try {
                        return host.call("a", (_, _) -> "never");
                      } catch (MisuseException e) {
                        return e.getMessage();
                      }
                    }));

    assertThat(refusal).asString().contains(chain("a", "a"));
  }

  @Test
  void refusalThatIsNotCaughtResetsTheSectionsObject() {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) ->
                        context.blockConcurrencyWhile(
                            () -> host.call("b", (_, _) -> host.call("a", (_, _) -> "never")))))
        .isInstanceOf(InstanceResetException.class)
        .hasCauseInstanceOf(MisuseException.class);
  }

  @Test
  void ofTwoSectionsThatCallEachOtherOneIsRefused() {
    DeterministicScheduler.explore(
        200,
        scheduler -> {
          Host scheduled = Host.with().scheduler(scheduler).open();
          List<String> results = new ArrayList<>();
          scheduler.run(
              () -> results.add(callFromSection(scheduled, "a", "b")),
              () -> results.add(callFromSection(scheduled, "b", "a")));
          assertThat(results).containsAnyOf("through", "refused").hasSize(2);
          assertThat(results).filteredOn("refused"::equals).hasSizeLessThan(2);
        });
  }

  private static String callFromSection(Host host, String from, String to) throws Exception {
    Thing.Script<String> section =
        (_, context) ->
            context.blockConcurrencyWhile(
                () -> {
                  Thread.yield();
                  try {
                    return (String) host.call(to, (_, _) -> "through");
                  } catch (MisuseException e) {
                    return "refused";
                  }
                });
    return (String) host.call(from, section);
  }

  @Test
  void longCircleThroughObjectsWithoutSectionsIsSeen() throws Exception {
    Object refusal =
        host.call(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () ->
                        host.call(
                            "b",
                            (_, _) ->
                                host.call(
                                    "c",
                                    (_, _) -> {
                                      try {
                                        return host.call("a", (_, _) -> "never");
                                      } catch (MisuseException e) {
                                        return e.getMessage();
                                      }
                                    }))));

    assertThat(refusal).asString().contains(chain("a", "b", "c", "a"));
  }

  @Test
  void circleThroughABlockingWorkIsSeen() throws Exception {
    Object refusal =
        host.call(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () ->
                        context.call(
                            () -> {
                              try {
                                return host.call("a", (_, _) -> "never");
                              } catch (MisuseException e) {
                                return e.getMessage();
                              }
                            })));

    assertThat(refusal).asString().contains(chain("a", "a"));
  }

  @Test
  void sectionThatAwaitsACallOfItsOwnObjectIsRefused() throws Exception {
    Object refusal =
        host.call(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () -> {
                      try {
                        return context.await(host.async("a", (_, _) -> "never"));
                      } catch (MisuseException e) {
                        return e.getMessage();
                      }
                    }));

    assertThat(refusal).asString().contains(chain("a", "a"));
  }

  @Test
  void sectionThatAwaitsATaskFromBeforeItIsRefused() throws Exception {
    Object refusal =
        host.call(
            "a",
            (_, context) -> {
              CompletableFuture<String> task = context.async(() -> "never inside");
              return context.blockConcurrencyWhile(
                  () -> {
                    try {
                      return context.await(task);
                    } catch (MisuseException e) {
                      return e.getMessage();
                    }
                  });
            });

    assertThat(refusal).asString().contains(chain("a", "a"));
  }

  @Test
  void sectionThatAwaitsATaskWhichComesBackLaterResetsTheObject() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    AtomicReference<CompletableFuture<Object>> task = new AtomicReference<>();
    host.call(
        "a",
        (_, context) -> {
          task.set(
              context.async(
                  () -> {
                    context.await(stage);
                    return "never inside";
                  }));
          context.await(CompletableFuture.completedFuture(null));
          return null;
        });
    RunningCall section =
        host.start(
            "a", (_, context) -> context.blockConcurrencyWhile(() -> context.await(task.get())));
    section.awaitParked();
    stage.complete(null);

    assertThat(section.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("could never end")
        .hasCauseInstanceOf(MisuseException.class);
  }

  @Test
  void sectionThatCallsABusyObjectIsNoCircle() throws Exception {
    CompletableFuture<Void> blocker = new CompletableFuture<>();
    RunningCall busy = host.start("b", (_, _) -> blocker.join()).awaitParked();
    RunningCall section =
        host.start(
            "a",
            (_, context) ->
                context.blockConcurrencyWhile(() -> host.call("b", (_, _) -> "through")));
    section.awaitParked();
    RunningCall outer = host.start("a", (_, _) -> "after the section").awaitParked();
    blocker.complete(null);

    busy.get();
    assertThat(section.get()).isEqualTo("through");
    assertThat(outer.get()).isEqualTo("after the section");
  }
}
