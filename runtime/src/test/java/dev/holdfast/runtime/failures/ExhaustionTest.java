package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.LoneTurn;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.runtime.internal.gate.CallOrder;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Outgoing;
import dev.holdfast.runtime.internal.turn.ResetError;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.statistics.ResetReason;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stack or memory that runs out: in object code it ends the object, in the engine the runtime. */
final class ExhaustionTest {

  private final ThrowingLogger logger = new ThrowingLogger();
  private final LoneTurn lone = new LoneTurn(logger);
  private final Turn turn = lone.turn;

  /** A logger of an application that is broken. */
  private static final class ThrowingLogger implements System.Logger {
    private boolean isUnlinked;

    private void fail() {
      if (isUnlinked) {
        throw new NoClassDefFoundError("planned");
      }
      throw new IllegalStateException("planned");
    }

    @Override
    public String getName() {
      return "throwing";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
      fail();
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... values) {
      fail();
    }
  }

  /** A message for whose thread there is no memory: the engine's own work, after the code. */
  private Execution exhaustEngine() {
    return lone.deliver(
        _ -> {
          turn.work().send(new LoneTurn.Unsendable());
          return "dropped";
        });
  }

  /** Code may catch the error of a wait that has failed, and go on without the turn. */
  @Test
  void executionOutsideOfItsTurnSealsNothingOfTheOneInTheTurn() throws Throwable {
    List<Long> sent = new ArrayList<>();
    Execution outside = lone.deliver(_ -> "over");
    Execution inside =
        lone.deliver(
            _ -> {
              turn.work().send(new Recorded(sent));
              assertThatThrownBy(() -> turn.sealOrUnwind(outside)).isInstanceOf(ResetError.class);
              return List.copyOf(sent);
            });

    assertThat(inside.reply()).isEqualTo(List.of());
    assertThat(sent).hasSize(1);
  }

  private record Recorded(List<Long> sent) implements Outgoing {
    @Override
    public void send(EngineParts from, long position) {
      sent.add(position);
    }

    @Override
    public void drop(RuntimeException reason) {}
  }

  @Test
  void codeThatRunsOutOfMemoryResetsItsObjectAndStopsNothing() {
    Execution call =
        lone.deliver(
            _ -> {
              throw new OutOfMemoryError("planned");
            });

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("its code ran out of stack or memory");
    assertThat(lone.stops).isEmpty();
    assertThat(lone.ends).hasValue(1);
  }

  @Test
  void engineThatRunsOutOfMemoryStopsTheRuntimeAndSendsNoReply() {
    Execution call = exhaustEngine();

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("the runtime ran out of stack or memory");
    assertThat(lone.stops).singleElement().isInstanceOf(OutOfMemoryError.class);
    assertThat(lone.ends).as("ended instances").hasValue(1);
    assertThat(ExecutionStack.current().top()).isNull();
    assertThat(LoneTurn.deliver(lone.newCall(), _ -> 0)).isFalse();
  }

  @Test
  void deliveryThatRunsOutOfMemoryLeavesNoGateShut() {
    SentCall sent = new CallOrder().add(turn.key(), () -> null);
    sent.whenOver(
        () -> {
          throw new OutOfMemoryError("planned");
        });
    ExecutionStack.current().setSent(sent);

    Execution call;
    try {
      call = lone.deliver(_ -> "reached");
    } finally {
      ExecutionStack.current().setSent(null);
    }

    assertThatThrownBy(call::reply).isInstanceOf(InstanceResetException.class);
    assertThat(lone.stops).singleElement().isInstanceOf(OutOfMemoryError.class);
    assertThat(lone.ends).as("ended instances").hasValue(1);
  }

  /** Finds no memory while a worker runs its call. */
  private static final class NoMemory extends LoneTurn.NoMemory {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch isTaken = new CountDownLatch(1);

