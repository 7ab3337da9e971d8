package dev.holdfast.runtime.internal.instance;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.internal.turn.AsyncOrigin;
import dev.holdfast.runtime.internal.turn.BackgroundEvent;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ExecutionStatus;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A second line of execution inside an object. Confined to its own thread once that runs.
 *
 * @param <T> the result
 */
final class AsyncTask<T extends @Nullable Object> implements BackgroundEvent {

  private final Instance instance;
  private final Callable<T> code;
  private final AsyncOrigin<T> future = new AsyncOrigin<>();
  private @Nullable T result;

  AsyncTask(Instance instance, Callable<T> code) {
    this.instance = instance;
    this.code = code;
  }

  @Override
  public ExecutionStatus.Kind kind() {
    return ExecutionStatus.Kind.TASK;
  }

  AsyncOrigin<T> future() {
    return future;
  }

  @Override
  public void run() throws Exception {
    result = code.call();
  }

  @Override
  @SuppressWarnings("NullAway") // a callable of T has returned a T
  public void ended(@Nullable Throwable failure) {
    future.setProducer(null);
    instance.unpin();
    if (failure == null) {
      future.complete(result);
    } else {
      if (future.getNumberOfDependents() == 0 && !(failure instanceof InstanceResetException)) {
        ObjectKey key = instance.turn().key();
        instance
            .turn()
            .parts()
            .report(
                LogEvent.TASK_FAILED,
                key,
                () ->
                    "A task of "
                        + key
                        + " failed and is not repeated; no caller waits for its result.",
                failure);
      }
      future.completeExceptionally(failure);
    }
  }
}
