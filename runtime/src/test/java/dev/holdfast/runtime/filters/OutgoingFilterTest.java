package dev.holdfast.runtime.filters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.filter.Headers;
import dev.holdfast.filter.OutgoingCall;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Filters on the caller's side: their order, repeated calls, and the wait at the output gate. */
class OutgoingFilterTest {

  private static final String LISTS = "lists";

  private final List<Object> seen = new CopyOnWriteArrayList<>();
  private @Nullable Host host;

  /** Keeps its argument, and changes it. */
  interface Appender {
    int append(List<String> list);
  }

  @AfterEach
  void close() {
    if (host != null) {
      host.close();
    }
  }

  private Host open(OutgoingFilter filter) {
    return open(new InMemoryJournal(), objects -> objects.outgoing(filter));
  }

  private Host open(InMemoryJournal journal, Consumer<ObjectRegistrar> filters) {
    Host opened =
        Host.with()
            .journal(journal)
            .objects(
                objects ->
                    filters.accept(
                        objects.namespace(
                            LISTS,
                            Appender.class,
                            _ ->
                                list -> {
                                  list.add("by the object");
                                  return list.size();
                                })))
            .open();
    host = opened;
    return opened;
  }

  private OutgoingFilter marking(String name) {
    return call -> {
      seen.add(name + " begins");
      try {
        return call.proceed();
      } finally {
        seen.add(name + " ends");
      }
    };
  }

  @Test
  void filtersRunInOrderAroundTheFiltersOfTheCallee() throws Exception {
    Host opened =
        open(
            new InMemoryJournal(),
            objects ->
                objects
                    .filter(
                        call -> {
                          seen.add("delivered");
                          return call.proceed();
                        })
                    .outgoing(marking("first"))
                    .outgoing(LISTS, marking("other"))
                    .outgoing(Host.THINGS, marking("second")));

    opened.call("a", (_, _) -> seen.add("object"));

    assertThat(seen)
        .containsExactly(
            "first begins", "second begins", "delivered", "object", "second ends", "first ends");
  }

  @Test
  void filterSeesTheCallAndAddsHeaders() throws Exception {
    Host opened =
        open(
            new InMemoryJournal(),
            objects ->
                objects
                    .outgoing(
                        call -> {
                          seen.add(call.namespace() + "/" + call.name().orElseThrow());
                          seen.add(call.operation() + call.arguments() + call.headers().asMap());
                          return call.proceed(call.headers().with("b", "2"));
                        })
                    .filter(
                        call -> {
                          seen.add(call.headers().asMap());
                          return call.proceed();
                        }));
    int nothing = opened.number((_, _) -> "done");

    opened.stub("a").withHeaders(Headers.of("a", "1")).blocking().run(nothing);

    assertThat(seen)
        .map(String::valueOf)
        .containsExactly("things/a", "run[" + nothing + "]{a=1}", "{a=1, b=2}");
  }

  @Test
  void repeatedCallGetsNewCopiesOfItsArguments() {
    Host opened =
        open(
            call -> {
              seen.add(call.proceed());
              seen.add(call.proceed());
              return call.proceed();
            });
    List<String> own = new ArrayList<>(List.of("own"));

    assertThat(opened.runtime.namespace(LISTS, Appender.class).getByName("l").append(own))
        .isEqualTo(2);
    assertThat(seen).containsExactly(2, 2);
    assertThat(own).containsExactly("own");
  }

  @Test
  void filterThatRefusesSendsNothing() {
    SecurityException refused = new SecurityException("not you");
    Host opened =
        open(
            _ -> {
              throw refused;
            });

    assertThatThrownBy(() -> opened.call("a", (_, _) -> seen.add("object"))).isSameAs(refused);
    assertThat(seen).isEmpty();
    assertThat(opened.created).hasValue(0);
  }

  @Test
  void filterInAnObjectRunsInItsTurnAndEachCallIsAWait() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Host opened =
        open(
            call -> {
              if (call.name().orElseThrow().equals("b") && calls.incrementAndGet() == 1) {
                call.proceed();
              }
              return call.proceed();
            });
    CompletableFuture<String> first = new CompletableFuture<>();
    AtomicInteger runs = new AtomicInteger();
    int waits =
        opened.number(
            (_, context) -> runs.incrementAndGet() == 1 ? context.await(first) : "second");
    RunningCall caller = opened.start("a", (_, _) -> opened.call("b", waits)).awaitParked();

    // The calling object takes other calls while its filter waits for the callee.
    assertThat(opened.call("a", (_, _) -> "meanwhile")).isEqualTo("meanwhile");
    first.complete("first");

