package dev.holdfast.runtime.internal.turn;

import dev.holdfast.CriticalSectionException;
import dev.holdfast.runtime.internal.gate.Section;
import dev.holdfast.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.concurrent.Callable;
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
    Section around = execution.place();
    int depth = around == null ? 1 : around.depth() + 1;
    if (depth > Section.DEPTH_MAX) {
      throw new CriticalSectionException(
          turns.key().namespace(),
          turns.key().id(),
          "blockConcurrencyWhile() calls are nested too deeply; at most "
              + Section.DEPTH_MAX
              + " may be nested.");
    }
    // What was written before belongs to the turn before: a failure of the section leaves it.
    turns.sealOrUnwind(execution);
    return enclose(
        execution, depth, timeout, closure, "A critical section failed; the object was reset.");
  }

  /**
   * Runs the creation of an instance: nothing but what it starts itself is delivered before it is
   * over. Does not count as a level of nesting.
   *
   * @param <T> the instance
   * @param execution in whose first turn it happens
   * @param timeout how long it may take
   * @param creation the factory
   * @return the instance
   */
  public static <T extends @Nullable Object> T runCreation(
      Execution execution, Duration timeout, Callable<T> creation) {
    return enclose(
        execution, 0, timeout, creation, "The object could not be created; its factory failed.");
  }

  private static <T extends @Nullable Object> T enclose(
      Execution execution,
      int depth,
      Duration timeout,
      Callable<T> closure,
      String messageOfFailure) {
    Turns turns = execution.turns();
    Section section = turns.gate().open(execution, depth);
    if (section == null) {
      throw new ResetError(turns.key().toString());
    }
    Timer timer = limit(turns, section, timeout);
    try {
      T result = closure.call();
      // A closure that swallowed the unwinding of a reset ends here all the same.
      turns.check();
      turns.sealOrUnwind(execution);
      turns.gate().close(section);
      turns.unwindIfReset();
      return result;
    } catch (Throwable e) {
      turns.reset(messageOfFailure, e);
      throw new ResetError(turns.key().toString());
    } finally {
      timer.cancel();
    }
  }

  private static Timer limit(Turns turns, Section section, Duration timeout) {
    EngineServices services = turns.services();
    return services
        .time()
        .schedule(
            timeout.toNanos(),
            // On a thread of its own: a reset may release a store, and timers must be short.
            () -> services.start(() -> resetUnlessOver(turns, section, timeout)));
  }

  private static void resetUnlessOver(Turns turns, Section section, Duration timeout) {
    if (!section.isOver()) {
      turns.reset(
          "The object was reset because a critical section took longer than " + timeout + ".",
          null);
    }
  }
}
