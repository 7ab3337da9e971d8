package dev.holdfast.runtime.filters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.Headers;
import dev.holdfast.filter.OutgoingCall;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The filters that {@code docs/filters.md} shows. */
class FilterExamplesTest {

  private @Nullable Host host;

  @AfterEach
  void close() {
    if (host != null) {
      host.close();
    }
  }

  private Host open(Consumer<ObjectRegistrar> filters) {
    return open(new InMemoryJournal(), filters);
  }

  private Host open(InMemoryJournal journal, Consumer<ObjectRegistrar> filters) {
    Host opened = Host.with().journal(journal).objects(filters).open();
    host = opened;
    return opened;
  }

  // ---- Traces -----------------------------------------------------------------------------

  /** A span for each call on the side of its caller, of its callee, and for the output gate. */
  private static final class Tracing implements CallFilter, OutgoingFilter {

    /** Each as {@code name#number of the span<number of its parent}. */
    final List<String> ended = new CopyOnWriteArrayList<>();

    private final AtomicInteger last = new AtomicInteger();

    private String begin() {
      return String.valueOf(last.incrementAndGet());
    }

    private void end(String name, String span, Headers headers) {
      ended.add(name + "#" + span + headers.get("span").map(parent -> "<" + parent).orElse(""));
    }

    @Override
    public @Nullable Object filter(DeliveredCall call) throws Throwable {
      String span = begin();
      try {
        return call.proceed(call.headers().with("span", span));
      } finally {
        end("run " + call.name().orElseThrow(), span, call.headers());
      }
    }

    @Override
    public @Nullable Object filter(OutgoingCall call) throws Throwable {
      String span = begin();
      Headers own = call.headers().with("span", span);
      String[] gate = new String[1];
      call.whenHeld(() -> gate[0] = begin());
      try {
        return call.proceed(own);
      } finally {
        if (gate[0] != null) {
          end("gate of " + call.name().orElseThrow(), gate[0], own);
        }
        end("call " + call.name().orElseThrow(), span, call.headers());
      }
    }
  }

  @Test
  void traceCrossesCallsAsynchronousCallsAndTheOutputGate() throws Exception {
    Tracing tracing = new Tracing();
    Host opened =
        open(
            new InMemoryJournal(Durability.MANUAL),
            objects -> objects.filter(tracing).outgoing(tracing));
    int write =
        opened.number(
            (_, context) -> {
              context.storage().put("key", 1L);
              return "written";
            });
    RunningCall call =
        opened.start(
            "a",
            (_, context) -> {
              opened.call("b", write);
              return context.await(opened.stub("c").async(thing -> thing.run(write)));
            });
    // The asynchronous call leaves the runtime's turns: its reply waits for the disk, too.
    opened.journal.awaitWaiters(1);
    opened.journal.makeAllDurable();
    call.get();

    assertThat(tracing.ended)
        .containsExactly(
            "run b#4<3",
            "call b#3<2",
            "run c#6<5",
            "gate of c#7<5",
            "call c#5<2",
            "run a#2<1",
            "call a#1");
  }

  // ---- Authorization ----------------------------------------------------------------------

  private static @Nullable Object authorize(DeliveredCall call) throws Throwable {
    String tenant = call.headers().get("tenant").orElse("");
    if (!call.name().orElse("").startsWith(tenant + "/") || tenant.isEmpty()) {
      throw new SecurityException("The tenant must not call this object: " + call.id());
    }
    return call.proceed();
  }

  @Test
  void callsOfAnotherTenantAreRefused() throws Exception {
    Host opened = open(objects -> objects.filter(FilterExamplesTest::authorize));
    Headers tenant = Headers.of("tenant", "t1");
    int nothing = opened.number((_, _) -> "done");
    int other = opened.number((_, _) -> opened.call("t2/b", nothing));

    assertThat(opened.stub("t1/a").withHeaders(tenant).blocking().run(nothing)).isEqualTo("done");
    // The object calls on behalf of the tenant, whose headers travel with its calls.
    assertThatExceptionOfType(SecurityException.class)
        .isThrownBy(() -> opened.stub("t1/a").withHeaders(tenant).blocking().run(other));
    assertThatExceptionOfType(SecurityException.class)
        .isThrownBy(() -> opened.call("t1/a", nothing));
  }

  // ---- A metric for each tenant -----------------------------------------------------------

