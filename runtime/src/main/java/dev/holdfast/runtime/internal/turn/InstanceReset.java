package dev.holdfast.runtime.internal.turn;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.internal.gate.Dismissal;
import dev.holdfast.runtime.internal.gate.InputGate;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.jfr.ResetEvent;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ResetReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of one instance, and what each execution in flight gets of it.
 *
 * <p>A reset may come from any thread. It records the reason, shuts the gate, and wakes every
 * thread that is parked in a wait. No object code of the instance begins a turn afterwards. A turn
 * that runs goes on in Java, because a thread cannot be stopped, but not in effect: its next use of
 * the context throws {@link ResetError}, and what it wrote is discarded. When it ends, or at once
 * if none runs, exactly one thread cleans up: discards the open store turn, releases the store, and
 * calls the {@link Turn.End}. Only then a successor may open the object's store. Thread-safe,
 * except for {@link #cleanUp}.
 */
final class InstanceReset {

  private final Turn turn;
  private final EngineParts parts;
  private final ObjectKey key;
  private final InputGate gate;
  private final TurnWork work;
  private final WaitingExecutions waiting;
  private final Turn.End end;

  /** Written once, under this. */
  private volatile @Nullable Reset reason;

  InstanceReset(Turn turn, InputGate gate, TurnWork work, WaitingExecutions waiting, Turn.End end) {
    this.turn = turn;
    this.parts = turn.parts();
    this.key = turn.key();
    this.gate = gate;
    this.work = work;
    this.waiting = waiting;
    this.end = end;
  }

  /** Resets the instance. Only the first reset counts. */
  void reset(ResetReason why, String message, @Nullable Throwable cause) {
    // Created first: a reset that has begun must not fail for lack of memory.
    Reset first = new Reset(key, message, cause, work.output().position());
    Dismissal dismissal = new Dismissal();
    synchronized (this) {
      if (reason != null) {
        return;
      }
      reason = first;
    }
    turn.recorder().reset(why);
    ResetEvent event = FlightRecording.isPossible() ? ResetEvent.begun() : null;
    try {
      work.interrupt();
    } finally {
      // Shut first: no waiter that wakes or queues is admitted any more.
      boolean isFirst = gate.shut(dismissal);
      try {
        waiting.wakeAll();
      } finally {
        if (event != null) {
          event.end(key, why, cause);
        }
        if (isFirst) {
          finish(dismissal);
        }
        // Last: a logger is code of the application.
        report(why, cause);
      }
    }
  }

  /**
   * The message is not logged: it may quote values of the object. The calls in flight have it, and
   * the cause; only a failure of the storage may meet an object without a call.
   */
  private void report(ResetReason why, @Nullable Throwable cause) {
    LogEvent event =
        switch (why) {
          case ABORTED, ADMINISTRATION, CLOSED, RUNTIME_FAILED -> LogEvent.OBJECT_RESET;
          case SECTION_FAILED, DEADLOCK, EXHAUSTED, ALARM_TIMEOUT, STORAGE_FAILED ->
              LogEvent.OBJECT_FAILED;
        };
    try {
      parts.report(
          event,
          key,
          () ->
              "The object "
                  + key
                  + " was reset: "
                  + why
                  + (cause == null ? "." : " by " + cause.getClass().getName() + "."),
          why == ResetReason.STORAGE_FAILED ? cause : null);
    } catch (OutOfMemoryError e) {
      // The reset is complete: a line that is missing must not look like a failure of it.
    }
  }

  private void finish(Dismissal dismissal) {
    if (dismissal.isCleaner()) {
      cleanUp();
    }
    dismissal.dismissAll();
  }

  /** Called by the one thread that is left with the shut gate. */
  void cleanUp() {
    List<Outgoing> messages = work.takeMessages();
    // One after the other: an object that is reset often during one turn has a chain of successors,
    // for which no stack is deep enough.
    Turn next = release();
    while (next != null) {
      next = next.letIn();
    }
    // Last: it may run code of the application, which may call this object and wait for it.
    for (Outgoing message : messages) {
      message.drop(dismissal());
    }
  }

  /**
   * As {@link #cleanUp}, for an instance without a turn, and so without messages.
   *
   * @return the successor to be let in; null if there is none
   */
  @Nullable Turn endUnbegun() {
    assert work.takeMessages().isEmpty();
    return release();
  }

  private @Nullable Turn release() {
    try {
      releaseStore();
    } catch (RuntimeException | Error e) {
      parts.engineFailed(e);
    }
    try {
      turn.recorder().end(turn.counts());
      return end.terminated();
    } catch (RuntimeException | Error e) {
      parts.engineFailed(e);
      return null;
    }
  }

  private void releaseStore() {
    try {
      work.release();
    } catch (RuntimeException | Error e) {
      parts.warn("The store of " + key + " could not be released.", e);
    }
  }

  // ---- What those in flight get -------------------------------------------------------------

  boolean hasHappened() {
    return reason != null;
  }

  /**
   * {@return whether no code of the object may go on: it was reset, or must be as soon as there is
   * memory for that, because the engine has failed}
   */
  boolean isDue() {
    return parts.failure().pending() != null || reason != null;
  }

  void unwind() {
    if (isDue()) {
      throw error();
    }
  }

  ResetError error() {
    return new ResetError(key.toString());
  }

  /**
   * Stops the runtime because of an error in the engine's own work, unless it is a reset.
   *
   * @param failure the error
   * @return for the code of the object, which must not go on
   */
  ResetError unwinding(Throwable failure) {
    if (failure instanceof ResetError unwinding) {
      return unwinding;
    }
    parts.engineFailed(failure);
    return error();
  }

  /** Returns what the message of the reset depends on. */
  long position() {
    Reset happened = reason;
    if (happened != null) {
      return happened.position();
    }
    return isDue() ? work.output().position() : Journal.START;
  }

  /** Returns what an execution in flight gets; what its code threw stays here. */
  @SuppressWarnings("ReferenceEquality") // the equals() of an exception is code of the application
  InstanceResetException exceptionFor(Execution execution, @Nullable Throwable dropped) {
    InstanceResetException given = reason().toException(execution.wrote());
    if (dropped != null && !(dropped instanceof ResetError) && dropped != given.getCause()) {
      parts.log().note("The code of " + key + " threw this after its reset; dropped.", dropped);
    }
    return given;
  }

  /** Returns what an event gets that never ran. */
  InstanceResetException dismissal() {
    return reason().dismissal();
  }

  private Reset reason() {
    Throwable error = parts.failure().pending(); // first: it is cleared after the resets
    Reset happened = reason;
    if (happened != null) {
      return happened;
    }
    if (error != null) {
      return new Reset(key, EngineFailure.resetMessage(error), error, work.output().position());
    }
    // An idle instance ended quietly: only a timer of a closing runtime can come too late.
    return new Reset(key, "The object was stopped.", null, Journal.START);
  }
}
