package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.gate.Headroom;
import dev.holdfast.runtime.internal.gate.Section;
import dev.holdfast.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs critical sections: code during which only events that it started itself are delivered to its
 * object. The gate keeps others out; this class opens and ends sections, bounds their time, and
 * makes their failure the end of the instance. Stateless.
 */
public final class CriticalSections {

  private CriticalSections() {}

  /**
   * See {@link dev.holdfast.ObjectContext#blockConcurrencyWhile}.
   *
   * @param <T> the result
   * @param turns of the object
   * @param timeout how long the section may take
   * @param closure the code
   * @return its result
   */
  public static <T extends @Nullable Object> T run(
      Turns turns, Duration timeout, Callable<T> closure) {
    Execution execution = turns.check();
    int depth = depthInside(execution, "blockConcurrencyWhile()");
    turns.transactions().refuseWait();
    // What was written before belongs to the turn before: a failure of the section leaves it.
    turns.sealOrUnwind(execution);
    return enclose(
        execution,
        depth,
        timeout,
        closure,
        _ -> "A critical section failed; the object was reset.");
  }

  /**
   * Runs a transaction as a critical section, with what was written before sealed in front of it
   * and the transaction sealed at its end. Unlike in other sections, an exception is the caller's.
   *
   * @param <T> the result
   * @param <X> what the transaction may throw
   * @param turns of the object; no synchronous transaction is open
   * @param timeout how long the section may take
   * @param transaction begins and ends the transaction around its code
   * @return the result
   * @throws X what the transaction throws
   */
  public static <T extends @Nullable Object, X extends Exception> T runTransaction(
      Turns turns, Duration timeout, Transaction<T, X> transaction) throws X {
    Execution execution = turns.check();
    int depth = depthInside(execution, "transaction()");
    turns.sealOrUnwind(execution);
    Section section = open(execution, depth);
    Timer timer = null;
    T result;
    try {
      timer = limit(turns, section, timeout);
      result = transaction.run();
    } catch (Throwable e) {
      cancel(timer);
      if (!turns.isRunning(execution)) {
        // Stack or memory ran out in a wait. The transaction is still open, and cannot be undone
        // without the turn; if the section ended, others would write into what is never sealed.
        turns.reset("The object was reset because a transaction lost its turn.", e);
      }
      // After a reset the thread has no turn, and whatever it threw is dropped.
      turns.unwindIfReset();
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
   * @param messageOfFailure what callers are told if it fails
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
    Turns turns = execution.turns();
    Section section = open(execution, depth);
    Timer timer = null;
    try {
      timer = limit(turns, section, timeout);
      T result = closure.call();
      // A closure that swallowed the unwinding of a reset ends here all the same.
      turns.check();
      close(execution, section);
      return result;
    } catch (Throwable e) {
      String message = messageOfFailure.apply(e);
      if (turns.isRunning(execution)) {
        turns.resetInTurn(message, e);
      } else {
        turns.reset(message, e);
      }
      throw new ResetError(turns.key().toString());
    } finally {
      cancel(timer);
    }
  }

  private static int depthInside(Execution execution, String what) {
    Section around = execution.place();
    int depth = around == null ? 1 : around.depth() + 1;
    if (depth > Section.DEPTH_MAX) {
      Turns turns = execution.turns();
      throw new MisuseException(
          turns.key().namespace(),
          turns.key().id(),
          MisuseException.Reason.NESTED_TOO_DEEPLY,
          what + " calls are nested too deeply; at most " + Section.DEPTH_MAX + " may be nested.");
    }
    return depth;
  }

  private static Section open(Execution execution, int depth) {
    Turns turns = execution.turns();
    Headroom.require();
    Section section = turns.gate().open(execution, depth);
    if (section == null) {
      throw new ResetError(turns.key().toString());
    }
    return section;
  }

  private static void close(Execution execution, Section section) {
    Turns turns = execution.turns();
    turns.sealOrUnwind(execution);
    turns.gate().close(section);
    turns.unwindIfReset();
  }

  private static Timer limit(Turns turns, Section section, Duration timeout) {
    EngineServices services = turns.services();
    return services
        .time()
        .schedule(
            Delays.nanosOf(timeout),
            // On a thread of its own: a reset may release a store, and timers must be short.
            () -> services.start(() -> resetUnlessOver(turns, section, timeout)));
  }

  private static void cancel(@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private static void resetUnlessOver(Turns turns, Section section, Duration timeout) {
    if (!section.isOver()) {
      turns.reset(
          "The object was reset because a critical section took longer than " + timeout + ".",
          null);
    }
  }
}
