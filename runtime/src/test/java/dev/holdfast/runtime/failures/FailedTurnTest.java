package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.LoneTurn;
import dev.holdfast.runtime.internal.turn.BackgroundEvent;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Outgoing;
import dev.holdfast.runtime.internal.turn.Pending;
import dev.holdfast.runtime.internal.turn.Sections;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.runtime.internal.turn.TurnAdmission;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.statistics.ExecutionStatus.Kind;
import dev.holdfast.statistics.ResetReason;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What fails while a turn ends: no step happens twice, and none is left out. */
final class FailedTurnTest {

  private final LoneTurn lone = new LoneTurn();
  private final Turn turn = lone.turn;

  @Test
  void eventWhoseThreadStartsAlthoughItsStartHasFailedEndsOnce() {
    List<String> done = new ArrayList<>();
    AtomicReference<Runnable> thread = new AtomicReference<>();
    lone.threads =
        task -> {
          thread.set(task);
          throw new OutOfMemoryError("planned");
        };
    TurnAdmission.enqueue(
        Execution.ofEvent(
            turn,
            new BackgroundEvent() {
              @Override
              public Kind kind() {
                return Kind.TASK;
              }

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
    assertThat(lone.ends).as("ended instances").hasValue(1);
    assertThat(lone.stops).isEmpty();
  }

  @Test
  void callThatTheEngineHasFailedHasNoResultWhileTheRuntimeIsStopped() {
    Execution call = lone.newCall();
    List<Throwable> replies = new ArrayList<>();
    lone.atStop = () -> replies.add(catchThrowable(call::reply));

    LoneTurn.deliver(
        call,
        _ -> {
          turn.work().send(new LoneTurn.Unsendable());
          return "dropped";
        });

    assertThat(replies).singleElement().isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void sectionThatCannotBeResetForWantOfMemoryStopsTheRuntime() {
    lone.atStop = () -> turn.reset(ResetReason.CLOSED, "stopped", null);
    Execution call =
        lone.deliver(
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
    assertThat(lone.stops).singleElement().isInstanceOf(OutOfMemoryError.class);
    assertThat(lone.ends).as("ended instances").hasValue(1);
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
        lone.deliver(
            _ -> {
              turn.reset(ResetReason.ABORTED, "planned", null);
              throw new IncomparableException();
            });

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("planned");
    assertThat(lone.stops).isEmpty();
  }

  @Test
  void storeTurnThatBeganBesideAResetIsInterrupted() {
    List<String> called = new ArrayList<>();
    lone.storage =
        () ->
            standIn(
                ObjectStore.class,
                method -> {
                  if (method.equals("beginTurn")) {
                    turn.reset(ResetReason.CLOSED, "stopped", null);
                    return standIn(StoreTurn.class, called::add);
                  }
                  return null;
                });

    Execution call = lone.deliver(_ -> turn.storeTurn());

    assertThat(called).containsExactly("interrupt", "discard");
    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("stopped");
    assertThat(lone.ends).as("ended instances").hasValue(1);
  }

  private static Object storeTurnThatThrows(String failing, RuntimeException failure) {
    return standIn(
        StoreTurn.class,
        method -> {
          if (method.equals(failing)) {
            throw failure;
          }
          if (method.equals("interrupt")) {
            throw new OutOfMemoryError("planned");
          }
          return null;
        });
  }

  private void storeIn(Supplier<Object> storeTurn) {
    lone.storage =
        () ->
            standIn(
                ObjectStore.class, method -> method.equals("beginTurn") ? storeTurn.get() : null);
  }

  @Test
  void failedStorageWithoutMemoryForTheResetStopsTheRuntime() {
    storeIn(() -> storeTurnThatThrows("keepCursors", new IllegalStateException("planned")));
    Execution call =
        lone.deliver(
            execution -> {
              turn.storeTurn();
              try {
                turn.sealOrUnwind(execution);
              } catch (Throwable e) {
                // Code may catch anything, and go on.
              }
              return "with a storage that has failed";
            });

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("its storage failed");
    assertThat(lone.stops).singleElement().isInstanceOf(OutOfMemoryError.class);
    assertThat(lone.ends).as("ended instances").hasValue(1);
  }

  @Test
  void turnIsGivenUpAlthoughItsResetRanOutOfMemory() {
    storeIn(() -> storeTurnThatThrows("none", new IllegalStateException("planned")));
    Execution call =
        lone.deliver(
            _ -> {
              turn.work()
                  .send(
                      new Message(
                          () -> {
                            turn.storeTurn();
                            throw new OutOfMemoryError("planned");
                          }));
              return "dropped";
            });

    assertThatThrownBy(call::reply).isInstanceOf(InstanceResetException.class);
    assertThat(lone.stops).isNotEmpty();
    assertThat(lone.ends).as("ended instances").hasValue(1);
  }

  @Test
  void codeThatGoesOnWhenTheRuntimeCouldNotBeStoppedSendsAndWritesNothing() {
    AtomicInteger sent = new AtomicInteger();
    AtomicInteger attempts = new AtomicInteger();
    lone.stopFails.set(true);
    Execution call =
        lone.deliver(
            execution -> {
              turn.work()
                  .send(
                      new Message(
                          () -> {
                            if (attempts.getAndIncrement() == 0) {
                              throw new OutOfMemoryError("planned");
                            }
                          }));
              try {
                turn.sealOrUnwind(execution);
              } catch (Throwable e) {
                // Code may catch anything, and go on.
              }
              turn.work().send(new Message(sent::incrementAndGet));
              return "after an error of the engine";
            });

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("the runtime ran out of stack or memory");
    assertThat(sent).hasValue(0);
  }

  private record Message(Runnable sending) implements Outgoing {
    @Override
    public void send(EngineParts from, long position) {
      sending.run();
    }

    @Override
    public void drop(RuntimeException reason) {}
  }

  /** A result of the engine that has no memory for its listener. */
  private static final class Unheard extends CompletableFuture<Object> implements Pending {
    private final AtomicReference<Execution> producer;

    Unheard(AtomicReference<Execution> producer) {
      this.producer = producer;
    }

    @Override
    public @Nullable Execution producer() {
      return producer.get();
    }

    @Override
    public CompletableFuture<Object> whenComplete(
        BiConsumer<? super Object, ? super Throwable> action) {
      throw new OutOfMemoryError("planned");
    }
  }

  @Test
  void waitThatCouldNotBeginIsNoPartOfACircle() throws Exception {
    AtomicReference<Execution> awaited = new AtomicReference<>();
    AtomicReference<Object> reply = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                LoneTurn.deliver(awaited.get(), _ -> "ran");
                reply.set(awaited.get().reply());
              } catch (Throwable e) {
                reply.set(e);
              }
            });
    awaited.set(Execution.ofCall(turn, caller, null));
    lone.deliver(
        _ ->
            Sections.run(
                turn,
                Duration.ofSeconds(1),
                () -> {
                  assertThatThrownBy(() -> Waits.await(turn, new Unheard(awaited)))
                      .isInstanceOf(OutOfMemoryError.class);
                  caller.start(); // it queues behind this section, whose opener no longer waits
                  while (caller.getState() != Thread.State.WAITING && caller.isAlive()) {
                    Thread.onSpinWait();
                  }
                  return 0;
                }));
    caller.join();

    assertThat(reply.get()).isEqualTo("ran");
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
