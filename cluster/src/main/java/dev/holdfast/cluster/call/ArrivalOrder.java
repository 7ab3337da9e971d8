package dev.holdfast.cluster.call;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives the end of a future to all that wait for it, in the order in which they came; a future by
 * itself begins with the last one. Thread-safe.
 *
 * @param <T> the type of results
 */
public final class ArrivalOrder<T> {

  /** What waits for a future, until all of it has the end. */
  private final IdentityHashMap<CompletableFuture<T>, Deque<BiConsumer<T, @Nullable Throwable>>>
      waiting = new IdentityHashMap<>(); // guarded by itself

  /** Begins without any. */
  public ArrivalOrder() {}

  /**
   * Gives the end to one more: here and now if it is there, and all that came before have it.
   *
   * @param future ends once
   * @param action gets the result, or why there is none
   */
  public void whenDone(CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> action) {
    boolean isFirst;
    synchronized (waiting) {
      Deque<BiConsumer<T, @Nullable Throwable>> line = waiting.get(future);
      if (line != null) {
        line.add(action);
        return;
      }
      isFirst = !future.isDone();
      if (isFirst) {
        waiting.put(future, new ArrayDeque<>(List.of(action)));
      }
    }
    CompletableFuture<T> _ = future.whenComplete(isFirst ? (_, _) -> giveAll(future) : action);
  }

  private void giveAll(CompletableFuture<T> future) {
    for (BiConsumer<T, @Nullable Throwable> next = next(future);
        next != null;
        next = next(future)) {
      CompletableFuture<T> _ = future.whenComplete(next); // what it throws is not for the others
    }
  }

  private @Nullable BiConsumer<T, @Nullable Throwable> next(CompletableFuture<T> future) {
    synchronized (waiting) {
      Deque<BiConsumer<T, @Nullable Throwable>> line = waiting.get(future);
      BiConsumer<T, @Nullable Throwable> next = line == null ? null : line.poll();
      if (next == null) {
        waiting.remove(future);
      }
      return next;
    }
  }
}
