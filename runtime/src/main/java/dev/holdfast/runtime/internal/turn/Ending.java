package dev.holdfast.runtime.internal.turn;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.internal.gate.Dismissal;
import dev.holdfast.runtime.internal.gate.Headroom;
import dev.holdfast.spi.Journal;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How an instance ends: by a reset, or quietly when nothing goes on in it.
 *
 * <p><b>Reset.</b> {@link #reset} may be called by any thread. It notes the reason, shuts the gate,
 * and wakes whoever is parked in a wait. No object code of the instance begins a turn afterwards. A
 * turn that runs goes on in Java, because a thread cannot be stopped, but not in effect: its next
 * use of the context throws {@link ResetError}, and what it wrote is discarded. When it ends, or at
 * once if none runs, exactly one thread cleans up: discards the open store turn, releases the
 * store, and tells the {@link InstanceEnd}. Only then a successor may open the object's store.
 *
 * <p><b>Lost turns.</b> Object code may use up its stack, or the heap, and the error then strikes
 * anywhere in the engine, also between the end of one turn and the beginning of the next: the gate
 * is held, and nobody is left who would open it. Whoever leaves like that notes it with one write
 * of a field, which needs no stack. The next who wants in, or else the sweeper, finishes the work:
 * it resets the instance and cleans up in place of the thread that is gone.
 *
 * <p>Thread-safe but for what says otherwise.
 */
public final class Ending {

  private static final String EXHAUSTED =
      "The object was reset because it ran out of stack or memory inside of the runtime.";

  private final Turns turns;
  private final InstanceEnd end;

  private volatile @Nullable Reset reset;

  /** Whether the holder of the turn is gone without giving it up. Written by the holder. */
  volatile boolean lost;

  /** Whether a reset had no stack to run on. Written by the holder of the turn. */
  volatile boolean due;

  Ending(Turns turns, InstanceEnd end) {
    this.turns = turns;
    this.end = end;
  }

  boolean isReset() {
    return reset != null;
  }

  void unwindIfReset() {
    if (reset != null) {
      throw new ResetError(turns.key().toString());
    }
  }

  /** Resets the instance. Only the first reset counts. */
  void reset(String message, @Nullable Throwable cause) {
    try {
      Headroom.require();
    } catch (StackOverflowError e) {
      due = true;
      throw e;
    }
    Reset first = new Reset(turns.key(), message, cause, turns.output().position());
    synchronized (this) {
      if (reset != null) {
        return;
      }
      reset = first;
    }
    turns.work().interrupt();
    // Shut first: nobody who wakes or queues is admitted any more.
    Dismissal dismissal = turns.gate().shut();
    turns.suspension().waiting().wakeAll();
    if (dismissal != null) {
      if (dismissal.isCleaner()) {
        cleanUp();
      }
      dismissal.tellEverybody();
    }
  }

  /** Resets the instance if that was to happen before. Called by the holder of the turn. */
  void resetIfDue() {
    if (due) {
      reset(EXHAUSTED, null);
    }
  }

  /** Resets the instance because an execution ended, or has to end, outside of its turn. */
  void resetOutOfTurn() {
    reset(EXHAUSTED, null);
    recoverIfLost();
  }

  /** Does what a holder of the turn had to leave undone that ran out of stack or memory. */
  public void recoverIfLost() {
    if (!lost) {
      return;
    }
    Headroom.require();
    synchronized (this) {
      if (!lost) {
        return;
      }
      lost = false;
    }
    reset(EXHAUSTED, null);
    // Who has the turn without knowing learns of the reset there, and cleans up.
    if (!turns.gate().tellUntold() && turns.gate().release()) {
      cleanUp();
    }
  }

  /**
   * Ends the instance quietly if nothing goes on in it.
   *
   * @param idle asked while the turn is held; whether nothing else keeps the instance
   * @return whether it has ended
   */
  public boolean stopIfIdle(BooleanSupplier idle) {
    while (turns.gate().tryEnter()) {
      boolean wasIdle = idle.getAsBoolean();
      if (wasIdle && turns.suspension().isEmpty() && turns.gate().shutIfNobodyWaits()) {
        cleanUp();
        return true;
      }
      turns.leave();
      // Whoever makes it idle asks next, but is turned away by a gate that is held: by this very
      // question, for example. An execution that waits asks when it is over.
      if (wasIdle || !idle.getAsBoolean()) {
        return false;
      }
    }
    return false;
  }

  /** Undoes what the running turn has written. For the holder of the turn. */
  void discard() {
    try {
      turns.work().discard();
    } catch (RuntimeException | Error e) {
      turns.services().warn("What a turn of " + turns.key() + " wrote could not be discarded.", e);
    }
  }

  /** Called by the one thread that is left with the shut gate. */
  void cleanUp() {
    try {
      Headroom.require();
    } catch (StackOverflowError e) {
      lost = true;
      throw e;
    }
    List<Outgoing> messages = turns.work().takeMessages();
    try {
      turns.work().discardAndRelease();
      turns.bookmarksOfTurn().turnEnded(Journal.START);
    } catch (RuntimeException | Error e) {
      turns.services().warn("The store of " + turns.key() + " could not be released.", e);
    }
    end.terminated();
    // Last: it may run code of the application, which may call this object and wait for it.
    if (!messages.isEmpty()) {
      messages.forEach(message -> message.drop(dismissal()));
    }
  }

  // ---- What is told -----------------------------------------------------------------------

  long resetPosition() {
    Reset happened = reset;
    return happened == null ? Journal.START : happened.position();
  }

  /**
   * Returns what an execution in flight gets after a reset.
   *
   * @param execution who is told
   * @return a fresh exception
   */
  public InstanceResetException resetException(Execution execution) {
    return reason().toException(execution.wrote());
  }

  InstanceResetException dismissal() {
    return reason().dismissal();
  }

  private Reset reason() {
    Reset happened = reset;
    // Without a reset, an idle instance ended quietly: only a timer of a closing runtime can come
    // too late.
    return happened != null
        ? happened
        : new Reset(turns.key(), "The object was stopped.", null, Journal.START);
  }
}