  @Test
  void callsOfEachTenantAreCounted() throws Exception {
    Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    Host opened =
        open(
            objects ->
                objects.filter(
                    call -> {
                      String tenant = call.headers().get("tenant").orElse("none");
                      boolean returned = false;
                      try {
                        Object result = call.proceed();
                        returned = true;
                        return result;
                      } finally {
                        calls
                            .computeIfAbsent(
                                tenant + (returned ? "/returned" : "/threw"), _ -> new LongAdder())
                            .increment();
                      }
                    }));
    int nothing = opened.number((_, _) -> "done");
    int throwing =
        opened.number(
            (_, _) -> {
              throw new IllegalStateException("always");
            });
    Thing object = opened.stub("a").withHeaders(Headers.of("tenant", "t1")).blocking();

    object.run(nothing);
    object.run(nothing);
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> object.run(throwing));
    opened.call("a", nothing);

    assertThat(calls.toString())
        .contains("t1/returned=2", "t1/threw=1", "none/returned=1")
        .doesNotContain("none/threw");
  }

  // ---- An audit log -----------------------------------------------------------------------

  /** The entry is durable if and only if what the call has written is. */
  private static @Nullable Object audit(DeliveredCall call) throws Throwable {
    long number = call.storage().get("audit/next", Long.class).orElse(0L);
    call.storage().put("audit/next", number + 1);
    call.storage()
        .put(
            "audit/%08d".formatted(number),
            call.headers().get("user").orElse("unknown") + " " + call.operation());
    return call.proceed();
  }

  private static final Thing.Script<Object> ENTRIES =
      (_, context) -> context.storage().list(Object.class).keySet().toString();

  @Test
  void auditLogIsDurableWithTheTurn() throws Exception {
    Host opened =
        open(
            new InMemoryJournal(Durability.MANUAL),
            objects -> objects.filter(FilterExamplesTest::audit));
    int write =
        opened.number(
            (_, context) -> {
              context.storage().put("own", 1L);
              return "written";
            });
    Thing object = opened.stub("a").withHeaders(Headers.of("user", "u")).blocking();
    RunningCall durable = opened.start(() -> object.run(write));
    opened.journal.awaitWaiters(1);
    opened.journal.makeAllDurable();
    durable.get();
    opened.start(() -> object.run(write));
    opened.journal.awaitWaiters(1);
    InMemoryJournal left = opened.journal.crash(); // before the second call is durable
    opened.close();

    try (Host reopened = Host.with().journal(left).open()) {
      assertThat(reopened.call("a", ENTRIES)).isEqualTo("[audit/00000000, audit/next, own]");
      assertThat(
              reopened.call(
                  "a", (_, context) -> context.storage().get("audit/00000000", String.class)))
          .hasToString("Optional[u run]");
    }
  }

  @Test
  void auditLogLosesNothingWhenTheCallIsReset() throws Exception {
    Host opened = open(objects -> objects.filter(FilterExamplesTest::audit));

    assertThatExceptionOfType(InstanceResetException.class)
        .isThrownBy(
            () ->
                opened.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("own", 1L);
                      throw context.abort("neither");
                    }));
    // The entry of this call is the first one: that of the reset went with what it had written.
    assertThat(opened.call("a", ENTRIES)).isEqualTo("[audit/00000000, audit/next]");
  }

  // ---- A retry of the caller --------------------------------------------------------------

  /** Repeats what is known to have changed nothing. */
  private static @Nullable Object retry(OutgoingCall call) throws Throwable {
    for (int tries = 1; ; tries++) {
      try {
        return call.proceed();
      } catch (ObjectOverloadedException e) {
        if (tries == 3) {
          throw e;
        }
      } catch (InstanceResetException e) {
        boolean isOfCall = e.objectId().equals(call.id()); // else of an object that this one called
        if (tries == 3 || !isOfCall || e.writeOutcome() != WriteOutcome.NOT_WRITTEN) {
          throw e;
        }
      }
    }
  }

  @Test
  void callerRepeatsACallThatHasWrittenNothing() throws Exception {
    Host opened = open(objects -> objects.outgoing(FilterExamplesTest::retry));
    AtomicInteger runs = new AtomicInteger();

    assertThat(
            opened.call(
                "a",
                (_, context) -> {
                  if (runs.incrementAndGet() < 3) {
                    throw context.abort("try again");
                  }
                  return "done";
                }))
        .isEqualTo("done");
    runs.set(-9);
    assertThatExceptionOfType(InstanceResetException.class)
        .isThrownBy(
            () ->
                opened.call(
                    "a",
                    (_, context) -> {
                      runs.incrementAndGet();
                      throw context.abort("for ever");
                    }));
    assertThat(runs).hasValue(-6);
  }
}
