package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.cache.ValueCache;
import dev.holdfast.runtime.internal.report.FailureLog;
import dev.holdfast.runtime.internal.turn.Admission;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.DeadlockDetector;
import dev.holdfast.runtime.internal.turn.EngineFailure;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Event;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Outgoing;
import dev.holdfast.runtime.internal.turn.Sections;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What fails while a turn ends: no step happens twice, and none is left out. */
final class FailedTurnTest {

  private final AtomicInteger ends = new AtomicInteger();
  private final List<Throwable> stops = new ArrayList<>();
  private Runnable atStop = () -> {};
  private Supplier<ObjectStore> storage =
      () -> {
        throw new AssertionError("nothing is stored");
      };
  private ThreadFactory threads = Thread.ofVirtual().factory();
  private final VirtualClock clock = new VirtualClock();
  private final EngineFailure failure = new EngineFailure();
  private final EngineParts services =
      new EngineParts(
          new InMemoryJournal(),
          Map.of(),
          new NoRecovery(),
          clock,
          task -> threads.newThread(task),
          new SplittableRandom(1),
          new ValueCache(0),
          /* alarms= */ null,
          /* files= */ null,
          new FailureLog(System.getLogger("dev.holdfast"), clock),
          failure,
          new DeadlockDetector(),
          List.of());
  private final Turn turn =
      new Turn(
          services,
          new ObjectKey("things", ObjectId.of(new byte[32], null)),
          () -> storage.get(),
          ends::incrementAndGet,
          /* held= */ false);

  FailedTurnTest() {
    failure.onFailure(
        _ -> {},
        error -> {
          stops.add(error);
          atStop.run();
        });
  }

  private Execution deliver(Execution.Code code) {
    return deliver(Execution.ofCall(turn, Thread.currentThread(), null), code);
  }

  private static Execution deliver(Execution call, Execution.Code code) {
    boolean isDelivered =
        Admission.deliver(call, ExecutionStack.current(), 10, Cancellation.NEVER, code);
    assertThat(isDelivered).as("delivered").isTrue();
    return call;
  }

  /** A message for whose thread there is no memory. */
  private record Unsendable() implements Outgoing {
    @Override
    public void send(EngineParts from, long position) {
      throw new OutOfMemoryError("planned");
    }

    @Override
    public void drop(RuntimeException reason) {}
  }

  @Test
  void eventWhoseThreadStartsAlthoughItsStartHasFailedEndsOnce() {
    List<String> done = new ArrayList<>();
    AtomicReference<Runnable> thread = new AtomicReference<>();
    threads =
        task -> {
          thread.set(task);
          throw new OutOfMemoryError("planned");
        };
    Admission.enqueue(
        Execution.ofEvent(
            turn,
            new Event() {
              @Override
              public void run() {
                done.add("ran");
              }

              @Override
              public void ended(@Nullable Throwable thrown) {
                done.add("ended");
              }
            }));

    thread.get().run();

    assertThat(done).containsExactly("ended");
    assertThat(ends).as("ended instances").hasValue(1);
    assertThat(stops).isEmpty();
  }

  @Test
  void callThatTheEngineHasFailedHasNoResultWhileTheRuntimeIsStopped() {
    Execution call = Execution.ofCall(turn, Thread.currentThread(), null);
    List<Throwable> replies = new ArrayList<>();
    atStop = () -> replies.add(catchThrowable(call::reply));

    deliver(
        call,
        _ -> {
          turn.work().send(new Unsendable());
          return "dropped";
        });

    assertThat(replies).singleElement().isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void sectionThatCannotBeResetForWantOfMemoryStopsTheRuntime() {
    atStop = () -> turn.reset("stopped", null);
    Execution call =
        deliver(
            execution -> {
              try {
                Sections.runCreation(
                    execution,
                    Duration.ofSeconds(1),
                    () -> {
                      throw new OutOfMemoryError("planned");
                    },
                    _ -> {
                      throw new OutOfMemoryError("planned");
                    });
              } catch (Throwable e) {
                // Code may catch anything, and go on.
              }
              return "with a section that is open";
            });

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("stopped");
    assertThat(stops).singleElement().isInstanceOf(OutOfMemoryError.class);
    assertThat(ends).as("ended instances").hasValue(1);
  }

  /** An exception of an application that cannot be compared. */
  @SuppressWarnings("serial")
  private static final class IncomparableException extends RuntimeException {
    @Override
    public boolean equals(@Nullable Object other) {
      throw new IllegalStateException("planned");
    }

    @Override
    public int hashCode() {
      throw new IllegalStateException("planned");
    }
  }

  @Test
  void exceptionOfAResetObjectThatCannotBeComparedStopsNothing() {
    Execution call =
        deliver(
            _ -> {
              turn.reset("planned", null);
              throw new IncomparableException();
            });

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("planned");
    assertThat(stops).isEmpty();
  }

  @Test
  void storeTurnThatBeganBesideAResetIsInterrupted() {
    List<String> called = new ArrayList<>();
    storage =
        () ->
            standIn(
                ObjectStore.class,
                method -> {
                  if (method.equals("beginTurn")) {
                    turn.reset("stopped", null);
                    return standIn(StoreTurn.class, called::add);
                  }
                  return null;
                });

    Execution call = deliver(_ -> turn.storeTurn());

    assertThat(called).containsExactly("interrupt", "discard");
    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("stopped");
    assertThat(ends).as("ended instances").hasValue(1);
  }

  /** A storage of which only the named methods do something. */
  private static <T> T standIn(Class<T> type, Function<String, @Nullable Object> method) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, called, _) -> method.apply(called.getName())));
  }
}
