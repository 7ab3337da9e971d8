package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous calls of each thread to each object of other nodes, one after the other. An
 * object therefore gets them in the order in which the thread has made them. Thread-safe.
 */
public final class RemoteCallOrder {

  private final Executor threads;

  /**
   * Of each thread, the calls that wait, by their object. An object of which one is under way has
   * an entry. Each map is its own lock.
   */
  private final Map<Thread, Map<ObjectId, Deque<AsyncCall<?>>>> waiting = new WeakHashMap<>();

  /**
   * Begins without calls.
   *
   * @param threads gives each call, which blocks, a thread of its own
   */
  public RemoteCallOrder(Executor threads) {
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
    Map<ObjectId, Deque<AsyncCall<?>>> own;
    synchronized (waiting) {
      own = waiting.computeIfAbsent(Thread.currentThread(), _ -> new HashMap<>());
    }
    AsyncCall<R> added = new AsyncCall<>(call);
    synchronized (own) {
      Deque<AsyncCall<?>> line = own.get(id);
      if (line != null) {
        line.add(added);
        return added.done;
      }
      own.put(id, new ArrayDeque<>());
    }
    begin(added, own, id);
    return added.done;
  }

  /** Begins a call, or the first of those that wait for it whose caller still wants it. */
  private void begin(
      @Nullable AsyncCall<?> first, Map<ObjectId, Deque<AsyncCall<?>>> own, ObjectId id) {
    for (AsyncCall<?> call = first; call != null; call = next(own, id)) {
      if (call.done.isDone()) {
        continue; // cancelled
      }
      try {
        AsyncCall<?> begun = call;
        threads.execute(() -> begun.make(() -> begin(next(own, id), own, id)));
        return;
      } catch (RejectedExecutionException e) {
        call.done.completeExceptionally(new RuntimeClosedException());
      }
    }
  }

  private static @Nullable AsyncCall<?> next(Map<ObjectId, Deque<AsyncCall<?>>> own, ObjectId id) {
    synchronized (own) {
      Deque<AsyncCall<?>> line = own.get(id);
      AsyncCall<?> next = line == null ? null : line.poll();
      if (next == null) {
        own.remove(id);
      }
      return next;
    }
  }

  /** A call, and its result, which may come before its end: it may be cancelled. */
  private static final class AsyncCall<R extends @Nullable Object> {

    private final Callable<R> call;
    private final CompletableFuture<R> done = new CompletableFuture<>();

    AsyncCall(Callable<R> call) {
      this.call = call;
    }

    /** Makes it on this thread. The next one begins at its end: a cancelled one may go on. */
    void make(Runnable ended) {
      Runnable end = done.isDone() ? () -> {} : made(); // cancelled before this thread ran
      // First: what depends on the result may wait for the next call.
      ended.run();
      end.run();
    }

    /** {@return what completes the result} */
    private Runnable made() {
      Thread thread = Thread.currentThread();
      CompletableFuture<?> _ =
          done.whenComplete(
              (_, _) -> {
                if (done.isCancelled()) {
                  thread.interrupt();
                }
              });
      try {
        R result = call.call();
        return () -> done.complete(result);
      } catch (Throwable e) {
        return () -> done.completeExceptionally(e);
      }
    }
  }
}
