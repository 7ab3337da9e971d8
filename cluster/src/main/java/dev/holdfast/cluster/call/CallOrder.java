package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
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
   * @param threads gives each call, which blocks, a thread of its own
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
    // Not the result: a call that is cancelled may still be under way, and must not come later.
    CompletableFuture<Void> ended = new CompletableFuture<>();
    CompletableFuture<?> before = own.put(id, ended);
    CompletableFuture<Void> _ = ended.whenComplete((_, _) -> own.remove(id, ended));
    if (before == null) {
      run(call, done, ended);
    } else {
      CompletableFuture<?> _ = before.whenComplete((_, _) -> run(call, done, ended));
    }
    return done;
  }

  /** A call that waited for an earlier one may come after the close, or be cancelled meanwhile. */
  private <R extends @Nullable Object> void run(
      Callable<R> call, CompletableFuture<R> done, CompletableFuture<Void> ended) {
    if (done.isDone()) {
      ended.complete(null);
      return;
    }
    try {
      threads.execute(() -> make(call, done, ended));
    } catch (RejectedExecutionException e) {
      ended.complete(null);
      done.completeExceptionally(new RuntimeClosedException());
    }
  }

  private static <R extends @Nullable Object> void make(
      Callable<R> call, CompletableFuture<R> done, CompletableFuture<Void> ended) {
    Thread thread = Thread.currentThread();
    CompletableFuture<?> _ =
        done.whenComplete(
            (_, _) -> {
              if (done.isCancelled()) {
                thread.interrupt();
              }
            });
    Runnable end;
    try {
      R result = call.call();
      end = () -> done.complete(result);
    } catch (Throwable e) {
      end = () -> done.completeExceptionally(e);
    }
    // First: what depends on the result may wait for the next call.
    ended.complete(null);
    end.run();
  }
}
