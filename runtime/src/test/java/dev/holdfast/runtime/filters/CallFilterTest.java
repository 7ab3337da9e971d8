package dev.holdfast.runtime.filters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Filters around delivered calls: their order, what they see, and what goes wrong in them. */
class CallFilterTest {

  private static final String COUNTERS = "counters";

  private final List<Object> seen = new CopyOnWriteArrayList<>();
  private @Nullable Host host;

  /** Has methods of several types. */
  interface Counter {
    long add(long number, List<String> marks);

    void clear();
  }

  private static final class CounterObject implements Counter {
    private long sum;

    @Override
    public long add(long number, List<String> marks) {
      sum += number;
      return sum;
    }

    @Override
    public void clear() {
      sum = 0;
    }
  }

  @AfterEach
  void close() {
    if (host != null) {
      host.close();
    }
  }

  private Host filtered(CallFilter filter) {
    return open(objects -> objects.filter(filter));
  }

  private Host open(Consumer<ObjectRegistrar> filters) {
    return open(new InMemoryJournal(), filters);
  }

  private Host open(InMemoryJournal journal, Consumer<ObjectRegistrar> filters) {
    Host opened =
        Host.with()
            .journal(journal)
            .objects(
                objects ->
                    filters.accept(
                        objects.namespace(COUNTERS, Counter.class, _ -> new CounterObject())))
            .open();
    host = opened;
    return opened;
  }

  private Counter counter(Host opened) {
    return opened.runtime.namespace(COUNTERS, Counter.class).getByName("c");
  }

  private CallFilter marking(String name) {
    return call -> {
      seen.add(name + " begins");
      try {
        return call.proceed();
      } finally {
        seen.add(name + " ends");
      }
    };
  }

  // ---- What they see ----------------------------------------------------------------------

  @Test
  void filtersOfAllNamespacesAndOfOneRunInTheOrderOfTheirRegistration() throws Exception {
    Host opened =
        open(
            objects ->
                objects
                    .filter(marking("first"))
                    .filter(Host.THINGS, marking("second"))
                    .filter(COUNTERS, marking("other"))
                    .filter(marking("third")));

    opened.call("a", (_, _) -> seen.add("object"));

    assertThat(seen)
        .containsExactly(
            "first begins",
            "second begins",
            "third begins",
            "object",
            "third ends",
            "second ends",
            "first ends");
  }

  @Test
  void filterSeesTheCallAndItsOutcome() {
    Host opened =
        filtered(
            call -> {
              seen.add(call.namespace());
              seen.add(call.id());
              seen.add(call.name());
              seen.add(call.operation());
              seen.add(call.arguments());
              seen.add(call.alarm());
              seen.add(call.headers());
              Object result = call.proceed();
              seen.add(result);
              return result;
            });

    counter(opened).add(2, List.of("m"));

    assertThat(seen)
        .map(String::valueOf)
        .containsExactly(
            COUNTERS,
            opened.runtime.namespace(COUNTERS, Counter.class).idFromName("c").toString(),
            "Optional[c]",
            "add",
            "[2, [m]]",
            "Optional.empty",
            "[]",
            "2");
  }

