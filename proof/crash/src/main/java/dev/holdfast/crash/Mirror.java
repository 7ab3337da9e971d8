package dev.holdfast.crash;

import java.util.List;

/** An object that is called by cells and notes their calls. */
public interface Mirror {

  /**
   * How many steps back the notes of one cell reach; older ones are deleted. More than the steps of
   * one cell that can be under way at a time.
   */
  long WINDOW_STEPS = 200;

  /**
   * Notes a call.
   *
   * @param cell the calling cell
   * @param seq its step
   */
  void note(int cell, long seq);

  /** {@return everything the object has stored} */
  Dump dump();

  /**
   * What a mirror has stored.
   *
   * @param count how many notes it has taken, by its key-value side
   * @param lastNumber the number of the latest note, by its SQL side; the same
   * @param notes the notes that are left
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
