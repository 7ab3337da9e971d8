package dev.holdfast.cluster.object;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the owner of a shard again and again for what it has begun, less often the longer that
 * takes: each answer is proven through the log. The owner can be another one by then. Thread-safe.
 */
final class OwnerPolling {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final Duration PAUSE_MIN = Duration.ofMillis(500);

  private static final Duration PAUSE_MAX = Duration.ofSeconds(10);

  private final TimeSource time;
  private final Executor work;

  /**
   * @param time says when to ask again
   * @param work runs what blocks
   */
  OwnerPolling(TimeSource time, Executor work) {
    this.time = time;
    this.work = work;
  }

  /**
   * Asks at once, on this thread, and then until there is an answer. A shard without an owner is
   * asked again.
   *
   * @param question gives the answer; null if there is none yet
   * @return completes with the answer; fails as a later question does
   * @throws RuntimeException as the first question
   */
  <R> CompletableFuture<R> ask(Supplier<@Nullable R> question) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    ask(question, answer, PAUSE_MIN);
    return answer;
  }

  /**
   * Asks as {@link #ask} does, for the first time after a pause.
   *
   * @return completes with the answer; fails as a question does
   */
  <R> CompletableFuture<R> askLater(Supplier<@Nullable R> question) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    askLater(question, answer, PAUSE_MIN);
    return answer;
  }

  private <R> void ask(
      Supplier<@Nullable R> question, CompletableFuture<R> answer, Duration pause) {
    R given = null;
    try {
      given = question.get();
    } catch (ObjectUnavailableException e) {
      LOG.log(Level.DEBUG, "The shard has no owner now; it is asked again.", e);
    }
    if (given == null) {
      askLater(question, answer, pause);
    } else {
      answer.complete(given);
    }
  }

  private <R> void askLater(
      Supplier<@Nullable R> question, CompletableFuture<R> answer, Duration pause) {
    time.schedule(
        pause.toNanos(), () -> work.execute(() -> askAgain(question, answer, longer(pause))));
  }

  private <R> void askAgain(
      Supplier<@Nullable R> question, CompletableFuture<R> answer, Duration pause) {
    try {
      ask(question, answer, pause);
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    }
  }

  /** The end is noticed late by a quarter of the time that it took, at most. */
  private static Duration longer(Duration pause) {
    Duration next = pause.plus(pause.dividedBy(4));
    return next.compareTo(PAUSE_MAX) < 0 ? next : PAUSE_MAX;
  }

  /** {@return completes when all have, or fails with the first that fails} */
  static CompletableFuture<Void> allOf(List<? extends CompletableFuture<?>> answers) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    for (CompletableFuture<?> each : answers) {
      var _ =
          each.whenComplete(
              (_, cause) -> {
                if (cause != null) {
                  all.completeExceptionally(cause);
                }
              });
    }
    var _ =
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
            .thenRun(() -> all.complete(null));
    return all;
  }
}
