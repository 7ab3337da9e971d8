package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Produced;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.spi.ObjectKey;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that runs on a separate thread, while the caller waits beside it: because the caller waits
 * only for a time, and its thread cannot leave object code in the middle; or because the runtime
 * was asked for fresh threads.
 *
 * <p>Shared by the caller's thread, the thread that runs the call, and the clock's.
 */
final class TimedCall implements Cancellation, Produced, Waits.Wait {

  // states: WAITING -> BEGUN, or WAITING -> GIVEN_UP
  private enum State {
    WAITING,
    BEGUN,
    GIVEN_UP
  }

  private final Instances instances;
  private final ObjectId id;
  private final @Nullable Duration timeout;
  private final Cancellation callers;
  private final Thread caller = Thread.currentThread();
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

  /** The caller's execution; null outside of all objects. Set before the call is started. */
  private volatile @Nullable Execution waiter;

  /** The asynchronous call that the caller's thread is to make; null for none. */
  private final @Nullable SentCall sent;

  /** The last of the calls to be delivered before this one; null for none. */
  private final @Nullable SentCall last;

  /** Whether an action after a durable turn may wait for this call. */
  private final boolean ofAction;

  /** Those in other processes that wait for this call; null for none. */
  private final ExecutionStack.@Nullable MadeFor madeFor;

  /** Confined to the caller's thread. */
  private boolean callerInterrupted;

  private volatile boolean timeIsOver;
  private volatile @Nullable Thread runner;
  private volatile @Nullable Execution producer;
  private volatile @Nullable Reply reply;

  TimedCall(
      Instances instances,
      ObjectId id,
      @Nullable Duration timeout,
      ExecutionStack stack,
      Cancellation callers) {
    this.instances = instances;
    this.id = id;
    this.timeout = timeout;
    this.ofAction = stack.isOfAction();
    this.madeFor = stack.madeFor();
    this.callers = callers;
    if (stack.isOrdered()) {
      ObjectKey called = new ObjectKey(instances.name(), id);
      this.sent = stack.sentTo(called);
      this.last = stack.lastSent(called);
    } else {
      this.sent = null;
      this.last = null;
    }
  }

  /** {@return the object that is called} */
  ObjectKey called() {
    return new ObjectKey(instances.name(), id);
  }

  /** What the running thread brought back: the execution, or why there is none. */
  private record Reply(@Nullable Execution call, @Nullable Throwable failure) {}

  @Override
  public boolean isRequested() {
    return state.get() == State.GIVEN_UP || callers.isRequested();
  }

  @Override
  public boolean begin() {
    return callers.begin() && state.compareAndSet(State.WAITING, State.BEGUN);
  }

  @Override
  public @Nullable Execution producer() {
    // No execution waits for a call that was given up: it is not a part of a circle.
    return isRequested() || timeIsOver ? null : producer;
  }

  @Override
  public void producers(Consumer<Waiter> action) {
    Produced.super.producers(action);
    if (last != null && !isRequested() && !timeIsOver) {
      last.producers(action);
    }
  }

  @Override
  public void setProducer(@Nullable Execution execution) {
    producer = execution;
  }

  /** Makes the call for a caller outside of all objects. */
  @Nullable Object run(@Nullable Execution outer, Message message, boolean durable)
      throws Throwable {
    if (outer != null) {
      outer.setAwaited(this);
    }
    TimeSource.Timer timer;
    try {
      timer = start(outer, message, durable);
      Waits.park(this);
    } finally {
      if (outer != null) {
        outer.setAwaited(null); // its code may go on, and this call too
      }
    }
    boolean interrupted = callerInterrupted;
    timer.cancel();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return requireReply(interrupted).reply();
  }