    @Override
    public void beforeTheError() {
      asked.countDown();
      await(isTaken);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void startAndAwaitParked(Thread thread) {
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  @Test
  void callOfACallerThatFindsNoMemoryToParkRunsOnceOnItsWorker() throws Throwable {
    NoMemory cancellation = new NoMemory();
    AtomicInteger runs = new AtomicInteger();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch stopped = new CountDownLatch(1);
    lone.atStop = stopped::countDown;
    Thread caller =
        new Thread(
            () -> {
              Execution made = lone.newCall();
              Execution.Code code =
                  _ -> {
                    runs.incrementAndGet();
                    cancellation.isTaken.countDown();
                    await(stopped);
                    return "on a worker";
                  };
              try {
                LoneTurn.deliver(made, cancellation, code);
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    Thread behind = new Thread(() -> lone.deliver(_ -> "behind"));
    lone.deliver(
        _ -> {
          startAndAwaitParked(caller);
          startAndAwaitParked(behind);
          LockSupport.unpark(caller);
          cancellation.asked.await();
          return "first";
        });
    caller.join();
    behind.join();

    assertThat(thrown.get()).isInstanceOf(OutOfMemoryError.class);
    assertThat(runs).hasValue(1);
    assertThat(lone.stops).singleElement().isInstanceOf(OutOfMemoryError.class);
  }

  /**
   * The only call in the queue with another after it, so that a worker takes it. Its caller finds
   * no memory in the middle, and no thread can be started for the worker.
   */
  @Test
  void callWhoseCallerHasLeftAndThatHasNoWorkerEndsWithItsObject() throws Exception {
    NoMemory cancellation = new NoMemory();
    AtomicInteger runs = new AtomicInteger();
    Thread caller =
        new Thread(
            () -> {
              Execution made = lone.newCall();
              try {
                LoneTurn.deliver(made, cancellation, _ -> runs.incrementAndGet());
              } catch (OutOfMemoryError e) {
                // What this test has planned.
              }
            });
    AtomicReference<Throwable> last = new AtomicReference<>();
    Thread behind =
        new Thread(
            () -> {
              try {
                lone.deliver(_ -> "behind");
              } catch (InstanceResetException e) {
                last.set(e);
              }
            });
    lone.deliver(
        _ -> {
          startAndAwaitParked(caller);
          startAndAwaitParked(behind);
          LockSupport.unpark(caller);
          cancellation.asked.await();
          lone.threads =
              _ -> {
                cancellation.isTaken.countDown();
                joined(caller);
                throw new OutOfMemoryError("planned");
              };
          return "first";
        });
    caller.join();
    behind.join();

    assertThat(runs).hasValue(0);
    assertThat(last.get()).hasMessageContaining("a call has lost its thread");
    assertThat(lone.ends).as("ended instances").hasValue(1);
  }

  @Test
  void workerThatStartsAlthoughItsStartHasFailedRunsNoCallTwice() throws Throwable {
    AtomicInteger runs = new AtomicInteger();
    AtomicReference<Runnable> worker = new AtomicReference<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      callers.add(new Thread(() -> lone.deliver(_ -> runs.incrementAndGet())));
    }
    lone.threads =
        task -> {
          worker.compareAndSet(null, task);
          throw new OutOfMemoryError("planned");
        };
    lone.deliver(
        _ -> {
          callers.forEach(ExhaustionTest::startAndAwaitParked);
          return "first";
        });
    for (Thread caller : callers) {
      caller.join();
    }

    worker.get().run();

    assertThat(runs).hasValue(2);
    assertThat(lone.stops).isEmpty();
    assertThat(lone.ends).hasValue(0);
  }

  private static void joined(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void unexpectedErrorInTheEngineStopsTheRuntimeAndDropsWhatWasNotSent() {
    List<RuntimeException> dropped = new ArrayList<>();
    Execution call =
        lone.deliver(
            _ -> {
              for (int i = 0; i < 2; i++) {
                turn.work().send(new Broken(dropped));
              }
              return "dropped";
            });

    assertThatThrownBy(call::reply)
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("the runtime failed with an unexpected error");
    assertThat(lone.stops).singleElement().isInstanceOf(IllegalStateException.class);
    assertThat(dropped).hasSize(2);
    assertThat(lone.ends).as("ended instances").hasValue(1);
  }

  /** A message that cannot be sent, by a mistake of the engine. */
  private record Broken(List<RuntimeException> dropped) implements Outgoing {
    @Override
    public void send(EngineParts from, long position) {
      throw new IllegalStateException("planned");
    }

    @Override
    public void drop(RuntimeException reason) {
      dropped.add(reason);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void loggerThatThrowsEndsNothingMidway(boolean isUnlinked) {
    logger.isUnlinked = isUnlinked;
    Execution call =
        lone.deliver(
            _ -> {
              turn.reset(ResetReason.ABORTED, "planned", null);
              throw new IllegalArgumentException("dropped, and logged");
            });

    assertThatThrownBy(call::reply).isInstanceOf(InstanceResetException.class);
    assertThat(lone.ends).as("ended instances").hasValue(1);
    assertThat(lone.stops).isEmpty();
  }

  @Test
  void sweeperStopsTheRuntimeIfThereWasNoMemoryForIt() {
    lone.stopFails.set(true);
    exhaustEngine();
    assertThat(lone.stops).isEmpty();

    lone.parts.failure().stopIfEngineFailed();
    lone.parts.failure().stopIfEngineFailed();

    assertThat(lone.stops).singleElement().isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void executionThatIsOutsideOfItsTurnSealsNothing() {
    Execution call =
        lone.deliver(
            execution -> {
              turn.suspend(execution);
              assertThatThrownBy(() -> turn.sealOrUnwind(execution)).isInstanceOf(Error.class);
              return "without a turn";
            });

    assertThatThrownBy(call::reply).isInstanceOf(InstanceResetException.class);
    assertThat(lone.ends).hasValue(1);
  }

  /** A thread whose start fails: because of the error it starts anyway, or later. */
  private static final class FailingThread extends Thread {
    private final Runnable atStart;

    FailingThread(Runnable task, Runnable atStart) {
      super(task);
      this.atStart = atStart;
    }

    @Override
    public void start() {
      atStart.run();
      throw new OutOfMemoryError("planned");
    }

    void startLate() {
      super.start();
    }
  }

  @Test
  void timedCallWhoseThreadRunsAlthoughItsStartHasFailedIsAnswered() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    List<FailingThread> made = new ArrayList<>();
    Runnable startAndAwait =
        () -> {
          made.getFirst().startLate();
          await(begun);
        };
    try (Host host = Host.with().threads(task -> failing(task, startAndAwait, made)).open()) {
      int script =
          host.number(
              (_, _) -> {
                begun.countDown();
                return "run";
              });
      assertThat(host.stub("a").withTimeout(Duration.ofSeconds(1)).blocking().run(script))
          .isEqualTo("run");
    }
  }

  @Test
  void timedCallWhoseThreadCouldNotBeStartedDoesNotRunLater() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    List<FailingThread> made = new ArrayList<>();
    try (Host host = Host.with().threads(task -> failing(task, () -> {}, made)).open()) {
      int script = host.number((_, _) -> runs.incrementAndGet());
      Thing hurried = host.stub("a").withTimeout(Duration.ofSeconds(1)).blocking();
      assertThatThrownBy(() -> hurried.run(script)).isInstanceOf(OutOfMemoryError.class);

      made.getFirst().startLate();
      made.getFirst().join();
    }
    assertThat(runs).hasValue(0);
  }

  private static Thread failing(Runnable task, Runnable atStart, List<FailingThread> made) {
    FailingThread thread = new FailingThread(task, atStart);
    made.add(thread);
    return thread;
  }

  @Test
  void objectGoesOnAfterItsCodeRanOutOfMemory() throws Exception {
    try (Host host = Host.open()) {
      assertThatThrownBy(
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        context.storage().put("key", 1L);
                        throw new OutOfMemoryError("planned");
                      }))
          .isInstanceOf(InstanceResetException.class);

      assertThat(host.call("a", (_, context) -> context.storage().get("key", Long.class)))
          .isEqualTo(Optional.empty());
      assertThat(host.call("b", (_, _) -> "there")).isEqualTo("there");
    }
  }

  @Test
  void everyCallerGetsTheResetWhenTheEngineRanOutOfMemoryAndNothingUnsealedLeaves()
      throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    AtomicReference<Boolean> noMemory = new AtomicReference<>(false);
    Host host =
        Host.with()
            .journal(journal)
            .seen(real -> failing(real, "awaitDurable", noMemory), b -> b)
            .open();
    RunningCall bystander =
        host.start("b", (_, context) -> context.await(new CompletableFuture<>())).awaitParked();
    RunningCall queued =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("sealed", 1L);
              noMemory.set(true);
              return context
                  .storage()
                  .transaction(
                      txn -> {
                        txn.put("unsealed", 2L);
                        try {
                          return context.call(() -> "called"); // finds no memory in its wait
                        } catch (Throwable e) {
                          return "went on after " + e;
                        }
                      });
            });

    while (!queued.isDone()) {
      if (noMemory.get() == null) {
        journal.makeAllDurable(); // the reason of the reset may tell of what was sealed
      }
    }
    assertThat(queued.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("the runtime ran out of stack or memory");
    assertThat(bystander.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("the runtime ran out of stack or memory");
    assertThatThrownBy(() -> host.call("c", (_, _) -> "there"))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("ran out of stack or memory in its own work; close the runtime");
    assertThat(host.log.of(LogEvent.ENGINE_FAILED)).hasSize(1);
    assertThat(journal.records()).as("what was sealed").hasSize(1);
    host.close();
  }

  /** A journal in which a method finds no memory once, after the flag was set to true. */
  static Journal failing(Journal real, String failing, AtomicReference<Boolean> noMemory) {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(),
            new Class<?>[] {Journal.class},
            (_, method, arguments) -> {
              if (method.getName().equals(failing) && noMemory.compareAndSet(true, null)) {
                throw new OutOfMemoryError("planned");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
