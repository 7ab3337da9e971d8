package dev.holdfast.crash;

import java.util.List;

/** An object that cells call and that records their calls. */
public interface Mirror {

  /**
   * The number of steps that the notes of one cell reach back; older ones are deleted. More than
   * the steps of one cell that can be in progress at a time.
   */
  long WINDOW_STEPS = 200;

  /**
   * Records a call.
   *
   * @param cell the calling cell
   * @param seq its step
   */
  void record(int cell, long seq);

  /** {@return everything the object has stored} */
  Dump dump();

  /**
   * The stored data of a mirror.
   *
   * @param count the number of notes taken, by its key-value side
   * @param lastNumber the number of the latest note, by its SQL side; the same
   * @param notes the remaining notes
   */
  record Dump(long count, long lastNumber, List<Note> notes) {}

  /**
   * A note.
   *
   * @param cell the cell that called
   * @param seq its step
   */
  record Note(int cell, long seq) {}
}
