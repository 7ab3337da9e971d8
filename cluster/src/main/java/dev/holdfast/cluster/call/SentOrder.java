package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends the direct calls of each thread behind its asynchronous calls of the same object. A direct
 * call does not wait for the answers of those: they may need the direct call. Thread-safe.
 */
public final class SentOrder {

  /** The asynchronous call that the thread makes; none on other threads. */
  private static final ThreadLocal<@Nullable Unsent> MADE = new ThreadLocal<>();

  private final RemoteCallOrder order;
  private final Map<Thread, Map<ObjectId, CompletableFuture<Void>>> last = new WeakHashMap<>();

  private record Unsent(ObjectId id, CompletableFuture<Void> sent) {}

  /**
   * Begins without calls.
   *
   * @param order that of the asynchronous calls
   */
  public SentOrder(RemoteCallOrder order) {
    this.order = order;
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
    Map<ObjectId, CompletableFuture<Void>> own;
    synchronized (last) {
      own = last.computeIfAbsent(Thread.currentThread(), _ -> new ConcurrentHashMap<>());
    }
    CompletableFuture<Void> sent = new CompletableFuture<>();
    own.put(id, sent);
    CompletableFuture<Void> _ = sent.whenComplete((_, _) -> own.remove(id, sent));
    CompletableFuture<R> done =
        order.after(
            id,
            () -> {
              MADE.set(new Unsent(id, sent));
              try {
                return call.call();
              } finally {
                MADE.remove();
                sent.complete(null);
              }
            });
    // Also if it never begins: it was cancelled, or the node is closed.
    CompletableFuture<R> _ = done.whenComplete((_, _) -> sent.complete(null));
    return done;
  }

  /**
   * Returns what a direct call of this thread comes after.
   *
   * @param id the object
   * @return completes when the last asynchronous call of the object was sent, or has ended; null if
   *     it was, or there is none
   */
  public @Nullable CompletableFuture<Void> lastUnsent(ObjectId id) {
    synchronized (last) {
      Map<ObjectId, CompletableFuture<Void>> own = last.get(Thread.currentThread());
      return own == null ? null : own.get(id);
    }
  }

  /** This thread has sent a call: what is sent to the same node later comes later. */
  static void recordSent(ObjectId id) {
    Unsent made = MADE.get();
    if (made != null && made.id().equals(id)) {
      made.sent().complete(null);
    }
  }
}
