package dev.holdfast.runtime.internal.stub;

import dev.holdfast.runtime.internal.turn.AsyncOrigin;
import dev.holdfast.runtime.internal.turn.EngineServices;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Outgoing;
import dev.holdfast.runtime.internal.turn.Patience;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A call on a thread of its own. Cancelling it withdraws what was not delivered, and interrupts
 * that thread. Thread-safe.
 *
 * @param <R> the result
 */
final class CallFuture<R extends @Nullable Object> extends AsyncOrigin<R>
    implements Outgoing, Patience {

  private final EngineServices services;
  private final Callable<R> call;
  private volatile @Nullable Thread thread;

  CallFuture(EngineServices services, Callable<R> call) {
    this.services = services;
    this.call = call;
  }

  @Override
  public void send(@Nullable EngineServices from, long position) {
    try {
      Thread started = services.threads().newThread(() -> complete(from, position));
      thread = started;
      started.start();
    } catch (RuntimeException | Error e) {
      // No thread, no call. The turn that sends it is sealed and goes on.
      completeExceptionally(e);
    }
  }

  @Override
  public void drop(RuntimeException reason) {
    completeExceptionally(reason);
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

  private void complete(@Nullable EngineServices from, long position) {
    if (isDone()) {
      return;
    }
    ExecutionStack.current().carry(from, position, this, this);
    try {
      complete(call.call());
    } catch (Throwable e) {
      // Whatever the call throws is its result.
      completeExceptionally(e);
    }
  }
}
