package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import java.util.ArrayList;
import java.util.List;

/**
 * The scans and cursors that a turn has opened and not ended. They end with the turn: an open
 * statement would prevent the log from restarting. Confined to the thread that runs the turn.
 */
final class OpenCursors {

  static final String TURN_ENDED =
      "The cursor has ended with its turn: read all rows before the object waits or returns.";

  static final String MIGRATION_ENDED =
      "The cursor has ended with its migration: read all rows before the step returns.";

  static final String ROLLED_BACK =
      "The cursor has ended because the transaction it was open in was rolled back.";

  static final String TOO_MUCH_TO_KEEP =
      "The cursor had too much left to be kept in memory while the object waits: read all rows"
          + " before the wait, or add a LIMIT clause.";

  private final List<Cursor> cursors = new ArrayList<>(0);

  /** Something that holds a statement. */
  interface Cursor {

    /** {@return whether it still holds its statement} */
    boolean isOpen();

    /**
     * Reads the remaining rows of the statement into memory, and releases the statement.
     *
     * @param bytesMax how much may be read; beyond it the cursor ends
     * @return how much was read, in bytes
     */
    default long keep(long bytesMax) throws SqliteException {
      end(TURN_ENDED);
      return 0;
    }

    /**
     * Ends the cursor if a rollback to a savepoint requires it.
     *
     * @return whether it has ended
     */
    default boolean endsWithRollback(String reason) {
      end(reason);
      return true;
    }

    /** Releases the statement; from now on the cursor fails with the reason. */
    void end(String reason);
  }

  /**
   * {@return whether there is room for another cursor; removes cursors that have ended by
   * themselves}
   */
  boolean hasRoom() {
    if (cursors.size() >= SqliteBounds.CURSORS_MAX) {
      cursors.removeIf(cursor -> !cursor.isOpen());
    }
    return cursors.size() < SqliteBounds.CURSORS_MAX;
  }

  boolean areClosed() {
    return cursors.stream().noneMatch(Cursor::isOpen);
  }

  void add(Cursor cursor) {
    if (cursor.isOpen()) {
      cursors.add(cursor);
    }
  }

  void remove(Cursor cursor) {
    cursors.remove(cursor);
  }

  /**
   * Reads the remaining rows of the open cursors into memory, because their reader is about to
   * wait.
   *
   * @param bytesMax how much may be read in all
   */
  void keepAll(long bytesMax) throws SqliteException {
    long left = bytesMax;
    for (Cursor cursor : cursors) {
      if (cursor.isOpen()) {
        left -= cursor.keep(left);
      }
    }
    cursors.clear();
  }

  /** Called before what was written since a savepoint is undone. */
  void rollback() {
    cursors.removeIf(cursor -> cursor.endsWithRollback(ROLLED_BACK));
  }

  void endAll(String reason) {
    for (Cursor cursor : cursors) {
      cursor.end(reason);
    }
    cursors.clear();
  }
}
