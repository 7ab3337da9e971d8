package dev.holdfast.runtime.internal.stub;

import dev.holdfast.InstanceResetException;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.internal.gate.CallOrder;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.runtime.internal.report.FailureLog;
import dev.holdfast.runtime.internal.turn.AsyncOrigin;
import dev.holdfast.runtime.internal.turn.EngineServices;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Outgoing;
import dev.holdfast.runtime.internal.turn.Patience;
import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call on a thread of its own, delivered after those that its caller has made before of the same
 * object. Cancelling it withdraws what was not delivered, and interrupts that thread. Thread-safe.
 *
 * @param <R> the result
 */
final class CallFuture<R extends @Nullable Object> extends AsyncOrigin<R>
    implements Outgoing, Patience {

  private final EngineServices services;
  private final Callable<R> call;
  private final SentCall sent;
  private volatile @Nullable Thread thread;

  CallFuture(EngineServices services, CallOrder order, ObjectKey target, Callable<R> call) {
    this.services = services;
    this.call = call;
    this.sent = order.add(target, this);
  }

  @Override
  public void send(@Nullable EngineServices from, long position) {
    try {
      Thread started = services.threads().newThread(() -> complete(from, position));
      thread = started;
      started.start();
    } catch (RuntimeException | Error e) {
      // No thread, no call. The turn that sends it is sealed and goes on.
      fail(e);
    }
  }

  @Override
  public void drop(RuntimeException reason) {
    fail(reason);
  }

  /** Ends a call that no thread will make. */
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

  /** Whoever completes the future from outside, or cancels it, wants no call any more. */
  @Override
  public boolean isExhausted() {
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

  private void warnIfNobodyWaits(Throwable failure) {
    if (isDone()
        || getNumberOfDependents() > 0
        || failure instanceof InstanceResetException
        || failure instanceof RuntimeClosedException
        || failure instanceof JournalFailedException) {
      return;
    }
    services.warnOfFailure(
        FailureLog.Kind.CALL,
        sent.target(),
        "An asynchronous call of "
            + sent.target()
            + " failed, and nobody waits for its result so far.",
        failure);
  }

  private void complete(@Nullable EngineServices from, long position) {
    try {
      if (!isDone()) {
        ExecutionStack stack = ExecutionStack.current();
        stack.carry(from, position, this, this);
        stack.setSent(sent);
        complete(call.call());
      }
    } catch (Throwable e) {
      // Whatever the call throws is its result.
      warnIfNobodyWaits(e);
      completeExceptionally(e);
    } finally {
      sent.ended();
    }
  }
}
