package dev.holdfast.runtime.internal.turn;

import dev.holdfast.Consistency;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ResetReason;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All waits. A wait of object code is {@link Turn#suspend} (seal, open the gate), block, {@link
 * Turn#resume} (queue at the gate, in the section that the execution belongs to). Java's own stack
 * is the continuation. Stateless.
 */
public final class Waits {

  private Waits() {}

  // ---- The one loop -------------------------------------------------------------------------

  /** Something that the current thread waits for. */
  @FunctionalInterface
  public interface Wait {

    /** {@return whether it is over; the thread that makes that true unparks this one} */
    boolean isOver();

    /** Called each time the thread was interrupted. */
    default void interrupted() {}

    /**
     * {@return whether to wait no longer; asked before each park}
     *
     * @param interrupted whether the thread was interrupted so far
     */
    default boolean stops(boolean interrupted) {
      return false;
    }

    /** Parks the thread once; may return too early. */
    default void sleep() {
      LockSupport.park(this);
    }

    /**
     * Called when the thread could not park for lack of stack. To park a virtual thread takes stack
     * in proportion to its depth, which no margin at a door proves. Nothing has happened then: the
     * error is one of the code that called so deep.
     *
     * @param error what the park has thrown
     */
    default void overflowed(StackOverflowError error) {
      throw error;
    }
  }

  /**
   * Parks the current thread until a wait is over or stops.
   *
   * @param wait what to wait for
   * @return whether the thread was interrupted; the flag is cleared then
   */
  public static boolean park(Wait wait) {
    boolean interrupted = false;
    while (!wait.isOver()) {
      if (Thread.interrupted()) {
        // Cleared: the next park would return at once, and this loop would spin.
        interrupted = true;
        wait.interrupted();
      }
      if (wait.stops(interrupted)) {
        break;
      }
      try {
        wait.sleep();
      } catch (StackOverflowError e) {
        wait.overflowed(e);
      }
    }
    return interrupted;
  }

  /** Parks once, outside of the turn; a reset ends it. */
  static void parkKnown(Execution execution, Object blocker) {
    WaitingExecutions waiting = execution.turn().waiting();
    boolean added = waiting.add(execution);
    // Added before it looks, and a reset is recorded before it looks for waiting threads: either
    // the reset finds this thread and wakes it, or this thread finds the reset.
    try {
      if (!execution.turn().isReset()) {
        LockSupport.park(blocker);
      }
    } finally {
      if (added) {
        waiting.remove(execution);
      }
    }
  }

  /**
   * {@return whether a thread waits in {@link #parkUntil}}
   *
   * @param thread any thread
   */
  static boolean isParked(Thread thread) {
    return LockSupport.getBlocker(thread) instanceof TurnWait;
  }

  /**
   * Parks an execution outside of its turn until something is done, the thread is interrupted or
   * the instance is reset.
   *
   * @param execution the execution that waits
   * @param done whether it is done; the thread that makes that true wakes this one
   * @return whether the thread was interrupted; the flag is cleared then
   */
  public static boolean parkUntil(Execution execution, BooleanSupplier done) {
    // Not for a call of another object: to read the clock takes longer than such a call.
    execution.time(1);
    try {
      return park(new TurnWait(execution, done));
    } catch (RuntimeException | Error e) {
      throw execution.turn().end().unwinding(e);
    }
  }

  /** The clock of a test knows this wait by its blocker. */
  private record TurnWait(Execution execution, BooleanSupplier done)
      implements Wait, TimeSource.Wait {

    @Override
    public boolean isOver() {
      return done.getAsBoolean() || execution.turn().isReset();
    }

    @Override
    public boolean stops(boolean interrupted) {
      return interrupted;
    }

    @Override
    public void overflowed(StackOverflowError error) {
      execution.turn().resetIfExhausted(error);
    }

    @Override
    public void sleep() {
      parkKnown(execution, this);
    }
  }

  // ---- Waits of object code -----------------------------------------------------------------

  /**
   * See {@link dev.holdfast.ObjectContext#await}.
   *
   * @param <T> the result
   * @param turn of the object
   * @param stage what to wait for
   * @return its value
   */
  public static <T extends @Nullable Object> T await(Turn turn, CompletionStage<T> stage) {
    Execution execution = turn.check();
    turn.work().transactions().refuseWait();
    turn.enterEngine();
    Outcome<T> outcome = new Outcome<>(execution);
    boolean interrupted;
    try {
      if (stage instanceof Pending pending) {
        execution.setAwaited(pending);
        turn.parts().deadlocks().refuseWait(execution);
      }
      // Before the turn ends: a stage of the application's own may refuse.
      stage.whenComplete(outcome);
      turn.suspend(execution);
      interrupted = parkUntil(execution, outcome);
    } finally {
      // Code may catch the error of a wait, and go on: it is then no part of a circle.
      execution.setAwaited(null);
    }
    resume(execution, interrupted);
    return outcome.get();
  }

  /** Work that goes on while its object waits for it. */
  private interface Outside<T extends @Nullable Object, X extends Exception> {
    T run(long position) throws X;
  }

  /** Ends the turn, works outside of it, and begins the next one whatever came of the work. */
  private static <T extends @Nullable Object, X extends Exception> T outside(
      Execution execution, Outside<T, X> work) throws X {
    Turn turn = execution.turn();
    execution.time(1);
    long position = turn.suspend(execution);
    T result;
    try {
      result = work.run(position);
    } catch (Throwable e) {
      turn.resume(execution);
      throw e;
    }
    turn.resume(execution);
    return result;
  }

  /**
   * See {@link dev.holdfast.ObjectContext#call}.
   *
   * @param <T> the result
   * @param turn of the object
   * @param work the work
   * @return its result
   * @throws Exception whatever the work throws
   */
  public static <T extends @Nullable Object> T call(Turn turn, Callable<T> work) throws Exception {
    Execution execution = turn.check();
    turn.enterEngine();
    return outside(
        execution,
        position -> {
          awaitDurable(execution, position);
          // Known to a close, which interrupts what takes too long.
          boolean added = turn.waiting().add(execution);
          try {
            turn.unwindIfReset();
            return work.call();
          } finally {
            if (added) {
              turn.waiting().remove(execution);
            }
          }
        });
  }

  /**
   * See {@link dev.holdfast.storage.ObjectStorage#sync}.
   *
   * @param turn of the object
   */
  public static void sync(Turn turn) {
    Execution execution = turn.check();
    turn.work().transactions().refuseWait();
    turn.enterEngine();
    turn.sealOrUnwind(execution);
    long dependency = turn.output().sealedPosition();
    execution.time(1);
    SyncWait wait = turn.work().beginSync();
    try {
      turn.suspend(execution);
      try {
        awaitDurable(execution, dependency);
        wait.awaitEarlier();
      } catch (Throwable e) {
        turn.resume(execution);
        throw e;
      }
      turn.resume(execution, wait);
      turn.work().endSync(wait);
    } finally {
      wait.setQueued();
    }
  }

  /**
   * A wait of {@code sync()} among the waits of its object. One sync of the journal ends many of
   * them at once, and their threads would race to the input gate; so each queues there after the
   * one that has begun before it. That one is over no later: what it waits for has no higher
   * position.
   *
   * <p>Shared by the thread that waits and the thread of the next one.
   */
  static final class SyncWait implements Wait {

    // Confined to the thread that waits.
    private @Nullable SyncWait before;
    private volatile boolean queued;
    private volatile @Nullable Thread next;

    /**
     * Creates it, in the turn that is going to wait.
     *
     * @param before the one that has begun before it; null if none can be waiting
     */
    SyncWait(@Nullable SyncWait before) {
      this.before = before == null || before.queued ? null : before.forNext();
    }

    private SyncWait forNext() {
      next = Thread.currentThread();
      return this;
    }

    /** Waits until the one before is in the queue of the gate. */
    void awaitEarlier() {
      if (before != null && park(before)) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public boolean isOver() {
      return queued;
    }

    /** Lets the next one queue. Called also if this one never queues. */
    void setQueued() {
      // Waits that overlap without a pause would keep all of their past.
      before = null;
      queued = true;
      LockSupport.unpark(next);
    }
  }

  /**
   * Reads from the disk outside of the turn, so that other events of the object may run meanwhile.
   * Nothing leaves the object by it, so it waits for no sync.
   *
   * @param turn of the object, whose current execution reads
   * @param read the read; not to be interrupted
   */
  public static void read(Turn turn, Runnable read) {
    Execution execution = turn.check();
    turn.enterEngine();
    turn.suspend(execution);
    try {
      read.run();
    } catch (RuntimeException | Error e) {
      turn.resume(execution);
      turn.storageFailed(e);
      throw e;
    }
    turn.resume(execution);
  }

  /**
   * Begins the next turn after an interruptible wait.
   *
   * @param execution the execution that waited
   * @param interrupted whether the wait was ended by an interrupt
   */
  public static void resume(Execution execution, boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    Turn turn = execution.turn();
    turn.resume(execution);
    if (interrupted) {
      throw new CallInterruptedException(
          turn.key().namespace(),
          turn.key().id(),
          "The object was interrupted while it waited for something it had started.");
    }
  }

  private static void awaitDurable(Execution execution, long dependency) {
    Turn turn = execution.turn();
    try {
      awaitOutside(turn, execution, dependency);
    } catch (JournalFailedException e) {
      turn.parts().journalFailed(e);
      // The thread that meets the failure first resets all instances, one after the other, and may
      // not have come to this one yet: it must not go on as if its writes were durable.
      turn.reset(ResetReason.RUNTIME_FAILED, "The object was reset because the journal failed.", e);
    } catch (StackOverflowError e) {
      turn.resetIfExhausted(e);
    } catch (RuntimeException | Error e) {
      throw turn.end().unwinding(e);
    }
  }

  private static void awaitOutside(Turn turn, Execution execution, long dependency) {
    // Set first and cleared last: no interrupt of a close may meet it.
    execution.setForDisk(true);
    boolean added = false;
    try {
      added = turn.waiting().add(execution);
      // By no lease, which believes a clock: a node that was deposed sends no mail.
      turn.awaitOutput(dependency, 1, Consistency.LINEARIZABLE);
    } finally {
      if (added) {
        turn.waiting().remove(execution);
      }
      execution.setForDisk(false);
    }
  }

  /**
   * What became of a stage. Written by the thread that completes it, read by the one that waits.
   */
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

  // ---- Waits for earlier calls of the same caller -------------------------------------------

  /**
   * Waits outside of all turns until asynchronous calls are delivered. Ends early when the thread
   * is interrupted, the caller gives up, or the object that makes the call is reset.
   *
   * @param last the call to wait for, with those ahead of it; null for none
   * @param caller the execution on whose thread the call is made; null outside of all objects
   * @param cancellation when to give up
   * @throws CallInterruptedException if the wait has ended early
   */
  public static void awaitEarlier(
      @Nullable SentCall last, @Nullable Execution caller, Cancellation cancellation) {
    Thread thread = Thread.currentThread();
    Runnable wake = () -> LockSupport.unpark(thread);
    SentCall before = SentCall.firstPending(last);
    while (before != null) {
      before.whenOver(wake);
      EarlierWait wait = new EarlierWait(before, caller, cancellation);
      if (park(wait)) {
        thread.interrupt();
      }
      if (!wait.isOver()) {
        before.forget(wake);
        throw withdrawal(before.target());
      }
      before = SentCall.firstPending(before);
    }
  }

  private record EarlierWait(SentCall before, @Nullable Execution caller, Cancellation cancellation)
      implements Wait {

    @Override
    public boolean isOver() {
      return before.isOver();
    }

    @Override
    public boolean stops(boolean interrupted) {
      return interrupted
          || cancellation.isRequested()
          || (caller != null && caller.turn().isReset());
    }
  }

  /**
   * Waits between two turns of an object that makes a call until its earlier ones are delivered.
   *
   * @param last the call to wait for, with those ahead of it
   * @param caller the execution that makes the call; its turn has ended
   * @throws CallInterruptedException if the thread was interrupted
   * @throws dev.holdfast.errors.MisuseException if this wait could never end
   */
  public static void awaitEarlierInside(SentCall last, Execution caller) {
    Turn turn = caller.turn();
    caller.setAwaited(new Earlier(last));
    turn.parts().deadlocks().refuseWait(caller);
    Runnable wake = caller::wake;
    SentCall before = SentCall.firstPending(last);
    while (before != null && !turn.isReset()) {
      before.whenOver(wake);
      boolean isInterrupted = parkUntil(caller, before::isOver);
      before.forget(wake);
      if (isInterrupted) {
        Thread.currentThread().interrupt();
        throw withdrawal(last.target());
      }
      before = SentCall.firstPending(before);
    }
    turn.unwindIfReset();
  }

  private static CallInterruptedException withdrawal(ObjectKey called) {
    return new CallInterruptedException(
        called.namespace(), called.id(), "The call was withdrawn before it was delivered.");
  }

  /** Calls that are to be delivered first. */
  private record Earlier(SentCall last) implements Pending {

    @Override
    public @Nullable Execution producer() {
      return null;
    }

    @Override
    public void producers(Consumer<Waiter> action) {
      last.producers(action);
    }
  }
}
