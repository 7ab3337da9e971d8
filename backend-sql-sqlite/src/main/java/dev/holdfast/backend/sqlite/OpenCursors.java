package dev.holdfast.backend.sqlite;

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

  private final List<Cursor> cursors = new ArrayList<>(0);

  /** Something that holds a statement. */
  interface Cursor {

    /** {@return whether it holds its statement still} */
    boolean isOpen();

    /** Lets the statement go; from now on the cursor fails with the reason. */
    void end(String reason);
  }

  void add(Cursor cursor) {
    if (cursor.isOpen()) {
      cursors.add(cursor);
    }
  }

  void remove(Cursor cursor) {
    cursors.remove(cursor);
  }

  void endAll(String reason) {
    for (Cursor cursor : cursors) {
      cursor.end(reason);
    }
    cursors.clear();
  }
}
