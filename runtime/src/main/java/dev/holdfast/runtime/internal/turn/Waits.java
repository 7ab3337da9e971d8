package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.TimeSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The waits of object code that are not calls of other objects. Stateless. */
public final class Waits {

  private Waits() {}

  /**
   * See {@link dev.holdfast.ObjectContext#await}.
   *
   * @param <T> the result
   * @param turns of the object
   * @param stage what to wait for
   * @return its value
   */
  public static <T extends @Nullable Object> T await(Turns turns, CompletionStage<T> stage) {
    Execution execution = turns.check();
    turns.transactions().refuseWait();
    Outcome<T> outcome = new Outcome<>(execution);
    if (stage instanceof Pending pending) {
      execution.setAwaited(pending);
      turns.services().deadlocks().refuseWait(execution);
    }
    // Before the turn ends: a stage of the application's own may refuse.
    stage.whenComplete(outcome);
    turns.suspension().suspend(execution);
    boolean interrupted = parkUntil(execution, outcome);
    execution.setAwaited(null);
    resume(turns, execution, interrupted);
    return outcome.get();
  }

  /**
   * See {@link dev.holdfast.ObjectContext#call}.
   *
   * @param <T> the result
   * @param turns of the object
   * @param work the work
   * @return its result
   * @throws Exception whatever the work throws
   */
  public static <T extends @Nullable Object> T call(Turns turns, Callable<T> work)
      throws Exception {
    Execution execution = turns.check();
    awaitDurable(turns, turns.suspension().suspend(execution));
    T result;
    // Known to who closes the runtime and interrupts what takes too long.
    boolean added = turns.suspension().waiting().add(execution);
    try {
      if (turns.isReset()) {
        throw new ResetError(turns.key().toString());
      }
      result = work.call();
    } catch (Throwable e) {
      // Whatever the work throws is thrown in the object's next turn.
      stopWaiting(turns, execution, added);
      turns.suspension().resume(execution);
      throw e;
    }
    stopWaiting(turns, execution, added);
    turns.suspension().resume(execution);
    return result;
  }

  private static void stopWaiting(Turns turns, Execution execution, boolean added) {
    if (added) {
      turns.suspension().waiting().remove(execution);
    }
  }

  /**
   * See {@link dev.holdfast.storage.ObjectStorage#sync}.
   *
   * @param turns of the object
   */
  public static void sync(Turns turns) {
    Execution execution = turns.check();
    turns.transactions().refuseWait();
    turns.sealOrUnwind(execution);
    long dependency = turns.output().sealedPosition();
    turns.suspension().suspend(execution);
    awaitDurable(turns, dependency);
    turns.suspension().resume(execution);
  }

  /**
   * Reads from the disk outside of the turn, so that other events of the object may run meanwhile.
   * Nothing leaves the object by it, so it waits for no sync.
   *
   * @param turns of the object
   * @param read the read; not to be interrupted
   */
  public static void read(Turns turns, Runnable read) {
    Execution execution = turns.check();
    turns.suspension().suspend(execution);
    try {
      read.run();
    } catch (RuntimeException | Error e) {
      turns.suspension().resume(execution);
      turns.storageFailed(e);
      throw e;
    }
    turns.suspension().resume(execution);
  }

  /**
   * Parks an execution outside of its turn until something is done, the thread is interrupted or
   * the instance is reset.
   *
   * @param execution who waits
   * @param done whether it is done; whoever makes that true wakes the thread
   * @return whether the thread was interrupted; the flag is cleared then
   */
  public static boolean parkUntil(Execution execution, BooleanSupplier done) {
    Turns turns = execution.turns();
    while (!done.getAsBoolean() && !turns.isReset()) {
      if (Thread.interrupted()) {
        return true;
      }
      try (TimeSource.Pause pause = turns.services().time().pause()) {
        execution.setPause(pause);
        // Known before it looks: either this sees that it is done, or who makes it so ends the
        // pause, before the clock goes on.
        if (!done.getAsBoolean()) {
          pause.begin();
          turns.suspension().park(execution, done);
        }
      }
    }
    return false;
  }

  /**
   * Begins the next turn after an interruptible wait.
   *
   * @param turns of the object
   * @param execution who waited
   * @param interrupted whether the wait was ended by an interrupt
   */
  public static void resume(Turns turns, Execution execution, boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    turns.suspension().resume(execution);
    if (interrupted) {
      throw new CallInterruptedException(
          turns.key().namespace(),
          turns.key().id(),
          "The object was interrupted while it waited for something it had started.");
    }
  }

  private static void awaitDurable(Turns turns, long dependency) {
    try {
      turns.output().await(dependency);
    } catch (JournalFailedException e) {
      turns.services().journalFailed(e);
      // Whoever meets the failure first resets all instances, one after the other, and may not have
      // come to this one yet: it must not go on as if its writes were durable.
      turns.reset("The object was reset because the journal failed.", e);
    }
  }

  /** What became of a stage. Written by whoever completes it, read by the thread that waits. */
  private static final class Outcome<T extends @Nullable Object>
      implements BiConsumer<T, @Nullable Throwable>, BooleanSupplier {

    private final Execution waiting;
    private @Nullable T value;
    private @Nullable Throwable failure;
    private volatile boolean done;

    Outcome(Execution waiting) {
      this.waiting = waiting;
    }

    @Override
    public void accept(@Nullable T result, @Nullable Throwable thrown) {
      value = result;
      failure = thrown;
      done = true;
      waiting.wake();
    }

    @Override
    public boolean getAsBoolean() {
      return done;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // a stage of T completes with a T
    T get() {
      Throwable thrown = failure;
      if (thrown instanceof CompletionException && thrown.getCause() != null) {
        thrown = thrown.getCause();
      }
      return switch (thrown) {
        case null -> value;
        case RuntimeException unchecked -> throw unchecked;
        case Error error -> throw error;
        default -> throw new CompletionException(thrown);
      };
    }
  }
}