    assertThat(caller.get()).isEqualTo("second");
    assertThat(runs).hasValue(2);
  }

  // ---- The output gate --------------------------------------------------------------------

  private Host openManual() {
    return open(
        new InMemoryJournal(Durability.MANUAL),
        objects ->
            objects.outgoing(
                call -> {
                  call.whenHeld(() -> seen.add("held"));
                  Object reply = call.proceed();
                  seen.add("left");
                  return reply;
                }));
  }

  private static final Thing.Script<Object> WRITE =
      (_, context) -> {
        context.storage().put("key", 1L);
        return "written";
      };

  @Test
  void filterSeesTheReplyWaitAtTheOutputGateAndLeaveIt() throws Exception {
    Host opened = openManual();
    RunningCall call = opened.start("a", WRITE);
    opened.journal.awaitWaiters(1);
    assertThat(seen).containsExactly("held");

    opened.journal.makeAllDurable();
    call.get();

    assertThat(seen).containsExactly("held", "left");
  }

  @Test
  void replyOfACallWithATimeLimitIsSeenToWaitToo() throws Exception {
    Host opened = openManual();
    RunningCall call =
        opened.start(() -> opened.call(opened.stub("a").withTimeout(Duration.ofDays(1)), WRITE));
    opened.journal.awaitWaiters(1);
    assertThat(seen).containsExactly("held");

    opened.journal.makeAllDurable();
    call.get();

    assertThat(seen).containsExactly("held", "left");
  }

  @Test
  void replyThatDoesNotWaitIsNotHeld() throws Exception {
    Host opened = openManual();
    opened.call("a", (_, _) -> "read only");
    assertThat(seen).containsExactly("left");
    seen.clear();
    RunningCall call =
        opened.start("a", (_, _) -> opened.call("b", WRITE)); // from object to object
    opened.journal.awaitWaiters(1);
    assertThat(seen).containsExactly("left", "held");
    opened.journal.makeAllDurable();
    call.get();
    seen.clear();

    opened.call("b", (_, context) -> context.storage().get("key", Long.class).isPresent());

    assertThat(seen).containsExactly("left"); // depends on a batch, which is durable
  }

  @Test
  void actionsOfAllFiltersRunFromTheOutermost() throws Exception {
    Host opened =
        open(
            new InMemoryJournal(Durability.MANUAL),
            objects -> {
              for (String name : List.of("outer", "inner")) {
                objects.outgoing(
                    call -> {
                      call.whenHeld(() -> seen.add(name));
                      return call.proceed();
                    });
              }
            });
    RunningCall call = opened.start("a", WRITE);
    opened.journal.awaitWaiters(1);
    opened.journal.makeAllDurable();
    call.get();

    assertThat(seen).containsExactly("outer", "inner");
  }

  // ---- Asynchronous calls -----------------------------------------------------------------

  /** Takes what only the calling thread knows into headers. */
  private static final class Capturing implements OutgoingFilter {

    private final ThreadLocal<@Nullable String> user = new ThreadLocal<>();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final List<Object> seen;

    Capturing(List<Object> seen) {
      this.seen = seen;
    }

    @Override
    public @Nullable Object filter(OutgoingCall call) throws Throwable {
      seen.add(call.headers().asMap());
      return call.proceed();
    }

    @Override
    public Headers capture(Headers headers) {
      RuntimeException refusal = failure.get();
      if (refusal != null) {
        throw refusal;
      }
      String known = user.get();
      return known == null ? headers : headers.with("user", known);
    }
  }

  @Test
  void asynchronousCallHasWhatItsCallersThreadKnew() throws Exception {
    Capturing filter = new Capturing(seen);
    Host opened = open(filter);
    int nothing = opened.number((_, _) -> "done");
    filter.user.set("u");

    opened
        .stub("a")
        .withHeaders(Headers.of("tenant", "t"))
        .async(thing -> thing.run(nothing))
        .get();

    assertThat(seen).map(String::valueOf).containsExactly("{user=u, tenant=t}");
  }

  @Test
  void captureThatThrowsFailsTheFuture() throws Exception {
    Capturing filter = new Capturing(seen);
    Host opened = open(filter);
    int nothing = opened.number((_, _) -> "done");
    filter.failure.set(new SecurityException("not you"));
    CompletableFuture<?> refused = opened.stub("a").async(thing -> thing.run(nothing));

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(refused::get)
        .withCause(filter.failure.get());
    filter.failure.set(null);
    assertThat(opened.stub("a").async(thing -> thing.run(nothing)).get()).isEqualTo("done");
    assertThat(opened.call("a", nothing)).isEqualTo("done"); // nothing waits for the refused call
  }

  @Test
  void filterRepeatsAnAsynchronousCall() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Host opened =
        open(
            call -> {
              try {
                return call.proceed();
              } catch (IllegalStateException e) {
                return call.proceed();
              }
            });

    assertThat(
            opened
                .async(
                    "a",
                    (_, _) -> {
                      if (calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("once");
                      }
                      return "second";
                    })
                .get())
        .isEqualTo("second");
  }

  // ---- Misuse -----------------------------------------------------------------------------

  @Test
  void callIsRefusedAfterItsFilterAndOnOtherThreads() throws Exception {
    AtomicReference<@Nullable OutgoingCall> leaked = new AtomicReference<>();
    Host opened =
        open(
            call -> {
              leaked.set(call);
              Thread.ofVirtual()
                  .start(
                      () ->
                          assertThatIllegalStateException()
                              .isThrownBy(call::proceed)
                              .satisfies(seen::add))
                  .join();
              return "own reply";
            });

    assertThat(opened.call("a", (_, _) -> seen.add("object"))).isEqualTo("own reply");
    OutgoingCall over = leaked.get();
    assertThat(over).isNotNull();
    assertThatIllegalStateException().isThrownBy(over::proceed);
    assertThatIllegalStateException().isThrownBy(() -> over.whenHeld(() -> {}));
    assertThat(seen).hasSize(1);
  }

  @Test
  void actionThatThrowsFailsItsCallAndNothingElse() throws Exception {
    AtomicReference<@Nullable RuntimeException> failure =
        new AtomicReference<>(new IllegalStateException("in the action"));
    Host opened =
        open(
            new InMemoryJournal(Durability.MANUAL),
            objects ->
                objects.outgoing(
                    call -> {
                      call.whenHeld(
                          () -> {
                            RuntimeException now = failure.getAndSet(null);
                            if (now != null) {
                              throw now;
                            }
                          });
                      return call.proceed();
                    }));

    assertThatIllegalStateException()
        .isThrownBy(() -> opened.call("a", WRITE))
        .withMessage("in the action");
    RunningCall next = opened.start("a", WRITE);
    opened.journal.awaitWaiters(1);
    opened.journal.makeAllDurable();
    assertThat(next.get()).isEqualTo("written");
  }
}
