package dev.holdfast.runtime.internal.turn;

import dev.holdfast.spi.Journal;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stops a runtime whose journal or engine has failed, and knows what it has lost. One for a
 * runtime. Thread-safe.
 */
public final class EngineFailure {

  private volatile Consumer<RuntimeException> journalFailed = _ -> {};
  private volatile Consumer<Throwable> engineFailed = _ -> {};

  /** An error in the engine's own work, until every instance was reset. */
  private volatile @Nullable Throwable pending;

  /** The last batch that no message waited for; most are durable soon after. */
  private final LongAccumulator lastUnconfirmed = new LongAccumulator(Math::max, Journal.START);

  /** Creates the failure of a runtime that has not failed. */
  public EngineFailure() {}

  /**
   * Sets what stops the runtime. Called once, before the first event.
   *
   * @param byJournal called each time a thread meets the failure of the journal; resets every
   *     instance
   * @param byEngine called each time an error strikes in the engine's own work; resets every
   *     instance
   */
  public void onFailure(Consumer<RuntimeException> byJournal, Consumer<Throwable> byEngine) {
    journalFailed = byJournal;
    engineFailed = byEngine;
  }

  void journalFailed(RuntimeException thrown) {
    journalFailed.accept(thrown);
  }

  void engineFailed(Throwable error) {
    // One write, as there may be no memory for more: then the sweeper does the rest.
    pending = error;
    stopIfEngineFailed();
  }

  /** {@return an error in the engine's own work, after which not every instance was reset yet} */
  @Nullable Throwable pending() {
    return pending;
  }

  /** Stops the runtime if {@link #engineFailed} could not; called by the sweeper. */
  public void stopIfEngineFailed() {
    Throwable error = pending;
    if (error != null) {
      try {
        engineFailed.accept(error);
        pending = null;
      } catch (RuntimeException | Error again) {
        // The first one is the cause; this is tried again.
        pending = error;
      }
    }
  }

  /**
   * {@return the message of the resets after an error in the engine's own work}
   *
   * @param error the error
   */
  public static String resetMessage(Throwable error) {
    return isExhaustion(error)
        ? "The object was reset because the runtime ran out of stack or memory."
        : "The object was reset because the runtime failed with an unexpected error.";
  }

  /**
   * {@return whether an error means that stack or memory has run out}
   *
   * @param error the error
   */
  public static boolean isExhaustion(Throwable error) {
    return error instanceof StackOverflowError || error instanceof OutOfMemoryError;
  }

  /**
   * Records a batch that messages leave without.
   *
   * @param position its position in the journal
   */
  void recordUnconfirmed(long position) {
    lastUnconfirmed.accumulate(position);
  }

  /** {@return the position of the last batch that messages left without} */
  public long lastUnconfirmed() {
    return lastUnconfirmed.get();
  }
}