  /** Makes the call for a caller inside of an object, whose turn was ended. */
  @Nullable Object runInside(Execution waiting, Message message) throws Throwable {
    boolean interrupted;
    waiting.setAwaited(this);
    waiter = waiting;
    try {
      TimeSource.Timer timer = start(waiting, message, /* durable= */ false);
      interrupted = Waits.parkUntil(waiting, this::isOver);
      timer.cancel();
    } catch (Throwable e) {
      waiting.setAwaited(null);
      waiting.turn().resume(waiting);
      throw e;
    }
    Execution call;
    try {
      call = requireReply(interrupted);
    } catch (Throwable e) {
      waiting.setAwaited(null);
      waiting.recordWrite(); // it goes on, perhaps
      Waits.resume(waiting, interrupted);
      throw e;
    }
    if (interrupted) {
      // The reply came all the same; the wait has cleared the flag.
      Thread.currentThread().interrupt();
    }
    Instances.resume(waiting, call);
    return call.reply();
  }

  @Override
  public boolean isOver() {
    return timeIsOver || reply != null;
  }

  @Override
  public void interrupted() {
    callerInterrupted = true;
  }

  @Override
  public boolean stops(boolean interrupted) {
    return callerInterrupted;
  }

  /** An interrupt counts also if the time is over, or the reply there, when the caller wakes. */
  @Override
  public void sleep() {
    LockSupport.park(this);
    callerInterrupted |= Thread.interrupted();
  }

  private TimeSource.Timer start(@Nullable Execution outer, Message message, boolean durable) {
    TimeSource.Timer timer =
        timeout == null
            ? () -> false
            : instances.parts().time().schedule(Delays.nanosOf(timeout), this::timeOut);
    try {
      instances.parts().start(() -> answer(outer, message, durable));
    } catch (RuntimeException | Error e) {
      // A thread may start although its start has failed: then its call goes on.
      if (state.compareAndSet(State.WAITING, State.GIVEN_UP)) {
        timer.cancel();
        throw e;
      }
    }
    return timer;
  }

  private void timeOut() {
    timeIsOver = true;
    wakeCaller();
  }

  private void wakeCaller() {
    Execution inside = waiter;
    if (inside == null) {
      LockSupport.unpark(caller);
    } else {
      inside.wake();
    }
  }

  /** Runs the call, on its separate thread. */
  private void answer(@Nullable Execution outer, Message message, boolean durable) {
    Reply answered;
    try {
      ExecutionStack stack = ExecutionStack.current();
      stack.carry(instances.parts(), message.position(), this, this);
      if (ofAction) {
        stack.setOfAction();
      }
      stack.setSent(sent);
      stack.setMadeFor(madeFor);
      runner = stack.thread();
      Waits.awaitEarlier(sent == null ? null : sent.ahead(), outer, this);
      Waits.awaitEarlier(last, outer, this);
      Execution call = instances.deliver(id, stack, outer, message);
      if (durable) {
        instances.awaitOutput(call, message.delivery());
      }
      answered = new Reply(call, null);
    } catch (Throwable e) {
      answered = new Reply(null, e);
    }
    reply = answered;
    wakeCaller();
  }

  private Execution requireReply(boolean interrupted) throws Throwable {
    Reply answered = reply;
    if (answered != null) {
      if (answered.failure() != null) {
        if (answered.failure() instanceof RuntimeClosedException closed
            && state.get() == State.WAITING) {
          RuntimeException _ = ExecutionStack.current().refused(closed); // on the other thread
        }
        throw Execution.withCaller(answered.failure(), runner);
      }
      if (answered.call() != null) {
        return answered.call();
      }
    }
    boolean begun = !state.compareAndSet(State.WAITING, State.GIVEN_UP);
    LockSupport.unpark(runner);
    if (interrupted) {
      throw new CallInterruptedException(
          instances.name(),
          id,
          begun
              ? "The thread was interrupted while it waited for the reply; the call goes on."
              : "The call was withdrawn before it was delivered.");
    }
    instances.recorder().callTimedOut();
    throw new ObjectCallTimeoutException(
        instances.name(), id, Objects.requireNonNull(timeout), begun);
  }
}
