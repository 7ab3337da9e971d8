package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous calls of each thread to each object of other nodes, one after the other. An
 * object therefore gets them in the order in which the thread has made them. Thread-safe.
 */
public final class CallOrder {

  private final ExecutorService threads;
  private final Map<Thread, Map<ObjectId, CompletableFuture<?>>> last = new WeakHashMap<>();

  /**
   * Begins without calls.
   *
   * @param threads run calls, which block
   */
  public CallOrder(ExecutorService threads) {
    this.threads = threads;
  }

  /**
   * Makes a call after those that this thread has made of the same object.
   *
   * @param <R> the type of the result
   * @param id the object
   * @param call the call, which blocks
   * @return its result; cancelling it interrupts the call
   */
  public <R extends @Nullable Object> CompletableFuture<R> after(ObjectId id, Callable<R> call) {
    Map<ObjectId, CompletableFuture<?>> own;
    synchronized (last) {
      own = last.computeIfAbsent(Thread.currentThread(), _ -> new ConcurrentHashMap<>());
    }
    CompletableFuture<R> done = new CompletableFuture<>();
    CompletableFuture<?> before = own.put(id, done);
    CompletableFuture<R> _ = done.whenComplete((_, _) -> own.remove(id, done));
    Runnable task =
        () -> {
          try {
            done.complete(call.call());
          } catch (Throwable e) {
            done.completeExceptionally(e);
          }
        };
    if (before == null) {
      run(task, done);
    } else {
      CompletableFuture<?> _ = before.whenComplete((_, _) -> run(task, done));
    }
    return done;
  }

  /** A call that waited for an earlier one may come after the close, or be cancelled meanwhile. */
  private void run(Runnable task, CompletableFuture<?> done) {
    if (done.isDone()) {
      return;
    }
    try {
      Future<?> running = threads.submit(task);
      CompletableFuture<?> _ =
          done.whenComplete(
              (_, _) -> {
                if (done.isCancelled()) {
                  running.cancel(true);
                }
              });
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(new RuntimeClosedException());
    }
  }
}
