package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.RatisInternals;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * The chain of a follower's appends. As Ratis 3.3.0 makes it,
 *
 * <ul>
 *   <li>each runs on the common pool of the JVM. That is the application's: on two processors it
 *       has one thread, and an application that blocks its threads in calls, which wait for these
 *       very appends on three nodes, would hold the log for ever;
 *   <li>entries that are sent again while the first ones wait are acknowledged with those, if both
 *       begin with the same index, even if there are more of them. The leader would count entries
 *       that no disk has, and could send them to this follower never again;
 *   <li>one that fails lets all later ones fail.
 * </ul>
 *
 * <p>There is no option for any of this, so the last future of the chain is replaced by one of
 * another class, by reflection.
 */
final class FollowerAppends {

  /** Whether the entries that Ratis appends on this thread may be written, or acknowledged. */
  private static final ThreadLocal<@Nullable BooleanSupplier> CHECK = new ThreadLocal<>();

  private FollowerAppends() {}

  /**
   * Hands a request to Ratis, which chains its entries on this thread.
   *
   * @param isValid asked again when it is their turn, and before they are acknowledged
   * @param request the work
   */
  static void checkedBy(BooleanSupplier isValid, Runnable request) {
    CHECK.set(isValid);
    try {
      request.run();
    } finally {
      CHECK.remove();
    }
  }

  /**
   * Takes over the appends of a division, from the next one on.
   *
   * @param hasFailed whether the log cannot be written any more. Ratis takes entries for written
   *     that it has in memory, and would acknowledge those that come again
   * @return whether nothing is about to be written
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  static BooleanSupplier takeOver(RaftServer.Division division, BooleanSupplier hasFailed) {
    return takeOver(RatisInternals.valueOf(division, "appendLogTermIndices"), hasFailed);
  }

  /**
   * Takes over a chain.
   *
   * @param indices what Ratis keeps it in
   */
  static BooleanSupplier takeOver(Object indices, BooleanSupplier hasFailed) {
    @SuppressWarnings("unchecked")
    AtomicReference<CompletableFuture<Void>> last =
        (AtomicReference<CompletableFuture<Void>>) RatisInternals.valueOf(indices, "future");
    last.updateAndGet(before -> Append.after(before, hasFailed));
    return () -> last.get().isDone();
  }

  /** An append, as it is kept in the chain. */
  private static final class Append<T> extends CompletableFuture<T> {

    private static final Executor THREADS =
        append -> Thread.ofVirtual().name("holdfast-log-append").start(append);

    private final BooleanSupplier hasFailed;

    private Append(BooleanSupplier hasFailed) {
      this.hasFailed = hasFailed;
    }

    static <T> CompletableFuture<T> after(CompletionStage<T> before, BooleanSupplier hasFailed) {
      Append<T> append = new Append<>(hasFailed);
      var _ = before.whenComplete(append::settle);
      return append;
    }

    private void settle(T value, @Nullable Throwable failure) {
      if (failure == null) {
        complete(value);
      } else {
        completeExceptionally(failure);
      }
    }

    /**
     * Chains the next append. It was compared with those before it, of which one may fail, or with
     * a log to which another leader may write first, so it is compared again. Once it is written it
     * is compared once more: a vote for the next leader may have been given before the log had it.
     */
    @Override
    public <U> CompletableFuture<U> thenComposeAsync(
        Function<? super T, ? extends CompletionStage<U>> next) {
      BooleanSupplier check = CHECK.get();
      return after(
          handle((value, _) -> value)
              .thenComposeAsync(
                  value -> {
                    if (hasFailed.getAsBoolean()) {
                      throw new IllegalStateException("The log cannot be written any more.");
                    }
                    require(check);
                    return next.apply(value);
                  },
                  THREADS)
              .thenApplyAsync(
                  written -> {
                    require(check);
                    return written;
                  },
                  THREADS),
          hasFailed);
    }

    private static void require(@Nullable BooleanSupplier check) {
      if (check != null && !check.getAsBoolean()) {
        throw new IllegalStateException("The message does not follow the log; send it again.");
      }
    }

    /**
     * Answers the sender of entries of which the first ones were on their way: an error, so that
     * they are sent again. The sender of an append is answered by what follows it in another way.
     */
    @Override
    public CompletableFuture<T> whenCompleteAsync(
        BiConsumer<? super T, ? super Throwable> action, Executor executor) {
      return super.whenCompleteAsync(action, executor)
          .thenCompose(
              _ ->
                  CompletableFuture.failedFuture(
                      new IllegalStateException("Entries are being appended; send them again.")));
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }
  }
}
