package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectStub;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order in which calls of one caller are delivered to one object. */
class CallOrderTest {

  private static final int CALLS = 2_000;

  private Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  /** The values that the object received, in the order of the turns. */
  private final List<Integer> delivered = new ArrayList<>();

  private int note(int number) {
    return host.number((_, _) -> delivered.add(number));
  }

  private int[] notes(int count) {
    return IntStream.range(0, count).map(this::note).toArray();
  }

  private static List<Integer> upTo(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void asynchronousCallsOfOneCallerAreDeliveredInOrder() {
    int[] notes = notes(CALLS);
    ObjectStub<Thing> stub = host.stub("a");

    joinAll(IntStream.of(notes).mapToObj(each -> stub.async(thing -> thing.run(each))).toList());

    assertThat(delivered).isEqualTo(upTo(CALLS));
  }

  @Test
  void stubsOfOneObjectShareTheOrder() {
    int[] notes = notes(CALLS);

    joinAll(
        IntStream.of(notes)
            .mapToObj(
                each ->
                    each % 3 == 0
                        ? host.stub("a")
                            .withTimeout(Duration.ofDays(1))
                            .async(thing -> thing.run(each))
                        : host.stub("a").async(thing -> thing.run(each)))
            .toList());

    assertThat(delivered).isEqualTo(upTo(CALLS));
  }

  @Test
  void directCallComesAfterTheAsynchronousOnesBeforeIt() throws Exception {
    ObjectStub<Thing> stub = host.stub("a");
    ObjectStub<Thing> timed = stub.withTimeout(Duration.ofDays(1));
    int[] notes = notes(CALLS);
    for (int i = 0; i < CALLS; i += 4) {
      for (int k = 0; k < 3; k++) {
        int note = notes[i + k];
        stub.async(thing -> thing.run(note));
      }
      (i % 8 == 0 ? stub : timed).blocking().run(notes[i + 3]);
    }

    assertThat(delivered).isEqualTo(upTo(CALLS));
  }

  @Test
  void callsOfAnObjectAreDeliveredInOrder() throws Exception {
    int[] notes = notes(CALLS);
    host.call(
        "caller",
        (_, context) -> {
          ObjectStub<Thing> stub = context.namespace(Host.THINGS, Thing.class).stub("a");
          ObjectStub<Thing> timed = stub.withTimeout(Duration.ofDays(1));
          for (int i = 0; i < CALLS; i += 4) {
            for (int k = 0; k < 3; k++) {
              int note = notes[i + k];
              stub.async(thing -> thing.run(note));
            }
            (i % 8 == 0 ? stub : timed).blocking().run(notes[i + 3]);
          }
          return null;
        });

    assertThat(delivered).isEqualTo(upTo(CALLS));
  }

  @Test
  void workOutsideOfTheTurnKeepsTheOrderOfItsObject() throws Exception {
    int[] notes = notes(4);
    host.call(
        "caller",
        (_, context) -> {
          ObjectStub<Thing> stub = host.stub("a");
          CountDownLatch mayCall = new CountDownLatch(1);
          stub.async(
              thing -> {
                mayCall.await();
                return thing.run(notes[0]);
              });
          context.call(
              () -> {
                CompletableFuture<?> second = stub.async(thing -> thing.run(notes[1]));
                mayCall.countDown();
                stub.blocking().run(notes[2]);
                return second.join();
              });
          return stub.blocking().run(notes[3]);
        });

    assertThat(delivered).isEqualTo(upTo(4));
  }

  @Test
  void callThatIsStillPreparedHoldsUpTheLaterOnesOfItsCallerOnly() throws Exception {
    CountDownLatch mayCall = new CountDownLatch(1);
    int[] notes = notes(4);
    ObjectStub<Thing> stub = host.stub("a");
    CompletableFuture<?> first =
        stub.async(
            thing -> {
              mayCall.await();
              return thing.run(notes[2]);
            });
    CompletableFuture<?> second = stub.async(thing -> thing.run(notes[3]));

    host.start(() -> stub.blocking().run(notes[0])).get();
    host.start(() -> stub.async(thing -> thing.run(notes[1])).join()).get();
    assertThat(second).isNotDone();
    mayCall.countDown();
    joinAll(List.of(first, second));

    assertThat(delivered).isEqualTo(upTo(4));
  }

  @Test
  void onlyTheFirstCallOfTheObjectInsideOfAnAsynchronousOneIsOrdered() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    int[] notes = notes(3);
    ObjectStub<Thing> stub = host.stub("a");
    CompletableFuture<?> first =
        stub.async(
            thing -> {
              host.call("b", (_, _) -> null);
              thing.run(notes[0]);
              mayGoOn.await();
              return thing.run(notes[2]);
            });

    stub.blocking().run(notes[1]);
    mayGoOn.countDown();
    first.join();

    assertThat(delivered).isEqualTo(upTo(3));
  }

