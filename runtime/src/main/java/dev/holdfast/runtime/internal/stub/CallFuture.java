package dev.holdfast.runtime.internal.stub;

import dev.holdfast.InstanceResetException;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.gate.CallOrder;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.runtime.internal.turn.AsyncOrigin;
import dev.holdfast.runtime.internal.turn.CalledFrom;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Outgoing;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call on a separate thread, delivered after earlier calls of the same caller to the same object.
 * Cancelling it withdraws the call if it was not delivered, and interrupts that thread.
 * Thread-safe.
 *
 * @param <R> the result
 */
final class CallFuture<R extends @Nullable Object> extends AsyncOrigin<R>
    implements Outgoing, Cancellation {

  private final EngineParts parts;
  private final Headers headers;
  private final Callable<R> call;
  private final SentCall sent;

  /** Whether an action after a durable turn may wait for this call. */
  private final boolean ofAction = ExecutionStack.current().isOfAction();

  /** The stack of the call; null if failures do not have it. */
  private final @Nullable CalledFrom caller;

  private volatile @Nullable Thread thread;

  CallFuture(
      EngineParts parts,
      CallOrder order,
      ObjectKey target,
      Headers headers,
      @Nullable CalledFrom caller,
      Callable<R> call) {
    this.parts = parts;
    this.caller = caller;
    this.headers = headers;
    this.call = call;
    this.sent = order.add(target, this);
  }

  @Override
  public void send(@Nullable EngineParts from, long position) {
    try {
      Thread started = parts.threads().newThread(() -> complete(from, position));
      thread = started;
      started.start();
    } catch (RuntimeException | Error e) {
      // Without a thread there is no call. The turn that sends it is sealed and continues.
      fail(e);
    }
  }

  @Override
  public void drop(RuntimeException reason) {
    fail(reason);
  }

  /** Fails a call that no thread makes. */
  void fail(Throwable reason) {
    sent.ended();
    completeExceptionally(reason);
  }

  @Override
  public void producers(Consumer<Waiter> action) {
    super.producers(action);
    SentCall before = sent.ahead();
    if (before != null) {
      before.producers(action);
    }
  }

  /** Code that completes or cancels the future from outside no longer needs the call. */
  @Override
  public boolean isRequested() {
    return isDone();
  }

  @Override
  public boolean begin() {
    return !isDone();
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    Thread running = thread;
    if (cancelled && running != null) {
      running.interrupt();
    }
    return cancelled;
  }

  private void warnIfUnobserved(Throwable failure) {
    if (isDone()
        || getNumberOfDependents() > 0
        || failure instanceof InstanceResetException
        || failure instanceof RuntimeClosedException
        || failure instanceof JournalFailedException) {
      return;
    }
    parts.report(
        LogEvent.CALL_FAILED,
        sent.target(),
        () ->
            "An asynchronous call of "
                + sent.target()
                + " failed, and no caller waits for its result.",
        failure);
  }

  private void complete(@Nullable EngineParts from, long position) {
    try {
      if (!isDone()) {
        ExecutionStack stack = ExecutionStack.current();
        stack.carry(from, position, this, this);
        stack.carryHeaders(headers);
        if (ofAction) {
          stack.setOfAction();
        }
        stack.setSent(sent);
        complete(call.call());
      }
    } catch (Throwable e) {
      // Anything that the call throws is its result.
      if (caller != null) {
        caller.addTo(e);
      }
      warnIfUnobserved(e);
      completeExceptionally(e);
    } finally {
      sent.ended();
    }
  }
}