  @Test
  void listOfArgumentsCannotBeChanged() {
    Host opened =
        filtered(
            call -> {
              call.arguments().set(0, 5L);
              return call.proceed();
            });

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> counter(opened).add(2, List.of()));
    assertThat(seen).isEmpty();
  }

  @Test
  void tasksTimersAndOperatorsPassNoFilter() throws Exception {
    Host opened = filtered(marking("filter"));
    CompletableFuture<Object> timer = new CompletableFuture<>();
    opened.call(
        "a",
        (_, context) -> {
          context.schedule(Duration.ZERO, () -> timer.complete("fired"));
          return context.await(context.async(() -> seen.add("task")));
        });
    opened.clock.advance(Duration.ofSeconds(1));
    timer.get();
    opened.runtime.admin().reset(Host.THINGS, opened.id("a"));

    assertThat(seen).containsExactly("filter begins", "task", "filter ends");
  }

  @Test
  void filterSeesTheEndOfACallThatWaits() throws Exception {
    Host opened =
        filtered(call -> marking(String.valueOf(call.arguments().getFirst())).filter(call));
    CompletableFuture<String> awaited = new CompletableFuture<>();
    int waits = opened.number((_, context) -> context.await(awaited));
    int other = opened.number((_, _) -> seen.add("object"));
    RunningCall waiting = opened.start(() -> opened.call("a", waits)).awaitParked();
    opened.call("a", other);
    awaited.complete("done");
    waiting.get();

    assertThat(seen)
        .containsExactly(
            waits + " begins", other + " begins", "object", other + " ends", waits + " ends");
  }

  // ---- Storage ----------------------------------------------------------------------------

  @Test
  void writesOfAFilterAreInTheBatchOfTheTurn() throws Exception {
    Host opened =
        filtered(
            call -> {
              call.storage().put("filter/before", 1L);
              Object result = call.proceed();
              call.storage().put("filter/after", 2L);
              return result;
            });

    opened.call(
        "a",
        (_, context) -> {
          context.storage().put("own", 3L);
          return "written";
        });

    assertThat(opened.journal.records()).hasSize(1);
    assertThat(opened.call("a", (_, context) -> context.storage().list(Long.class).size()))
        .isEqualTo(3);
  }

  @Test
  void replyThatAFilterHasWrittenForWaitsForTheDisk() throws Exception {
    Host opened =
        open(
            new InMemoryJournal(Durability.MANUAL),
            objects ->
                objects.filter(
                    call -> {
                      Object result = call.proceed();
                      call.storage().put("filter/last", String.valueOf(result));
                      return "changed " + result;
                    }));
    RunningCall call = opened.start("a", (_, _) -> "read only");
    opened.journal.awaitWaiters(1);
    assertThat(call.isDone()).isFalse();

    opened.journal.makeAllDurable();

    assertThat(call.get()).isEqualTo("changed read only");
  }

  // ---- Results ----------------------------------------------------------------------------

  @Test
  void resultOfAFilterIsCopied() throws Exception {
    List<String> own = new ArrayList<>(List.of("a"));
    Host opened = filtered(_ -> own);

    assertThat(opened.call("a", (_, _) -> seen.add("object"))).isEqualTo(own).isNotSameAs(own);
    assertThat(seen).isEmpty();
  }

  @Test
  void resultThatTheMethodCannotReturnIsRefused() {
    AtomicReference<@Nullable Object> result = new AtomicReference<>("text");
    Host opened =
        filtered(
            call -> {
              call.proceed();
              return result.get();
            });

    assertThatExceptionOfType(ClassCastException.class)
        .isThrownBy(() -> counter(opened).add(2, List.of()))
        .withMessageContaining("a java.lang.String for add, which returns long [counters/");
    result.set(null);
    assertThatExceptionOfType(ClassCastException.class)
        .isThrownBy(() -> counter(opened).add(2, List.of()))
        .withMessageContaining("has returned null for add");
    result.set(7L);
    assertThat(counter(opened).add(2, List.of())).isEqualTo(7);
    counter(opened).clear();
  }

  // ---- Failures ---------------------------------------------------------------------------

  @Test
  void exceptionOfTheObjectPassesFiltersUnchanged() {
    IOException thrown = new IOException("own");
    Host opened = open(objects -> objects.filter(marking("a")).filter(marking("b")));

    assertThatThrownBy(
            () ->
                opened.call(
                    "a",
                    (_, _) -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(seen).endsWith("b ends", "a ends");
  }

  @Test
  void exceptionOfAFilterIsTheReplyAndNothingElseFails() throws Exception {
    IllegalStateException refused = new IllegalStateException("not today");
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    Host opened =
        filtered(
            call -> {
              Exception now = failure.get();
              if (now != null) {
                throw now;
              }
              return call.proceed();
            });
    opened.call("a", (self, _) -> self.memory.put("kept", "in memory"));
    failure.set(refused);
    assertThatThrownBy(() -> opened.call("a", (_, _) -> seen.add("object"))).isSameAs(refused);
    failure.set(new IOException("checked"));
    assertThatExceptionOfType(UndeclaredThrowableException.class)
        .isThrownBy(() -> counter(opened).clear())
        .withCause(failure.get());
    failure.set(null);

    assertThat(opened.call("a", (self, _) -> self.memory.get("kept"))).isEqualTo("in memory");
    assertThat(opened.created).hasValue(1);
    assertThat(seen).isEmpty();
  }

  @Test
  void writesStayWhenAFilterThrowsAfterThem() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Host opened =
        filtered(
            call -> {
              Object result = call.proceed();
              if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("after the call");
              }
              return result;
            });
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                opened.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 1L);
                      return "written";
                    }));

    assertThat(opened.call("a", (_, context) -> context.storage().get("key", Long.class)))
        .hasToString("Optional[1]");
  }

  @Test
  void resetIsTheReplyThoughAFilterCatchesIt() throws Exception {
    Host opened =
        filtered(
            call -> {
              try {
                return call.proceed();
              } catch (Throwable e) {
                return "fine";
              }
            });

    assertThatExceptionOfType(InstanceResetException.class)
        .isThrownBy(
            () ->
                opened.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 1L);
                      throw context.abort("enough");
                    }))
        .withMessageContaining("enough");
    assertThat(opened.call("a", (_, context) -> context.storage().get("key", Long.class)))
        .hasToString("Optional.empty");
  }

  @Test
  void filterThatProceedsInALoopIsRefused() throws Exception {
    Host opened =
        filtered(
            call -> {
              while (true) {
                call.proceed();
              }
            });
    AtomicInteger runs = new AtomicInteger();

    assertThatIllegalStateException()
        .isThrownBy(() -> opened.call("a", (_, _) -> runs.incrementAndGet()))
        .withMessageContaining("proceeds once")
        .withMessageContaining("run [things/");
    assertThat(runs).hasValue(1);
  }

  @Test
  void outerFilterCannotPassByTheRefusalOfAnInnerOne() {
    Host opened =
        open(
            objects ->
                objects
                    .filter(
                        call -> {
                          try {
                            return call.proceed();
                          } catch (SecurityException e) {
                            return call.proceed();
                          }
                        })
                    .filter(
                        _ -> {
                          throw new SecurityException("refused");
                        }));

    assertThatIllegalStateException()
        .isThrownBy(() -> opened.call("a", (_, _) -> seen.add("object")));
    assertThat(seen).isEmpty();
  }

  @Test
  void callIsRefusedAfterItsFilterAndOnOtherThreads() throws Exception {
    AtomicReference<@Nullable DeliveredCall> leaked = new AtomicReference<>();
    Host opened =
        filtered(
            call -> {
              DeliveredCall earlier = leaked.getAndSet(call);
              if (earlier != null) {
                assertThatIllegalStateException().isThrownBy(earlier::proceed);
              }
              Thread other =
                  Thread.ofVirtual()
                      .start(
                          () ->
                              assertThatIllegalStateException()
                                  .isThrownBy(call::proceed)
                                  .satisfies(seen::add));
              other.join();
              return "own reply";
            });

    assertThat(opened.call("a", (_, _) -> seen.add("object"))).isEqualTo("own reply");
    assertThat(opened.call("a", (_, _) -> seen.add("object"))).isEqualTo("own reply");
    assertThat(seen).hasSize(2).allMatch(IllegalStateException.class::isInstance);
  }

  @Test
  void filterThatCallsBackPassesFiltersAgainAndIsBounded() throws Exception {
    AtomicReference<@Nullable Host> late = new AtomicReference<>();
    int nothing = 0;
    Host opened =
        filtered(
            call -> {
              Host there = late.get();
              if (there != null) {
                there.call("a", nothing);
              }
              return call.proceed();
            });
    assertThat(opened.number((_, _) -> "done")).isEqualTo(nothing);
    late.set(opened);

    assertThatExceptionOfType(MisuseException.class)
        .isThrownBy(() -> opened.call("a", nothing))
        .satisfies(
            refusal ->
                assertThat(refusal.reason()).isEqualTo(MisuseException.Reason.NESTED_TOO_DEEPLY));
    late.set(null);
    assertThat(opened.call("a", nothing)).isEqualTo("done");
    assertThat(opened.created).hasValue(1);
  }

  @Test
  void filterOfAnUnknownNamespaceIsRefusedAtTheOpening() {
    assertThatExceptionOfType(NamespaceException.class)
        .isThrownBy(() -> open(objects -> objects.filter("thing", marking("a"))))
        .withMessageContaining("\"thing\", which is not registered; there are [things, counters]");
    assertThatExceptionOfType(NamespaceException.class)
        .isThrownBy(() -> open(objects -> objects.outgoing("thing", call -> call.proceed())));
  }

  // ---- Headers ----------------------------------------------------------------------------

  /** Records operations with the headers that they have. */
  private Host openWithHeaders() {
    return filtered(
        call -> {
          seen.add(call.name().orElseThrow() + call.headers().asMap());
          return call.proceed();
        });
  }

  @Test
  void headersTravelWithEveryCallOfAnObject() throws Exception {
    Host opened = openWithHeaders();
    int last = opened.number((_, _) -> "last");
    int middle = opened.number((_, _) -> opened.call("c", last));
    opened.call(
        opened.stub("a").withHeaders(Headers.of("tenant", "t")),
        (_, _) -> {
          opened.call("b", middle);
          return opened.stub("d").withTimeout(Duration.ofDays(1)).blocking().run(last);
        });
    opened.call("e", last);

    assertThat(seen)
        .containsExactly("a{tenant=t}", "b{tenant=t}", "c{tenant=t}", "d{tenant=t}", "e{}");
  }

  @Test
  void headersTravelWithAsynchronousCallsTasksAndTimers() throws Exception {
    Host opened = openWithHeaders();
    int last = opened.number((_, _) -> "last");
    opened.call(
        opened.stub("a").withHeaders(Headers.of("tenant", "t")),
        (_, context) -> {
          context.await(opened.stub("b").async(thing -> thing.run(last)));
          context.await(context.async(() -> opened.call("c", last)));
          CompletableFuture<Object> fired = new CompletableFuture<>();
          context.schedule(
              Duration.ZERO,
              () -> {
                try {
                  fired.complete(opened.call("d", last));
                } catch (Exception e) {
                  fired.completeExceptionally(e);
                }
              });
          opened.clock.advance(Duration.ofSeconds(1));
          return context.await(fired);
        });
    opened.stub("e").withHeaders(Headers.of("x", "y")).async(thing -> thing.run(last)).get();

    assertThat(seen)
        .containsExactly("a{tenant=t}", "b{tenant=t}", "c{tenant=t}", "d{tenant=t}", "e{x=y}");
  }

  @Test
  void headersTravelThroughAConstructor() throws Exception {
    Host opened = openWithHeaders();
    int last = opened.number((_, _) -> "last");
    opened.atCreation(
        (_, _) -> {
          opened.atCreation(null);
          return opened.call("b", last);
        });
    opened.call(opened.stub("a").withHeaders(Headers.of("tenant", "t")), (_, _) -> "made");

    assertThat(seen).containsExactly("b{tenant=t}", "a{tenant=t}");
  }

  @Test
  void stubsHeadersReplaceInheritedOnes() throws Exception {
    Host opened = openWithHeaders();
    int last = opened.number((_, _) -> "last");
    opened.call(
        opened.stub("a").withHeaders(Headers.of("tenant", "t").with("user", "u")),
        (_, _) -> opened.stub("b").withHeaders(Headers.of("user", "v")).blocking().run(last));

    assertThat(seen).containsExactly("a{tenant=t, user=u}", "b{tenant=t, user=v}");
  }

  @Test
  void filterChangesTheHeadersOfWhatItProceedsTo() throws Exception {
    Host opened =
        open(
            objects ->
                objects
                    .filter(
                        call -> {
                          Object result =
                              call.proceed(call.headers().with("span", call.name().orElseThrow()));
                          seen.add("outer" + call.headers().asMap());
                          return result;
                        })
                    .filter(
                        call -> {
                          seen.add(call.name().orElseThrow() + call.headers().asMap());
                          return call.proceed();
                        }));
    int last = opened.number((_, _) -> "last");
    opened.call("a", (_, _) -> opened.call("b", last));

    assertThat(seen).containsExactly("a{span=a}", "b{span=b}", "outer{span=a}", "outer{}");
  }

  @Test
  void headersThatExceedABoundWithInheritedOnesFailTheCallOnly() throws Exception {
    Host opened = openWithHeaders();
    int last = opened.number((_, _) -> "last");
    Headers large = Headers.of("x", "x".repeat(5_000));
    opened.call(
        opened.stub("a").withHeaders(large),
        (_, _) -> {
          assertThatExceptionOfType(dev.holdfast.filter.HeadersException.class)
              .isThrownBy(
                  () ->
                      opened
                          .stub("b")
                          .withHeaders(Headers.of("y", "y".repeat(5_000)))
                          .blocking()
                          .run(last));
          return opened.call("c", last);
        });

    assertThat(seen).hasSize(2);
  }
}