  @Test
  void callThatIsNeverMadeDelaysNoOther() throws Exception {
    CountDownLatch mayCall = new CountDownLatch(1);
    int[] notes = notes(2);
    ObjectStub<Thing> stub = host.stub("a");
    CompletableFuture<?> first =
        stub.async(
            thing -> {
              mayCall.await();
              return thing.run(notes[0]);
            });
    List<CompletableFuture<?>> withdrawn =
        List.of(
            stub.async(
                _ -> {
                  throw new IllegalStateException("calls nobody");
                }),
            stub.async(_ -> "nothing"),
            stub.async(thing -> thing.run(note(99))),
            stub.async(thing -> thing.run(note(99))));
    withdrawn.get(2).cancel(true);
    withdrawn.get(3).complete(null);
    CompletableFuture<?> last = stub.async(thing -> thing.run(notes[1]));
    mayCall.countDown();
    joinAll(List.of(first, last));

    assertThat(delivered).isEqualTo(upTo(2));
  }

  @Test
  void callOfATurnThatIsDroppedDelaysNoOther() throws Exception {
    int[] notes = notes(1);
    ObjectStub<Thing> stub = host.stub("a");
    assertThatThrownBy(
            () ->
                host.call(
                    "caller",
                    (_, context) -> {
                      stub.async(thing -> thing.run(note(99)));
                      throw context.abort("dropped");
                    }))
        .hasMessageContaining("dropped");

    host.call("caller", (_, _) -> stub.blocking().run(notes[0]));

    assertThat(delivered).isEqualTo(upTo(1));
  }

  @Test
  void refusedCallDelaysNoOther() throws Exception {
    host.close();
    host = Host.with().namespace(NamespaceOptions.DEFAULT.withQueueLengthMax(1)).open();
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    RunningCall busy =
        host.start(
            "a",
            (_, _) -> {
              began.countDown();
              mayEnd.await();
              return null;
            });
    began.await();
    RunningCall waiting = host.start("a", (_, _) -> null).awaitParked();
    CountDownLatch isRefused = new CountDownLatch(1);
    CountDownLatch mayReturn = new CountDownLatch(1);
    int[] notes = notes(1);
    ObjectStub<Thing> stub = host.stub("a");
    CompletableFuture<?> refused =
        stub.async(
            thing -> {
              try {
                return thing.run(note(99));
              } finally {
                isRefused.countDown();
                mayReturn.await();
              }
            });
    isRefused.await();
    mayEnd.countDown();
    busy.get();
    waiting.get();

    stub.blocking().run(notes[0]);

    mayReturn.countDown();
    assertThatThrownBy(refused::get).hasCauseInstanceOf(ObjectOverloadedException.class);
    assertThat(delivered).isEqualTo(upTo(1));
  }

  @Test
  void directCallIsWithdrawnWhenItsThreadIsInterruptedOrItsTimeIsOver() throws Exception {
    CountDownLatch mayCall = new CountDownLatch(1);
    ObjectStub<Thing> stub = host.stub("a");
    int[] notes = notes(2);
    int never = note(99);
    RunningCall interrupted =
        host.start(
            () -> {
              stub.async(
                  thing -> {
                    mayCall.await();
                    return thing.run(notes[0]);
                  });
              return stub.blocking().run(never);
            });
    interrupted.awaitParked().interrupt();
    assertThat(interrupted.failure()).isInstanceOf(CallInterruptedException.class);
    RunningCall late =
        host.start(
            () -> {
              CompletableFuture<?> first =
                  stub.async(
                      thing -> {
                        mayCall.await();
                        return thing.run(notes[1]);
                      });
              try {
                return stub.withTimeout(Duration.ofMinutes(1)).blocking().run(never);
              } finally {
                mayCall.countDown();
                first.join();
              }
            });
    late.awaitParked();
    host.clock.advance(Duration.ofMinutes(1));
    assertThat(late.failure())
        .isInstanceOfSatisfying(
            ObjectCallTimeoutException.class, e -> assertThat(e.delivered()).isFalse());

    host.stub("a").blocking().run(note(2));
    assertThat(delivered).doesNotContain(99);
  }

  @Test
  void circleThroughTheOrderOfCallsIsRefused() {
    int back = host.number((_, _) -> null);
    CompletableFuture<CompletableFuture<?>> first = new CompletableFuture<>();

    CompletableFuture<?> section =
        host.async(
            "caller",
            (_, context) ->
                context.blockConcurrencyWhile(
                    () -> {
                      ObjectStub<Thing> stub = host.stub("a");
                      first.complete(
                          stub.async(
                              thing -> {
                                host.stub("caller").blocking().run(back);
                                return thing.run(back);
                              }));
                      return context.await(stub.async(thing -> thing.run(back)));
                    }));

    // The second of the two to check is refused.
    assertThatThrownBy(() -> joinAll(List.of(section, first.join())))
        .hasStackTraceContaining(MisuseException.class.getName());
  }

  private static void joinAll(List<? extends CompletableFuture<? extends @Nullable Object>> calls) {
    calls.forEach(CompletableFuture::join);
  }
}
