package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import java.util.ArrayList;
import java.util.List;

/**
 * The scans and cursors that a turn has opened and not ended. They end with it: an open statement
 * would keep the log from beginning anew. Owned by the thread that runs the turn.
 */
final class OpenCursors {

  static final String TURN_ENDED =
      "The cursor has ended with its turn: read all rows before the object waits or returns.";

  static final String ROLLED_BACK =
      "The cursor has ended because the transaction it was open in was rolled back.";

  static final String TOO_MUCH_TO_KEEP =
      "The cursor had too much left to be kept in memory while the object waits: read all rows"
          + " before the wait, or add a LIMIT clause.";

  /** Each has a statement of its own, of some 10 to 100 KiB of native memory. */
  private static final int OPEN_MAX = 128;

  private final List<Cursor> cursors = new ArrayList<>(0);

  /** Something that holds a statement. */
  interface Cursor {

    /** {@return whether it holds its statement still} */
    boolean isOpen();

    /**
     * Takes what the statement has left into memory, and lets the statement go.
     *
     * @param bytesMax how much may be taken; beyond it the cursor ends
     * @return how much was taken, in bytes
     */
    default long keep(long bytesMax) throws SqliteException {
      end(TURN_ENDED);
      return 0;
    }

    /**
     * Ends it, if a rollback to a savepoint must end it.
     *
     * @return whether it has ended
     */
    default boolean endsWithRollback(String reason) {
      end(reason);
      return true;
    }

    /** Lets the statement go; from now on the cursor fails with the reason. */
    void end(String reason);
  }

  /** {@return whether there is room for another one; what has ended by itself is forgotten} */
  boolean hasRoom() {
    if (cursors.size() >= OPEN_MAX) {
      cursors.removeIf(cursor -> !cursor.isOpen());
    }
    return cursors.size() < OPEN_MAX;
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
   * Takes what open cursors have left into memory, because who reads them is going to wait.
   *
   * @param bytesMax how much may be taken in all
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

  /** What was written since a savepoint is about to be taken back. */
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
