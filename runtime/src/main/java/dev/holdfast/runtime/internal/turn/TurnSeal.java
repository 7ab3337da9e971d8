package dev.holdfast.runtime.internal.turn;

import dev.holdfast.HoldfastException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.internal.gate.Headroom;
import dev.holdfast.spi.Journal;

/**
 * The end of a turn: everything it wrote becomes one batch with one journal position, and what it
 * sends leaves with that position. Owned by the holder of the turn.
 */
final class TurnSeal {

  private final Turns turns;
  private final TurnWork work;
  private final Bookmarks bookmarks;

  TurnSeal(Turns turns, TurnWork work, Bookmarks bookmarks) {
    this.turns = turns;
    this.work = work;
    this.bookmarks = bookmarks;
  }

  /**
   * Ends the turn and begins the next one of the same execution, without letting anybody in.
   *
   * @param execution whose turn it is
   * @throws ResetError if the turn cannot be sealed
   */
  void sealOrUnwind(Execution execution) {
    turns.ending.resetIfDue();
    work.keepCursors();
    if (!seal(execution)) {
      throw new ResetError(turns.key().toString());
    }
  }

  /**
   * Ends the turn of an execution that is going to wait: words that know of it may leave.
   *
   * @param execution whose turn it is
   * @throws ResetError if the turn cannot be sealed
   */
  void sealBeforeWait(Execution execution) {
    sealOrUnwind(execution);
    if (!letWordsLeave()) {
      throw new ResetError(turns.key().toString());
    }
    work.keepOverWait();
  }

  /** Ends the last turn of an execution; false if the instance is reset, before or by this. */
  boolean sealLast(Execution execution) {
    return seal(execution) && letWordsLeave();
  }

  /** Called before words leave while what the turn wrote has no batch; false after a reset. */
  boolean letWordsLeave() {
    try {
      bookmarks.wordsLeave();
      return true;
    } catch (RuntimeException | Error e) {
      noteJournalFailure(e);
      turns.reset("The object was reset because a bookmark could not be noted.", e);
      return false;
    }
  }

  private void noteJournalFailure(Throwable failure) {
    if (failure instanceof JournalFailedException journalFailure) {
      turns.services().journalFailed(journalFailure);
    }
  }

  private boolean seal(Execution execution) {
    if (turns.isReset()) {
      // Here, and not by who cleans up: the gate may not be shut yet, and whoever shuts it would
      // discard the store turn on a thread that does not own it.
      turns.ending.discard();
      return false;
    }
    if (work.hasWritten() && !sealBatch(execution)) {
      return false;
    }
    if (work.hasMessages()) {
      Headroom.require();
      if (!letWordsLeave()) {
        return false;
      }
      work.takeMessages()
          .forEach(message -> message.send(turns.services(), turns.output().position()));
    }
    return true;
  }

  private boolean sealBatch(Execution execution) {
    // What comes takes the locks of storage and journal, which all objects share.
    Headroom.require();
    try {
      long position = work.seal();
      bookmarks.turnEnded(position);
      if (position > Journal.START) {
        turns.output().raiseToOwn(position, work.isConfirmed());
        if (!work.isConfirmed()) {
          turns.services().noteUnconfirmed(position);
        }
        execution.noteWrite();
      }
      work.clear();
      return true;
    } catch (RuntimeException | Error e) {
      noteJournalFailure(e);
      if (mayHaveAppended(e)) {
        // The journal has the batch perhaps, and makes it durable: the caller must not be told that
        // nothing is written, and what the next instance reads depends on it.
        execution.noteWrite();
        turns.output().raiseToOwn(turns.services().journal().lastPosition(), /* confirmed= */ true);
      }
      turns.reset("The object was reset because the writes of a turn could not be committed.", e);
      return false;
    }
  }

  /**
   * Whether a failure may have struck behind the append. A refusal says so with its type, but for
   * the failure of the journal: a large batch is waited for in the append.
   */
  private static boolean mayHaveAppended(Throwable failure) {
    return failure instanceof JournalFailedException || !(failure instanceof HoldfastException);
  }
}
