package dev.holdfast.runtime.internal.turn;

import dev.holdfast.TimeSource.Timer;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.gate.Section;
import dev.holdfast.runtime.internal.report.FailureReason;
import dev.holdfast.statistics.ResetReason;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs critical sections: code during which only events that it started itself are delivered to its
 * object. The gate keeps others out; this class opens and ends sections, bounds their time, and
 * makes their failure the end of the instance. Stateless.
 */
public final class Sections {

  private Sections() {}

  /**
   * See {@link dev.holdfast.ObjectContext#blockConcurrencyWhile}.
   *
   * @param <T> the result
   * @param turn of the object
   * @param timeout how long the section may take
   * @param closure the code
   * @return its result
   */
  public static <T extends @Nullable Object> T run(
      Turn turn, Duration timeout, Callable<T> closure) {
    Execution execution = turn.check();
    turn.enterEngine();
    int depth = depthInside(execution, "blockConcurrencyWhile()");
    turn.work().transactions().refuseWait();
    // What was written before belongs to the turn before: a failure of the section leaves it.
    turn.sealOrUnwind(execution);
    return enclose(
        execution,
        depth,
        timeout,
        closure,
        failure ->
            FailureReason.after(
                "A critical section failed; the object was reset", failure, turn.key()));
  }

  /**
   * Runs a transaction as a critical section, with what was written before sealed in front of it
   * and the transaction sealed at its end. Unlike in other sections, an exception is the caller's.
   *
   * @param <T> the result
   * @param <X> what the transaction may throw
   * @param turn of the object; no synchronous transaction is open
   * @param timeout how long the section may take
   * @param transaction begins and ends the transaction around its code
   * @return the result
   * @throws X what the transaction throws
   */
  public static <T extends @Nullable Object, X extends Exception> T runTransaction(
      Turn turn, Duration timeout, Transaction<T, X> transaction) throws X {
    Execution execution = turn.check();
    turn.enterEngine();
    int depth = depthInside(execution, "transaction()");
    turn.sealOrUnwind(execution);
    Section section = open(execution, depth);
    Timer timer = null;
    T result;
    try {
      timer = limit(turn, section, timeout);
      result = transaction.run();
    } catch (Throwable e) {
      cancel(timer);
      if (!turn.isHeldBy(execution)) {
        // Stack or memory ran out in a wait. The transaction is still open, and cannot be undone
        // without the turn; if the section ended, others would write into what is never sealed.
        turn.reset(
            ResetReason.SECTION_FAILED,
            "The object was reset because a transaction lost its turn.",
            e);
      }
      // After a reset the thread has no turn, and whatever it threw is dropped.
      turn.unwindIfReset();
      close(execution, section);
      throw e;
    }
    cancel(timer);
    close(execution, section);
    return result;
  }

  /**
   * What runs as a transaction.
   *
   * @param <T> the result
   * @param <X> what it may throw
   */
  @FunctionalInterface
  public interface Transaction<T extends @Nullable Object, X extends Exception> {

    /**
     * Runs it.
     *
     * @return the result
     * @throws X if it fails; rolled back
     */
    T run() throws X;
  }

  /**
   * Runs the creation of an instance: nothing but what it starts itself is delivered before it is
   * over. Does not count as a level of nesting.
   *
   * @param <T> the instance
   * @param execution in whose first turn it happens
   * @param timeout how long it may take
   * @param creation the migrations and the factory
   * @param messageOfFailure the message for callers if it fails
   * @return the instance
   */
  public static <T extends @Nullable Object> T runCreation(
      Execution execution,
      Duration timeout,
      Callable<T> creation,
      Function<Throwable, String> messageOfFailure) {
    return enclose(execution, 0, timeout, creation, messageOfFailure);
  }

  private static <T extends @Nullable Object> T enclose(
      Execution execution,
      int depth,
      Duration timeout,
      Callable<T> closure,
      Function<Throwable, String> messageOfFailure) {
    Turn turn = execution.turn();
    Section section = open(execution, depth);
    Timer timer = null;
    try {
      timer = limit(turn, section, timeout);
      T result = closure.call();
      // A closure that swallowed the unwinding of a reset ends here all the same.
      turn.check();
      close(execution, section);
      return result;
    } catch (Throwable e) {
      resetAfter(e, execution, messageOfFailure);
      throw new ResetError(turn.key().toString());
    } finally {
      cancel(timer);
    }
  }

  /**
   * Resets the instance because a section has failed; if that fails, the runtime stops. The section
   * is still open, nobody limits its time any more, and its code may catch the error.
   */
  private static void resetAfter(
      Throwable failure, Execution execution, Function<Throwable, String> messageOfFailure) {
    Turn turn = execution.turn();
    try {
      String message = messageOfFailure.apply(failure);
      ResetReason reason =
          failure instanceof VirtualMachineError
              ? ResetReason.EXHAUSTED
              : ResetReason.SECTION_FAILED;
      if (turn.isHeldBy(execution)) {
        turn.resetInTurn(reason, message, failure);
      } else {
        turn.reset(reason, message, failure);
      }
    } catch (RuntimeException | Error e) {
      throw turn.end().unwinding(e);
    }
  }

  private static int depthInside(Execution execution, String what) {
    Section around = execution.place();
    int depth = around == null ? 1 : around.depth() + 1;
    if (depth > RuntimeBounds.SECTIONS_NESTED_MAX) {
      Turn turn = execution.turn();
      throw new MisuseException(
          turn.key().namespace(),
          turn.key().id(),
          MisuseException.Reason.NESTED_TOO_DEEPLY,
          what
              + " calls are nested too deeply; at most "
              + RuntimeBounds.SECTIONS_NESTED_MAX
              + " may be nested.");
    }
    return depth;
  }

  private static Section open(Execution execution, int depth) {
    Turn turn = execution.turn();
    Section section = turn.gate().open(execution, depth);
    if (section == null) {
      throw new ResetError(turn.key().toString());
    }
    return section;
  }

  private static void close(Execution execution, Section section) {
    Turn turn = execution.turn();
    turn.sealOrUnwind(execution);
    turn.gate().close(section);
    turn.unwindIfReset();
  }

  private static Timer limit(Turn turn, Section section, Duration timeout) {
    EngineParts parts = turn.parts();
    return parts
        .time()
        .schedule(
            Delays.nanosOf(timeout),
            // On a separate thread: a reset may release a store, and timers must be short.
            () -> parts.start(() -> resetUnlessOver(turn, section, timeout)));
  }

  private static void cancel(@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private static void resetUnlessOver(Turn turn, Section section, Duration timeout) {
    if (!section.isOver()) {
      turn.reset(
          ResetReason.SECTION_FAILED,
          "The object was reset because a critical section took longer than "
              + timeout
              + " (NamespaceOptions.criticalSectionTimeout). Move what can take long out of it.",
          null);
    }
  }
}
